import type { Clock } from "../../clock/clock";
import type { Milliseconds } from "../../limit/limit";
import type { Random } from "../../random/random";
import { Breaker } from "./breaker";
import { ServerClock } from "./server-clock";

/** A call that is unanswered for so long, or failures for so long, are trouble of the client. */
const UNANSWERED_MS = 1000;
const FAILING_MS = 1500;

/** One call on its way to a node. */
export interface CallOnNode {
  readonly sentMs: Milliseconds;
  readonly pass: "pass" | "probe";
  /** Whether its outcome has been told: a call that timed out may still be answered. */
  isTold: boolean;
}

/** What is known of one node: its breaker, its clock, and whether calls to it get through. */
export class NodeHealth {
  readonly breaker: Breaker;
  readonly serverClock: ServerClock;
  readonly #clock: Clock;
  readonly #unanswered = new Set<CallOnNode>();
  #failingSinceMs: Milliseconds | undefined;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.breaker = new Breaker(clock, random);
    this.serverClock = new ServerClock(clock);
  }

  /** A call is sent now. */
  sent(pass: "pass" | "probe"): CallOnNode {
    const call = { sentMs: this.#clock.nowMs(), pass, isTold: false };
    this.#unanswered.add(call);
    return call;
  }

  /** The server answered, whatever it said. */
  answered(call: CallOnNode): void {
    this.#gotThrough(call);
    this.#tell(call, "succeeded");
  }

  /** The server answered a probe that it does not want to: calls get through, to no use. */
  refused(call: CallOnNode): void {
    this.#gotThrough(call);
    this.#tell(call, "failed");
  }

  /** The call could not be sent, or the connection broke. */
  failed(call: CallOnNode): void {
    this.#unanswered.delete(call);
    this.#failingSinceMs ??= this.#clock.nowMs();
    this.#tell(call, "failed");
  }

  /** Nobody waits for the call any more; it may still be answered. */
  timedOut(call: CallOnNode): void {
    // Many commands share a call, and some wait for another try after it was answered.
    if (call.isTold) return;
    this.#failingSinceMs ??= this.#clock.nowMs();
    this.#tell(call, "failed");
  }

  #gotThrough(call: CallOnNode): void {
    this.#unanswered.delete(call);
    this.#failingSinceMs = undefined;
  }

  /** The breaker hears of each call once. */
  #tell(call: CallOnNode, outcome: "succeeded" | "failed"): void {
    if (call.isTold) return;
    call.isTold = true;
    this.breaker[outcome](call.pass);
  }

  /** A connection is there (again): calls on the old one will not be answered. */
  reconnected(): void {
    this.#unanswered.clear();
    this.serverClock.dropped();
    this.breaker.probeNow();
  }

  /** Whether the client may be unable to recover by itself. */
  get isInTrouble(): boolean {
    const nowMs = this.#clock.nowMs();
    if (this.#failingSinceMs === undefined) return false;
    if (nowMs - this.#failingSinceMs >= FAILING_MS) return true;
    for (const { sentMs } of this.#unanswered) return nowMs - sentMs >= UNANSWERED_MS;
    return false;
  }
}
