import type { Milliseconds } from "../limit/limit";
import { ClassQueues, type Place } from "../queue/class-queues";
import type { Reason } from "../verdict/verdict";
import { requireEnterOptions } from "./enter-options";
import { predictedWaitMs } from "./forecast";
import type { EnterOptions, Gate, GateSettings, GateStats, GateUpdate, GateVerdict } from "./gate";
import type { GateConfig } from "./gate-options";
import { type SlotEnd, type SlotKeeper, SlotPermit } from "./gate-permit";
import { GateReport, type Refusal } from "./gate-report";
import { followedSettings, type SettingsState, updatedSettings } from "./gate-settings";
import { LimitLink } from "./limit-link";
import { classRules, type LiveClass } from "./live-class";
import { LiveClasses } from "./live-classes";
import { retryHintMs } from "./retry-hint";
import { Slots } from "./slots";
import { Waiter } from "./waiter";

const noOptions: EnterOptions = Object.freeze({});
const noStatuses = Object.freeze([]);

/**
 * The gate of one process. A slot that comes free is handed over inside the same call, so between
 * two calls from outside this holds: whoever waits, waits because there is no room for its class,
 * the mode is `enforce` and the gate is not draining. A newcomer can therefore not slip in between
 * a slot's end and the waiter that gets it. State is complete before any callback runs; a recorder,
 * an adaptive limit or `onReject` that calls the gate finds it consistent.
 *
 * A gate without classes is one with a single nameless class.
 */
export class InFlightGate implements Gate, SlotKeeper {
  readonly #config: GateConfig;
  readonly #report: GateReport;
  readonly #classes: LiveClasses;
  readonly #queue: ClassQueues<Waiter>;
  readonly #slots: Slots;
  readonly #link: LimitLink;
  #state: SettingsState;
  /**
   * Permits that have not been ended; more than slots in use if those are held until first bytes.
   */
  #open = 0;
  #drained: Promise<void> | undefined;
  #resolveDrained: () => void = () => {};

  constructor(config: GateConfig) {
    this.#config = config;
    this.#state = config.initial;
    this.#report = new GateReport(config);
    this.#classes = new LiveClasses(config.initial.classes, config.defaultClass);
    this.#queue = new ClassQueues(classRules(config.initial.classes));
    this.#slots = new Slots(this.#classes.all, this.settings.maxInFlight);
    this.#link = new LimitLink(() => this.#follow());
    this.#link.to(config.initial.limit);
  }

  get settings(): GateSettings {
    return this.#state.settings;
  }

  get isDraining(): boolean {
    return this.#drained !== undefined;
  }

