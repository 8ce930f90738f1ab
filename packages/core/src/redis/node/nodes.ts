import type { Clock } from "../../clock/clock";
import type { Milliseconds } from "../../limit/limit";
import type { Random } from "../../random/random";
import type { CallFailure } from "../executor/call-failure";
import type { Executor } from "../executor/executor";
import { admitScript } from "../script/scripts";
import { ReplyReader } from "../wire/reply-reader";
import type { BreakerState } from "./breaker";
import { type CallOnNode, NodeHealth } from "./node-health";

/** A node of a shared store, and whether it is asked. */
export interface StoreNode {
  /** `host:port` on a cluster, else `server`. */
  readonly node: string;
  /** `open`: not asked; `half-open`: a probe is under way; `closed`: asked. */
  readonly breaker: BreakerState;
}

/** Told when a node stops being asked, and when it is asked again. */
export type OnNodeChange = (change: "opened" | "closed", node: string) => void;

/** An admit of no questions: charges nothing, but only a server that could write runs it. */
const PROBE_ARGUMENT = "[[]]";

/**
 * Nodes that are remembered at once, the largest cluster that Redis allows; the one that was met
 * first is forgotten for another one. Where addresses come and go, their number knows no end.
 */
const NODES_MAX = 1000;

/** The nodes that calls go to, each with its breaker, its clock and its probes. */
export class Nodes {
  readonly #nodes = new Map<string, NodeHealth>();
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #probeTimeoutMs: Milliseconds;
  readonly #onChange: OnNodeChange;

  constructor(clock: Clock, random: Random, probeTimeoutMs: Milliseconds, onChange: OnNodeChange) {
    this.#clock = clock;
    this.#random = random;
    this.#probeTimeoutMs = probeTimeoutMs;
    this.#onChange = onChange;
  }

  of(node: string): NodeHealth {
    let health = this.#nodes.get(node);
    if (health === undefined) {
      const [first = node] = this.#nodes.keys();
      if (this.#nodes.size >= NODES_MAX) this.#nodes.delete(first);
      health = new NodeHealth(this.#clock, this.#random);
      this.#nodes.set(node, health);
    }
    return health;
  }

  /** All that are known, with what their breakers say. */
  states(): readonly StoreNode[] {
    return [...this.#nodes].map(([node, { breaker }]) => ({ node, breaker: breaker.state }));
  }

  /** The server answered. */
  answered(node: string, call: CallOnNode): void {
    const health = this.of(node);
    health.answered(call);
    if (call.pass === "probe") this.#onChange("closed", node);
  }

  /** The call was not sent, or its connection broke. */
  failed(node: string, call: CallOnNode, executor: Executor): void {
    this.#trouble(node, executor, (health) => health.failed(call));
  }

  /** Nobody waits for the call any more. */
  timedOut(node: string, call: CallOnNode, executor: Executor): void {
    this.#trouble(node, executor, (health) => health.timedOut(call));
  }

  /** A connection to the node is there, for the first time or again. */
  reconnected(node: string): void {
    this.#nodes.get(node)?.reconnected();
  }

  /** Finds out by a call that charges nothing whether the node is back; `key` leads to it. */
  probe(node: string, key: string, executor: Executor): void {
    const health = this.of(node);
    const call = health.sent("probe");
    const cancel = this.#clock.after(this.#probeTimeoutMs, () =>
      this.timedOut(node, call, executor),
    );
    executor.run({ script: admitScript, keys: [key], argument: PROBE_ARGUMENT }).then(
      (reply) => {
        cancel();
        this.#probeAnswered(node, call, reply);
      },
      (failure: CallFailure) => {
        cancel();
        // Whoever refuses is there, but cannot be used: another client would not help.
        if (failure.code !== "SLUICE_STORE_UNREACHABLE") health.refused(call);
        else this.failed(node, call, executor);
      },
    );
  }

  #probeAnswered(node: string, call: CallOnNode, reply: unknown): void {
    const health = this.of(node);
    if (call.isTold) {
      // Too late it says only that calls get through; those of callers would be as late.
      health.answered(call);
      return;
    }
    this.answered(node, call);
    try {
      const { serverNowMs } = new ReplyReader(reply);
      health.serverClock.observe(call.sentMs, this.#clock.nowMs(), serverNowMs);
    } catch {
      // No reply of ours: the calls that follow report it, each to its caller.
    }
  }

  #trouble(node: string, executor: Executor, tell: (health: NodeHealth) => void): void {
    const health = this.of(node);
    const before = health.breaker.state;
    tell(health);
    if (before === "closed" && health.breaker.state === "open") this.#onChange("opened", node);
    if (health.isInTrouble) executor.reportTrouble(node);
  }
}
