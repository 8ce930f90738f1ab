import { pollUntil } from "./poll-until";
import { type RedisServer, startServer } from "./redis-server";

/** The name under which the sentinels know the master. */
const MASTER_NAME = "sluice";

const SENTINELS = 3;
const QUORUM = 2;

/**
 * How often sentinels talk and look, in milliseconds. By default it takes them many seconds to find
 * each other and the replicas, which only a start-up sees.
 */
const PACE = [
  ["info-period", 300],
  ["publish-period", 200],
  // Not less: a replica whose last INFO is older than five of these is not promoted.
  ["ping-period", 500],
  ["ask-period", 200],
  // After a process was held up for 2 s, sentinels act on nothing for a while: 30 s by default.
  ["tilt-period", 1000],
].flat();

/** One master and one replica, watched by three sentinels; all started by us on 127.0.0.1. */
export class RedisSentinel {
  readonly masterName = MASTER_NAME;
  /** The master at the start, and its replica. */
  readonly data: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];

  constructor(data: readonly RedisServer[], sentinels: readonly RedisServer[]) {
    this.data = data;
    this.sentinels = sentinels;
  }

  get sentinelPorts(): readonly number[] {
    return this.sentinels.map(({ port }) => port);
  }

  /**
   * The master now. Waits until all sentinels that answer name the same server, and it answers and
   * is a master: after a kill, that is the end of the fail-over.
   *
   * @throws Error after 15 seconds.
   */
  master(): Promise<RedisServer> {
    return pollUntil(
      async () => {
        const named = await Promise.all(this.#asking().map(masterPort));
        const [port, ...others] = new Set(named);
        const server = this.data.find((data) => data.port === port && data.isAnswering);
        const isAgreed = server !== undefined && others.length === 0;
        return isAgreed && (await roleOf(server)) === "master" && server;
      },
      { what: "the sentinels name one master" },
    );
  }

  /**
   * Waits until the sentinels know each other and the replica is attached, so that a fail-over can
   * happen.
   *
   * @throws Error after 15 seconds.
   */
  async whenHealthy(): Promise<void> {
    const master = await this.master();
    await pollUntil(
      async () => {
        const states = await Promise.all(this.#asking().map(isComplete));
        const replication = String(await master.command("INFO", "replication"));
        return states.every(Boolean) && replication.includes("state=online");
      },
      { what: "the sentinels know each other and the replica" },
    );
  }

  /** Ends all servers and removes their folders. */
  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.data].map((server) => server.stop()));
  }

  #asking(): readonly RedisServer[] {
    return this.sentinels.filter(({ isAnswering }) => isAnswering);
  }
}

async function masterPort(sentinel: RedisServer): Promise<number> {
  const address = await sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME);
  return Number(Array.isArray(address) ? address[1] : Number.NaN);
}

async function roleOf(server: RedisServer): Promise<string> {
  const role = await server.command("ROLE");
  return String(Array.isArray(role) ? role[0] : "");
}

async function isComplete(sentinel: RedisServer): Promise<boolean> {
  const others = await sentinel.command("SENTINEL", "SENTINELS", MASTER_NAME);
  const replicas = await sentinel.command("SENTINEL", "REPLICAS", MASTER_NAME);
  const isKnown = Array.isArray(others) && others.length === SENTINELS - 1;
  return isKnown && Array.isArray(replicas) && replicas.length === 1 && isUp(replicas[0]);
}

function isUp(replica: unknown): boolean {
  if (!Array.isArray(replica)) return false;
  return replica[replica.indexOf("master-link-status") + 1] === "ok";
}

/**
 * Starts one master, one replica and three sentinels (quorum 2, down after 1 s) and waits until a
 * fail-over can happen.
 *
 * @throws Error if a server does not start or the sentinels do not find each other.
 */
export async function startSentinel(config: readonly string[] = []): Promise<RedisSentinel> {
  const master = await startServer({ config });
  const [replica, ...sentinels] = await Promise.all([
    startServer({ config: [`replicaof 127.0.0.1 ${master.port}`, ...config] }),
    ...Array.from({ length: SENTINELS }, () => startOneSentinel(master.port)),
  ]);
  const group = new RedisSentinel([master, replica], sentinels);
  try {
    await group.whenHealthy();
    return group;
  } catch (error) {
    await group.stop();
    throw error;
  }
}

async function startOneSentinel(masterPort: number): Promise<RedisServer> {
  const config = [
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${masterPort} ${QUORUM}`,
    `sentinel down-after-milliseconds ${MASTER_NAME} 1000`,
    `sentinel failover-timeout ${MASTER_NAME} 3000`,
  ];
  const sentinel = await startServer({ config, mode: "sentinel" });
  await sentinel.command("SENTINEL", "DEBUG", ...PACE);
  return sentinel;
}
