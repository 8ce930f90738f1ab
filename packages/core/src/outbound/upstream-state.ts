import type { AdaptiveLimit } from "../adaptive/adaptive-limit";
import type { SluiceEvent } from "../event/event";
import { record } from "../event/recorder";
import { createGate } from "../gate/create-gate";
import type { Gate, GatePermit, GateVerdict } from "../gate/gate";
import type { Milliseconds } from "../limit/limit";
import type { Reason, Rejected } from "../verdict/verdict";
import { type AdaptiveThrottle, adaptiveThrottle } from "./adaptive-throttle";
import { type OutboundPermit, outboundAdmitted, outboundRejected } from "./outbound-permit";
import { type RetryBudget, retryBudget } from "./retry-budget";
import type {
  UpstreamEnterOptions,
  UpstreamRefusal,
  UpstreamStats,
  UpstreamVerdict,
} from "./upstream";
import { type ReadEnterOptions, readUpstreamEnterOptions } from "./upstream-enter-options";
import type { UpstreamKey } from "./upstream-key";
import { UpstreamLimit } from "./upstream-limit";
import { CombinedPermit } from "./upstream-permit";
import { upstreamRecorder } from "./upstream-recorder";
import type { UpstreamsConfig } from "./upstreams-options";

/**
 * Everything that stands before one upstream. A call collects what it has to hold, one thing after
 * the other; when it is refused halfway, it gives all of that back as if it had not come.
 */
export class UpstreamState {
  readonly key: UpstreamKey;
  readonly text: string;
  readonly limit: UpstreamLimit | undefined;
  readonly #config: UpstreamsConfig;
  readonly #gate: Gate;
  readonly #parent: Gate | undefined;
  readonly #throttle: AdaptiveThrottle | undefined;
  readonly #budget: RetryBudget | undefined;
  readonly #rejectedByReason = new Map<Reason, number>();
  #admitted = 0;
  #pausedUntilMs = 0;
  /** Calls that have come and not ended, in flight or not. */
  #present = 0;

