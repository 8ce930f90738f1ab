import { slotOf } from "../key/slot";
import { notSentFailure } from "./classify";
import { type AnyIoredis, type IoredisCluster, type IoredisNode, isIoredisCluster } from "./client";
import type { ClientEvents, ClientExecutor } from "./client-executor";
import { ClientListeners } from "./client-listeners";
import type { ScriptCall } from "./executor";
import { ScriptSender } from "./script-sender";

/** The executor on a `Redis` or `Cluster` of ioredis 5 or 6. */
export class IoredisExecutor implements ClientExecutor {
  readonly client: AnyIoredis;
  readonly isCluster: boolean;
  readonly #sender: ScriptSender;
  readonly #listeners: ClientListeners;
  /** The masters of a cluster that were seen, by `host:port`. */
  readonly #masters = new Map<string, IoredisNode>();
  #events: ClientEvents | undefined;

  constructor(client: AnyIoredis, events: ClientEvents) {
    this.client = client;
    this.isCluster = isIoredisCluster(client);
    this.#sender = new ScriptSender({
      evalSha: (sha, { keys, argument }) => client.evalsha(sha, keys.length, ...keys, argument),
      evalSource: (text, { keys, argument }) => client.eval(text, keys.length, ...keys, argument),
    });
    this.#listeners = new ClientListeners(client);
    this.#events = events;
    this.#listeners.add("error", events.onError);
    if (isIoredisCluster(client)) {
      for (const node of client.nodes("master")) this.#watch(node);
      this.#listeners.add("+node", (node: IoredisNode) => this.#watch(node));
      this.#listeners.add("ready", () => this.#onClusterReady());
    } else {
      this.#listeners.add("ready", () => events.onReady("server"));
    }
  }

  nodeOf(slot: number): string {
    // Asked for every command: what kind of client it is is not looked up again.
    if (!this.isCluster) return "server";
    return (this.client as IoredisCluster).slots[slot]?.[0] ?? "unknown";
  }

  run(call: ScriptCall): Promise<unknown> {
    const { status } = this.client;
    if (status !== "ready") {
      return Promise.reject(notSentFailure(`The client is not connected: ${status}`));
    }
    if (this.isCluster) {
      const failure = this.#nodeFailure(call.keys[0] ?? "");
      if (failure !== undefined) return Promise.reject(failure);
    }
    return this.#sender.run(call);
  }

  isReady(): boolean {
    return this.client.status === "ready";
  }

  isOver(): boolean {
    return this.client.status === "end";
  }

  /** Clients of ioredis reconnect by themselves until they are told, or decide, not to. */
  mayNeedReplacement(): boolean {
    return this.isOver();
  }

  readyNodes(): readonly string[] {
    if (!isIoredisCluster(this.client)) return this.isReady() ? ["server"] : [];
    const masters = this.client.nodes("master");
    return masters.filter(({ status }) => status === "ready").map(nameOf);
  }

  open(): void {
    const { status } = this.client;
    if (status === "wait" || status === "end") connect(this.client);
    if (status === "ready") this.#warmUp();
  }

  reportTrouble(): void {}

  async close(): Promise<void> {
    this.mute();
    if (!this.isReady()) return this.destroy();
    await this.client.quit().catch(() => this.destroy());
  }

  destroy(): void {
    this.mute();
    this.client.disconnect();
  }

  mute(): void {
    this.#events = undefined;
    this.#listeners.removeAll();
  }

  #watch(node: IoredisNode): void {
    node.on("ready", () => this.#events?.onReady(nameOf(node)));
  }

  /** Calls failed until now, also those for nodes whose connections were there before. */
  #onClusterReady(): void {
    this.#warmUp();
    for (const node of this.readyNodes()) this.#events?.onReady(node);
  }

  /**
   * Nodes of a cluster connect when they are first needed, and keep calls in a queue until they
   * have: they are told to connect before.
   */
  #warmUp(): void {
    if (!isIoredisCluster(this.client)) return;
    for (const node of this.client.nodes("master")) {
      this.#masters.set(nameOf(node), node);
      if (node.status === "wait") connect(node);
    }
  }

  /** Why a node cannot be sent anything now. What is not known of it is left to the client. */
  #nodeFailure(key: string) {
    const name = this.nodeOf(slotOf(key));
    let node = this.#masters.get(name);
    if (node?.status === "ready") return undefined;
    if (node === undefined || node.status === "end" || node.status === "wait") {
      this.#masters.clear();
      this.#warmUp();
      node = this.#masters.get(name);
    }
    if (node === undefined || node.status === "ready" || node.status === "end") return undefined;
    return notSentFailure(`The node ${name} is not connected: ${node.status}`, true);
  }
}

function nameOf({ options }: IoredisNode): string {
  return `${options.host}:${options.port}`;
}

/** A failure to connect is reported as an `error` too, and shows in the status. */
function connect(client: { connect(): Promise<unknown> }): void {
  client.connect().catch(() => {});
}
