import { type ClusterNode, ownerOf, readClusterNodes } from "./cluster-nodes";
import { pollUntil } from "./poll-until";
import { type RedisServer, startServer } from "./redis-server";

const SLOTS = 16_384;

/** A cluster whose nodes we started on 127.0.0.1; half of them are replicas, one per master. */
export class RedisCluster {
  readonly nodes: readonly RedisServer[];

  constructor(nodes: readonly RedisServer[]) {
    this.nodes = nodes;
  }

  get ports(): readonly number[] {
    return this.nodes.map(({ port }) => port);
  }

  /**
   * The node that serves a slot (0 to 16 383). Waits until all nodes that answer name the same one,
   * and it answers too: after a kill, that is the end of the fail-over.
   *
   * @throws Error after 15 seconds.
   */
  masterOf(slot: number): Promise<RedisServer> {
    return pollUntil(
      async () => {
        const views = await this.#views();
        const [port, ...others] = new Set(views.map((view) => ownerOf(view, slot)?.port));
        return (
          others.length === 0 && this.nodes.find((node) => node.port === port && node.isAnswering)
        );
      },
      { what: `one node serves slot ${slot}` },
    );
  }

  /**
   * The replica of the node that serves a slot; waits until it is attached.
   *
   * @throws Error after 15 seconds.
   */
  async replicaOf(slot: number): Promise<RedisServer> {
    const master = await this.masterOf(slot);
    return pollUntil(
      async () => {
        const view = await viewOf(master);
        const owner = ownerOf(view, slot);
        const port = view.find(({ masterId }) => masterId === owner?.id)?.port;
        const replica = this.nodes.find((node) => node.port === port);
        return replica !== undefined && (await isAttached(replica)) && replica;
      },
      { what: `slot ${slot} has a replica` },
    );
  }

  /** Has the replica take over a slot's master without loss; resolves to it when all nodes know. */
  async failOver(slot: number): Promise<RedisServer> {
    const replica = await this.replicaOf(slot);
    await replica.command("CLUSTER", "FAILOVER");
    await pollUntil(async () => (await this.masterOf(slot)) === replica, {
      what: `port ${replica.port} serves slot ${slot}`,
    });
    return replica;
  }

  /**
   * Waits until all nodes run, serve, and know each other, and all replicas are attached.
   *
   * @throws Error after 15 seconds.
   */
  async whenHealthy(): Promise<void> {
    await pollUntil(
      async () => {
        const states = await Promise.all(this.nodes.map((node) => this.#isHealthy(node)));
        return states.every(Boolean);
      },
      { what: "the cluster is healthy" },
    );
  }

  /** Ends all nodes and removes their folders. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  #views(): Promise<readonly (readonly ClusterNode[])[]> {
    return Promise.all(this.nodes.filter(({ isAnswering }) => isAnswering).map(viewOf));
  }

  async #isHealthy(node: RedisServer): Promise<boolean> {
    if (!node.isAnswering) return false;
    const info = String(await node.command("CLUSTER", "INFO"));
    if (!info.includes("cluster_state:ok")) return false;
    const view = await viewOf(node);
    const masters = view.filter(({ isMaster, slots }) => isMaster && slots.length > 0);
    const isKnown = view.length === this.nodes.length && !view.some(({ isDoubtful }) => isDoubtful);
    if (!isKnown || masters.length !== this.nodes.length / 2) return false;
    return masters.some(({ port }) => port === node.port) || isAttached(node);
  }
}

async function viewOf(node: RedisServer): Promise<readonly ClusterNode[]> {
  return readClusterNodes(String(await node.command("CLUSTER", "NODES")));
}

async function isAttached(replica: RedisServer): Promise<boolean> {
  const info = String(await replica.command("INFO", "replication"));
  return info.includes("role:slave") && info.includes("master_link_status:up");
}

export interface ClusterOptions {
  /** Each with one replica. @default 3 */
  readonly masters?: number;
  /** Lines of redis.conf of every node after ours: `cluster-require-full-coverage no`. */
  readonly config?: readonly string[];
}

/**
 * Starts a cluster (cluster-node-timeout 2 s) with the slots spread evenly, and waits until it is
 * healthy: about 3 seconds, most of which a new master waits by itself.
 *
 * @throws Error if a node does not start or the cluster does not form.
 */
export async function startCluster({
  masters = 3,
  config = [],
}: ClusterOptions = {}): Promise<RedisCluster> {
  const nodes = await Promise.all(
    Array.from({ length: 2 * masters }, () =>
      startServer({ mode: "cluster", config: ["cluster-node-timeout 2000", ...config] }),
    ),
  );
  const cluster = new RedisCluster(nodes);
  try {
    await form(nodes, masters);
    await cluster.whenHealthy();
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function form(nodes: readonly RedisServer[], masters: number): Promise<void> {
  const firstSlot = (index: number) => Math.floor((SLOTS * index) / masters);
  for (const [index, node] of nodes.entries()) {
    // Different from the start, so that they need not settle it among themselves; refused as soon
    // as a node knows another one.
    await node.command("CLUSTER", "SET-CONFIG-EPOCH", index + 1);
  }
  for (const [index, master] of nodes.slice(0, masters).entries()) {
    const last = firstSlot(index + 1) - 1;
    await master.command("CLUSTER", "ADDSLOTSRANGE", firstSlot(index), last);
  }
  for (const [index, node] of nodes.entries()) await meet(node, nodes.slice(index + 1));
  await Promise.all(
    nodes.slice(masters).map((replica, index) => replicate(replica, nodes[index] as RedisServer)),
  );
}

/** Everybody meets everybody: by hearsay alone it takes seconds longer. */
async function meet(node: RedisServer, others: readonly RedisServer[]): Promise<void> {
  for (const { port, busPort } of others) {
    await node.command("CLUSTER", "MEET", "127.0.0.1", port, busPort);
  }
}

async function replicate(replica: RedisServer, master: RedisServer): Promise<void> {
  const id = String(await master.command("CLUSTER", "MYID"));
  // Refused until the two have met.
  await pollUntil(async () => (await replica.command("CLUSTER", "REPLICATE", id)) === "OK", {
    what: `port ${replica.port} replicates port ${master.port}`,
  });
}