  get hasRoom(): boolean {
    if (this.isDraining || this.settings.mode !== "enforce") return !this.isDraining;
    if (this.#queue.length > 0) return false;
    return this.#classes.all.every((each) => this.#slots.hasRoomFor(each));
  }

  get wantsFirstByte(): boolean {
    return this.#state.limit !== undefined || this.#config.heldUntil === "first-byte";
  }

  enter(options: EnterOptions = noOptions): Promise<GateVerdict> {
    if (options !== noOptions) {
      try {
        requireEnterOptions(options, this.#classes.byName);
      } catch (error) {
        return Promise.reject(error);
      }
    }
    const by = this.#classes.of(options.class);
    const nowMs = this.#config.clock.nowMs();
    const judgement = this.#judgeNewcomer(options, by);
    const verdict =
      judgement === "wait"
        ? this.#wait(nowMs, options, by)
        : Promise.resolve(this.#conclude(judgement, by, nowMs, 0));
    if (this.#queue.length > 0 && this.#state.limit !== undefined) {
      // The limit may have changed when it heard that there was no room.
      this.#startWaiters();
      this.#startProbe();
    }
    return verdict;
  }

  stats(): GateStats {
    return this.#classes.stats(this.#queue);
  }

  update(update: GateUpdate): void {
    const next = updatedSettings(this.#state, update);
    if (!this.isDraining) this.#link.to(next.limit);
    this.#state = next;
    for (const rule of classRules(this.#state.classes)) this.#queue.setClass(rule);
    this.#classes.apply(this.#state.classes);
    this.#slots.resize(this.settings.maxInFlight);
    this.#startWaiters();
  }

  drain(): Promise<void> {
    if (this.#drained !== undefined) return this.#drained;
    const drained = new Promise<void>((resolve) => {
      this.#resolveDrained = resolve;
    });
    this.#drained = drained;
    this.#link.to(undefined);
    const nowMs = this.#config.clock.nowMs();
    for (let place = this.#queue.next(); place; place = this.#queue.next()) {
      this.#queue.leave(place);
      this.#answer(place.item, "draining", nowMs);
    }
    if (this.#open === 0) this.#resolveDrained();
    return drained;
  }

  /** A first byte ends the sample of a stream, and perhaps its hold of the slot. */
  onFirstByte(by: LiveClass, inFlight: number, firstByteMs: Milliseconds): void {
    const isFreed = this.#config.heldUntil === "first-byte";
    if (isFreed) this.#free(by, firstByteMs);
    this.#link.sample({ latencyMs: firstByteMs, inFlight, outcome: "success" });
    if (isFreed) this.#startWaiters();
  }

  onEnd(by: LiveClass, inFlight: number, end: SlotEnd): void {
    const { heldMs, outcome, firstByteMs } = end;
    this.#open -= 1;
    if (firstByteMs === undefined || this.#config.heldUntil === "end") this.#free(by, heldMs);
    // What came after a first byte is the length of the answer, unless load has cut it off.
    const isSample = firstByteMs === undefined || outcome === "dropped";
    if (isSample && this.#state.limit !== undefined) {
      this.#link.sample({ latencyMs: heldMs, inFlight, outcome });
    }
    this.#report.ended(by, end);
    this.#startWaiters();
    if (this.#open === 0) this.#resolveDrained();
  }

  /** The adaptive limit has changed. */
  #follow(): void {
    this.#state = followedSettings(this.#state);
    this.#slots.resize(this.settings.maxInFlight);
    this.#startWaiters();
  }

  /**
   * The order of the reasons: first what no slot could change (the caller has gone, the gate
   * closes, no time is left), then what the queue says.
   */
  #judgeNewcomer(options: EnterOptions, by: LiveClass): "start" | "wait" | Reason {
    const { signal, fairnessKey, deadlineMs = Number.POSITIVE_INFINITY } = options;
    if (signal?.aborted) return "aborted";
    if (this.#drained !== undefined) return "draining";
    const { mode, queue } = this.#state.settings;
    if (mode === "off") return "start";
    if (deadlineMs <= 0) return "deadline_unreachable";
    if (this.#canStart(by)) return "start";
    this.#link.onFull();
    // Who heard of it may have closed the gate, or have left.
    if (signal?.aborted) return "aborted";
    if (this.isDraining) return "draining";
    if (mode === "shadow") return "queue_full";
    if (this.#queue.length === 0 && this.#takeProbe()) return "start";
    const isFull = this.#queue.length >= queue.max;
    if (isFull && !this.#queue.toPutOutFor(by.queueName, fairnessKey)) return "queue_full";
    const waitMs = this.#predictedWaitMs(by, fairnessKey);
    return waitMs > Math.min(queue.timeoutMs, deadlineMs) ? "deadline_unreachable" : "wait";
  }

  /** Nobody waits for whom there is room, so only its own class can be before a newcomer. */
  #canStart(by: LiveClass): boolean {
    const isFirst = this.#queue.length === 0 || this.#queue.lengthOf(by.queueName) === 0;
    return isFirst && this.#slots.hasRoomFor(by);
  }

  #predictedWaitMs(by: LiveClass, fairnessKey?: string): number {
    const place = this.#queue.placeOf(by.queueName, fairnessKey);
    return predictedWaitMs(place, this.settings.maxInFlight, by, this.#classes.all);
  }

  /**
   * For the waiter whose turn has come: a slot is free, or the mode does not hold it back any more.
   */
  #judgeWaiter(waiter: Waiter, nowMs: Milliseconds): "start" | Reason {
    if (this.settings.mode === "off") return "start";
    if (waiter.isOverAt(nowMs)) return waiter.overReason;
    return this.#slots.hasRoomFor(waiter.gateClass) ? "start" : "queue_full";
  }

  #wait(enteredAtMs: Milliseconds, options: EnterOptions, by: LiveClass): Promise<GateVerdict> {
    const { deadlineMs = Number.POSITIVE_INFINITY, signal, fairnessKey } = options;
    const { max, timeoutMs } = this.settings.queue;
    const waiter = new Waiter({ enteredAtMs, timeoutMs, deadlineMs, signal, gateClass: by });
    const isFull = this.#queue.length >= max;
    const evicted = isFull ? this.#queue.toPutOutFor(by.queueName, fairnessKey) : undefined;
    if (evicted !== undefined) this.#queue.leave(evicted);
    const place = this.#queue.append(waiter, by.queueName, fairnessKey);
    waiter.startWaiting(this.#config.clock, (reason) => {
      if (this.#queue.leave(place)) this.#answer(waiter, reason, this.#config.clock.nowMs());
    });
    if (evicted !== undefined) this.#answer(evicted.item, "evicted", enteredAtMs);
    return waiter.verdict;
  }

  /** Hands free slots to those whose turn it is; who cannot use one holds up nobody else. */
  #startWaiters(): void {
    while (this.#queue.length > 0) {
      const isEnforced = this.settings.mode === "enforce";
      if (isEnforced && this.#slots.areTaken) break;
      const place = this.#queue.next();
      if (place === undefined) return;
      if (isEnforced && !this.#slots.hasRoomFor(place.item.gateClass)) this.#queue.yieldTurn(place);
      else this.#serve(place, this.#judgeWaiter(place.item, this.#config.clock.nowMs()));
    }
    this.#queue.forgetYields();
  }

  /** Starts the one whose turn it is beyond the limit, if the limit wants to know how it goes. */
  #startProbe(): void {
    for (let place = this.#queue.next(); place !== undefined; place = this.#queue.next()) {
      const { item } = place;
      const isOver = item.isOverAt(this.#config.clock.nowMs());
      if (!isOver && !this.#takeProbe()) return;
      this.#serve(place, isOver ? item.overReason : "start");
      if (!isOver) return;
    }
  }

  /**
   * A probe goes one beyond the limit: not into what is kept for other classes, and not while
   * others are beyond it, or probes that hang would pile up.
   */
  #takeProbe(): boolean {
    return this.#slots.inFlight === this.settings.maxInFlight && this.#link.takeProbe();
  }

  #serve(place: Place<Waiter>, judgement: "start" | Reason): void {
    if (judgement === "start") this.#queue.take(place);
    else this.#queue.leave(place);
    this.#answer(place.item, judgement, this.#config.clock.nowMs());
  }

  /** For a waiter that has been taken out of the queue. */
  #answer(waiter: Waiter, judgement: "start" | Reason, nowMs: Milliseconds): void {
    const waitedMs = nowMs - waiter.enteredAtMs;
    waiter.settle(this.#conclude(judgement, waiter.gateClass, nowMs, waitedMs));
  }

  #conclude(
    judgement: "start" | Reason,
    by: LiveClass,
    nowMs: Milliseconds,
    waitedMs: Milliseconds,
  ): GateVerdict {
    if (judgement === "start") return this.#start(by, nowMs, waitedMs);
    const { inFlight } = this.#slots;
    const refusal = { reason: judgement, waitedMs, inFlight, queued: this.#queue.length };
    if (!this.#isEnforced(judgement)) return this.#start(by, nowMs, waitedMs, refusal);
    const hintMs = retryHintMs(this.#config, judgement, () => this.#predictedWaitMs(by));
    return this.#report.rejected(by, refusal, hintMs);
  }

  /** Draining and aborted are facts, not a policy about load: nothing lets those in. */
  #isEnforced(reason: Reason): boolean {
    if (reason === "draining" || reason === "aborted") return true;
    const { mode, enforceRatio } = this.settings;
    if (mode !== "enforce") return false;
    return enforceRatio === 1 || this.#config.random.next() < enforceRatio;
  }

  #start(
    by: LiveClass,
    nowMs: Milliseconds,
    waitedMs: Milliseconds,
    unenforced?: Refusal,
  ): GateVerdict {
    this.#slots.start(by);
    this.#open += 1;
    const start = { startedAtMs: nowMs, waitedMs, gateClass: by, inFlight: this.#slots.inFlight };
    const permit = new SlotPermit(start, this.#config.clock, this, unenforced?.reason);
    this.#report.admitted(by, waitedMs, unenforced);
    return { admitted: true, permit, statuses: noStatuses };
  }

  #free(by: LiveClass, heldMs: Milliseconds): void {
    this.#slots.end(by);
    by.holdTime.add(heldMs);
  }
}
