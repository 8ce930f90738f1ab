import type { Milliseconds } from "../limit/limit";
import type { Reason } from "../verdict/verdict";
import { requireEnterOptions } from "./enter-options";
import type { EnterOptions, Gate, GateSettings, GateStats, GateUpdate, GateVerdict } from "./gate";
import type { GateConfig } from "./gate-options";
import { type SlotEnd, SlotPermit } from "./gate-permit";
import { GateReport, type Refusal } from "./gate-report";
import { type SettingsState, updatedSettings } from "./gate-settings";
import { HoldTime } from "./hold-time";
import { WaitQueue } from "../queue/wait-queue";
import { Waiter } from "./waiter";

const noOptions: EnterOptions = Object.freeze({});
const noStatuses = Object.freeze([]);

/**
 * The gate of one process. A slot that comes free is handed over inside the same call, so between
 * two calls from outside this holds: whoever waits, waits because in flight >= cap, the mode is
 * `enforce` and the gate is not draining. A newcomer can therefore not slip in between a slot's end
 * and the waiter that gets it. State is complete before any callback runs; a recorder or `onReject`
 * that calls the gate finds it consistent.
 */
export class InFlightGate implements Gate {
  readonly #config: GateConfig;
  readonly #report: GateReport;
  readonly #queue = new WaitQueue<Waiter>();
  readonly #holdTime = new HoldTime();
  #state: SettingsState;
  #inFlight = 0;
  #drained: Promise<void> | undefined;
  #resolveDrained: () => void = () => {};

  constructor(config: GateConfig) {
    this.#config = config;
    this.#state = config.initial;
    this.#report = new GateReport(config);
  }

  get settings(): GateSettings {
    return this.#state.settings;
  }

  get isDraining(): boolean {
    return this.#drained !== undefined;
  }

  get hasRoom(): boolean {
    return this.#queue.length === 0 && this.#inFlight < this.#state.settings.maxInFlight;
  }

  enter(options: EnterOptions = noOptions): Promise<GateVerdict> {
    try {
      requireEnterOptions(options);
    } catch (error) {
      return Promise.reject(error);
    }
    const nowMs = this.#config.clock.nowMs();
    const judgement = this.#judgeNewcomer(options);
    if (judgement === "wait") return this.#wait(nowMs, options);
    return Promise.resolve(this.#conclude(judgement, nowMs, 0));
  }

  stats(): GateStats {
    return { inFlight: this.#inFlight, queued: this.#queue.length, ...this.#report.counts() };
  }

  update(update: GateUpdate): void {
    this.#state = updatedSettings(this.#state, update);
    this.#startWaiters();
  }

  drain(): Promise<void> {
    if (this.#drained !== undefined) return this.#drained;
    const drained = new Promise<void>((resolve) => {
      this.#resolveDrained = resolve;
    });
    this.#drained = drained;
    const nowMs = this.#config.clock.nowMs();
    for (let waiter = this.#queue.takeFirst(); waiter; waiter = this.#queue.takeFirst()) {
      waiter.settle(this.#conclude("draining", nowMs, nowMs - waiter.enteredAtMs));
    }
    if (this.#inFlight === 0) this.#resolveDrained();
    return drained;
  }

  /**
   * The order of the reasons: first what no slot could change (the caller has gone, the gate
   * closes, no time is left), then what the queue says.
   */
  #judgeNewcomer({ signal, deadlineMs = Number.POSITIVE_INFINITY }: EnterOptions) {
    if (signal?.aborted) return "aborted";
    if (this.#drained !== undefined) return "draining";
    const { mode, maxInFlight, queue } = this.#state.settings;
    if (mode === "off") return "start";
    if (deadlineMs <= 0) return "deadline_unreachable";
    const queued = this.#queue.length;
    if (queued === 0 && this.#inFlight < maxInFlight) return "start";
    if (mode === "shadow" || queued >= queue.max) return "queue_full";
    const waitMs = this.#holdTime.predictedWaitMs({ place: queued + 1, cap: maxInFlight });
    return waitMs > Math.min(queue.timeoutMs, deadlineMs) ? "deadline_unreachable" : "wait";
  }

  /**
   * For the waiter whose turn has come: a slot is free, or the mode does not hold it back any more.
   */
  #judgeWaiter(waiter: Waiter, nowMs: Milliseconds) {
    const { mode, maxInFlight } = this.#state.settings;
    if (mode === "off") return "start";
    if (waiter.isOverAt(nowMs)) return waiter.overReason;
    return this.#inFlight < maxInFlight ? "start" : "queue_full";
  }

  #wait(enteredAtMs: Milliseconds, options: EnterOptions): Promise<GateVerdict> {
    const { deadlineMs = Number.POSITIVE_INFINITY, signal } = options;
    const { timeoutMs } = this.settings.queue;
    const waiter = new Waiter({ enteredAtMs, timeoutMs, deadlineMs, signal });
    const leave = this.#queue.append(waiter);
    waiter.startWaiting(this.#config.clock, (reason) => {
      if (!leave()) return;
      const nowMs = this.#config.clock.nowMs();
      waiter.settle(this.#conclude(reason, nowMs, nowMs - enteredAtMs));
    });
    return waiter.verdict;
  }

  #startWaiters(): void {
    while (this.#hasRoom()) {
      const waiter = this.#queue.takeFirst();
      if (waiter === undefined) return;
      const nowMs = this.#config.clock.nowMs();
      const judgement = this.#judgeWaiter(waiter, nowMs);
      waiter.settle(this.#conclude(judgement, nowMs, nowMs - waiter.enteredAtMs));
    }
  }

  #hasRoom(): boolean {
    const { mode, maxInFlight } = this.settings;
    return mode !== "enforce" || this.#inFlight < maxInFlight;
  }

  #conclude(judgement: "start" | Reason, nowMs: Milliseconds, waitedMs: Milliseconds): GateVerdict {
    if (judgement === "start") return this.#start(nowMs, waitedMs);
    const inFlight = this.#inFlight;
    const refusal = { reason: judgement, waitedMs, inFlight, queued: this.#queue.length };
    if (this.#isEnforced(judgement)) return this.#report.rejected(refusal);
    return this.#start(nowMs, waitedMs, refusal);
  }

  /** Draining and aborted are facts, not a policy about load: nothing lets those in. */
  #isEnforced(reason: Reason): boolean {
    if (reason === "draining" || reason === "aborted") return true;
    const { mode, enforceRatio } = this.settings;
    if (mode !== "enforce") return false;
    return enforceRatio === 1 || this.#config.random.next() < enforceRatio;
  }

  #start(nowMs: Milliseconds, waitedMs: Milliseconds, unenforced?: Refusal): GateVerdict {
    this.#inFlight += 1;
    const start = { startedAtMs: nowMs, waitedMs };
    const permit = new SlotPermit(start, this.#config.clock, this.#onEnd);
    this.#report.admitted(waitedMs, unenforced);
    return { admitted: true, permit, statuses: noStatuses };
  }

  readonly #onEnd = (end: SlotEnd): void => {
    this.#inFlight -= 1;
    this.#holdTime.add(end.heldMs);
    this.#report.ended(end);
    this.#startWaiters();
    if (this.#inFlight === 0) this.#resolveDrained();
  };
}