  constructor(key: UpstreamKey, text: string, config: UpstreamsConfig, parent: Gate | undefined) {
    this.key = Object.freeze({ ...key });
    this.text = text;
    this.#config = config;
    this.#parent = parent;
    const { clock, random, recorder, name, queue, heldUntil, throttle } = config;
    const given = config.limitOf(this.key);
    this.limit = isAdaptive(given) ? new UpstreamLimit(given, clock) : undefined;
    // What is neither a number nor a limit is refused by the gate, which says what it expected.
    const maxInFlight = this.limit ?? (given as number);
    const gateRecorder = recorder && { recorder: upstreamRecorder(recorder, text) };
    this.#gate = createGate({
      maxInFlight,
      heldUntil,
      ...(queue && { queue }),
      clock,
      random,
      ...gateRecorder,
      name,
    });
    const own = { name, recorder: { record: (event: SluiceEvent) => this.#record(event) } };
    this.#throttle = throttle
      ? adaptiveThrottle({ ...throttle, ...own, clock, random })
      : undefined;
    this.#budget = budgetOf(config.retryBudget, own);
  }

  /** Whether nobody is in flight or waits. */
  get isIdle(): boolean {
    return this.#present === 0;
  }

  get pausedForMs(): Milliseconds {
    return Math.max(0, this.#pausedUntilMs - this.#config.clock.nowMs());
  }

  async enter(given: UpstreamEnterOptions): Promise<UpstreamVerdict> {
    const options = readUpstreamEnterOptions(given);
    const { clock } = this.#config;
    const enteredMs = clock.nowMs();
    const held: OutboundPermit[] = [this.#presence()];
    let refused: Rejected | undefined;
    try {
      refused = this.#judge(options, held) ?? (await this.#takeSlots(options, enteredMs, held));
    } catch (error) {
      giveBack(held);
      throw error;
    }
    if (refused !== undefined) {
      giveBack(held);
      return this.#count(refused);
    }
    this.#admitted += 1;
    const waitedMs = clock.nowMs() - enteredMs;
    const onRefused = (refusal: UpstreamRefusal) => this.#onRefused(refusal);
    // What was taken last goes back first, so that the parent's slot is free before the own one.
    return outboundAdmitted(new CombinedPermit({ waitedMs, parts: held.reverse(), onRefused }));
  }

  pause(waitMs: Milliseconds): void {
    const { clock, pauseMaxMs, name } = this.#config;
    const untilMs = clock.nowMs() + Math.min(Math.ceil(waitMs), pauseMaxMs);
    if (untilMs <= this.#pausedUntilMs || waitMs <= 0) return;
    this.#pausedUntilMs = untilMs;
    const event = { type: "upstream_paused", outbound: name, upstream: this.text } as const;
    record(this.#config.recorder, { ...event, waitMs: this.pausedForMs });
  }

  stats(): UpstreamStats {
    const { inFlight, queued } = this.#gate.stats();
    return {
      key: this.key,
      upstream: this.text,
      limit: this.#gate.settings.maxInFlight,
      inFlight,
      queued,
      pausedForMs: this.pausedForMs,
      admitted: this.#admitted,
      rejectedByReason: Object.fromEntries(this.#rejectedByReason),
    };
  }

  /** Refuses everybody from now on; resolves when the last permit is back. */
  async drain(): Promise<void> {
    await this.#gate.drain();
    this.limit?.close();
  }

  /** Counts a call from here to its end. */
  #presence(): OutboundPermit {
    this.#present += 1;
    return {
      firstByte() {},
      end: () => {
        this.#present -= 1;
      },
    };
  }

  /** What can be said at once. What the call then holds is added to `held`. */
  #judge(options: ReadEnterOptions, held: OutboundPermit[]): Rejected | undefined {
    if (options.signal?.aborted) return this.#refuse("aborted");
    const paused = this.#pauseRefusal();
    if (paused !== undefined) return paused;
    const attempt = this.#startAttempt(options.attempt);
    if (attempt?.admitted === false) return attempt;
    if (attempt !== undefined) held.push(attempt.permit);
    const passed = this.#throttle?.admit(options.criticality);
    if (passed?.admitted === false) return passed;
    if (passed !== undefined) held.push(passed.permit);
    return undefined;
  }

  #startAttempt(attempt: number) {
    const budget = this.#budget;
    if (budget === undefined) return undefined;
    return attempt === 1 ? outboundAdmitted(budget.start()) : budget.tryRetry({ attempt });
  }

  async #takeSlots(
    { signal, deadlineMs }: ReadEnterOptions,
    enteredMs: Milliseconds,
    held: OutboundPermit[],
  ): Promise<Rejected | undefined> {
    const { clock } = this.#config;
    const own = await this.#gate.enter({ signal, deadlineMs });
    if (!own.admitted) return refusalOf(own);
    const startedMs = clock.nowMs();
    const place = held.push(own.permit) - 1;
    if (this.#parent !== undefined) {
      const leftMs = deadlineMs - (startedMs - enteredMs);
      const shared = await this.#parent.enter({
        signal,
        deadlineMs: leftMs,
        fairnessKey: this.text,
      });
      if (!shared.admitted) return refusalOf(shared);
      held.push(shared.permit);
      held[place] = this.#startedLate(own.permit, clock.nowMs() - startedMs);
    }
    return this.#pauseRefusal();
  }

  /**
   * The own slot of a call that then waited for the parent: its limit must not hear of that wait.
   */
  #startedLate(permit: GatePermit, waitedMs: Milliseconds): OutboundPermit {
    const { limit } = this;
    if (limit === undefined || waitedMs === 0) return permit;
    return {
      firstByte: () => limit.leavingOut(waitedMs, () => permit.firstByte()),
      end: (outcome) => limit.leavingOut(waitedMs, () => permit.end(outcome)),
    };
  }

  #onRefused({ retryAfterMs = 0 }: UpstreamRefusal): void {
    this.limit?.holdGrowth(this.#config.holdGrowthMs);
    if (retryAfterMs > 0) this.pause(retryAfterMs);
  }

  #pauseRefusal(): Rejected | undefined {
    const leftMs = this.pausedForMs;
    return leftMs > 0 ? this.#refuse("paused", leftMs) : undefined;
  }

  #refuse(reason: Reason, retryAfterMs?: Milliseconds): Rejected {
    const { name } = this.#config;
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    this.#record({ type: "outbound_rejected", outbound: name, reason, ...wait });
    return outboundRejected(reason, retryAfterMs);
  }

  #count(refused: Rejected): Rejected {
    const { reason } = refused.rejection;
    this.#rejectedByReason.set(reason, (this.#rejectedByReason.get(reason) ?? 0) + 1);
    return refused;
  }

  /** Adds which upstream it was to what throttle and budget report. */
  #record(event: SluiceEvent): void {
    if (event.type !== "outbound_rejected") return;
    record(this.#config.recorder, { ...event, upstream: this.text });
  }
}

function isAdaptive(limit: unknown): limit is AdaptiveLimit {
  return typeof (limit as AdaptiveLimit | undefined)?.onChange === "function";
}

function budgetOf(
  given: UpstreamsConfig["retryBudget"],
  own: Parameters<typeof retryBudget>[0],
): RetryBudget | undefined {
  if (given === false) return undefined;
  return "tryRetry" in given ? given : retryBudget({ ...given, ...own });
}

/** Of a gate's refusal what every refusal has. */
function refusalOf({
  admitted,
  rejection,
  statuses,
}: Extract<GateVerdict, { admitted: false }>): Rejected {
  return { admitted, rejection, statuses };
}

function giveBack(held: readonly OutboundPermit[]): void {
  for (const permit of [...held].reverse()) permit.end("ignored");
}
