import { slotOf } from "../key/slot";
import { notSentFailure } from "./classify";
import { type AnyNodeRedis, isNodeRedisCluster, type NodeRedisCluster } from "./client";
import type { ClientEvents, ClientExecutor } from "./client-executor";
import { ClientListeners } from "./client-listeners";
import type { ScriptCall } from "./executor";
import { ScriptSender } from "./script-sender";

/** The executor on a client, sentinel or cluster of node-redis 5 or 6. */
export class NodeRedisExecutor implements ClientExecutor {
  readonly client: AnyNodeRedis;
  readonly isCluster: boolean;
  readonly #sender: ScriptSender;
  readonly #listeners: ClientListeners;
  #events: ClientEvents | undefined;
  #isOpening = false;

  constructor(client: AnyNodeRedis, events: ClientEvents) {
    this.client = client;
    this.isCluster = isNodeRedisCluster(client);
    this.#sender = new ScriptSender({
      evalSha: (sha, call) => client.evalSha(sha, optionsOf(call)),
      evalSource: (source, call) => client.eval(source, optionsOf(call)),
    });
    this.#listeners = new ClientListeners(client);
    this.#events = events;
    this.#listeners.add("error", events.onError);
    if (this.isCluster) {
      this.#listeners.add("node-ready", (node: { host: string; port: number }) =>
        events.onReady(`${node.host}:${node.port}`),
      );
    } else {
      this.#listeners.add("ready", () => events.onReady("server"));
      // A sentinel of version 5 has no `ready`; it tells that it goes to another master.
      this.#listeners.add("topology-change", () => events.onReady("server"));
    }
  }

  nodeOf(slot: number): string {
    // Asked for every command: what kind of client it is is not looked up again.
    if (!this.isCluster) return "server";
    return (this.client as NodeRedisCluster).slots[slot]?.master.address ?? "unknown";
  }

  run(call: ScriptCall): Promise<unknown> {
    if (!this.isReady()) return Promise.reject(notSentFailure("The client is not connected"));
    if (isNodeRedisCluster(this.client)) {
      const slot = slotOf(call.keys[0] ?? "");
      // A node of which nothing is known is left to the client.
      if (this.client.slots[slot]?.master.client?.isReady === false) {
        const reason = `The node ${this.nodeOf(slot)} is not connected`;
        return Promise.reject(notSentFailure(reason, true));
      }
    }
    return this.#sender.run(call);
  }

  isReady(): boolean {
    const { client } = this;
    if (this.#isOpening || !client.isOpen) return false;
    // Version 5 has no isReady for a cluster, which is open before it knows any node.
    return isNodeRedisCluster(client) ? client.masters.length > 0 : client.isReady;
  }

  isOver(): boolean {
    return !this.client.isOpen && !this.#isOpening;
  }

  /** A cluster of version 5 does not recover from a lost node, and no client once it has closed. */
  mayNeedReplacement(): boolean {
    return true;
  }

  readyNodes(): readonly string[] {
    if (!this.isReady()) return [];
    return isNodeRedisCluster(this.client)
      ? this.client.masters.map(({ address }) => address)
      : ["server"];
  }

  open(): void {
    if (this.client.isOpen || this.#isOpening) return;
    this.#isOpening = true;
    const opened = () => {
      this.#isOpening = false;
      // Calls failed until now, also those for nodes that the cluster had told of before.
      if (!this.isCluster) return;
      for (const node of this.readyNodes()) this.#events?.onReady(node);
    };
    // A failure to connect is reported as an `error` too, and the client is not open then.
    this.client.connect().then(opened, opened);
  }

  reportTrouble(): void {}

  async close(): Promise<void> {
    this.mute();
    if (!this.isReady()) return this.destroy();
    await this.client.close().catch(() => this.destroy());
  }

  destroy(): void {
    this.mute();
    try {
      // A sentinel returns a promise; the others throw when they are closed already.
      Promise.resolve(this.client.destroy()).catch(() => {});
    } catch {}
  }

  mute(): void {
    this.#events = undefined;
    this.#listeners.removeAll();
  }
}

function optionsOf({ keys, argument }: ScriptCall): { keys: string[]; arguments: string[] } {
  return { keys: keys as string[], arguments: [argument] };
}
