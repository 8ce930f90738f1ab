import type { GateUpdate } from "@sluice/core";
import { draws } from "./draws";
import type { Scenario } from "./scenario";

/** What a caller is told. */
export type Answer =
  | { readonly waitedMs: number }
  | { readonly reason: string; readonly inFlight: number; readonly queued: number };

/** One request as the model sees it. */
export interface Asked {
  readonly id: number;
  readonly enteredAt: number;
  readonly bound: number;
  readonly boundReason: string;
  state: "new" | "waiting" | "running" | "gone";
  startedAt: number;
  answer: Answer | undefined;
}

/**
 * A gate as a list: it keeps every request it ever saw, counts by filtering, and lets time pass one
 * millisecond at a time. It shares nothing with the real one but the wording of the rules.
 */
export class NaiveGate {
  now = 0;
  readonly asked: Asked[] = [];
  readonly holds: number[] = [];
  readonly draw = draws();
  isDraining = false;
  shadowed = 0;
  mode = "enforce";
  cap: number;
  queueMax: number | undefined;
  timeout: number;
  ratio: number;
  readonly late: number;

  constructor(scenario: Scenario) {
    this.cap = scenario.cap;
    this.queueMax = scenario.queueMax;
    this.timeout = scenario.timeoutMs;
    this.ratio = scenario.enforceRatio;
    this.late = scenario.timersLateMs;
  }

  all(state: Asked["state"]) {
    return this.asked.filter((each) => each.state === state);
  }

  enter(deadline: number, isAborted: boolean) {
    const bound = Math.min(deadline, this.timeout);
    const boundReason = deadline < this.timeout ? "deadline_unreachable" : "queue_timeout";
    const one: Asked = {
      id: this.asked.length,
      enteredAt: this.now,
      bound,
      boundReason,
      state: "new",
      startedAt: -1,
      answer: undefined,
    };
    this.asked.push(one);
    const queued = this.all("waiting").length;
    const isFull = queued > 0 || this.all("running").length >= this.cap;
    if (isAborted) this.refuse(one, "aborted");
    else if (this.isDraining) this.refuse(one, "draining");
    else if (this.mode === "off") this.start(one);
    else if (deadline <= 0) this.refuse(one, "deadline_unreachable");
    else if (!isFull) this.start(one);
    else if (this.mode === "shadow") this.refuse(one, "queue_full");
    else if (queued >= (this.queueMax ?? this.cap)) this.refuse(one, "queue_full");
    else if (((queued + 1) * this.meanHold()) / this.cap > bound) {
      this.refuse(one, "deadline_unreachable");
    } else one.state = "waiting";
  }

  meanHold(): number {
    let mean = 0;
    for (const [index, hold] of this.holds.entries()) {
      mean += (hold - mean) / (index < 32 ? index + 1 : 32);
    }
    return mean;
  }

  start(one: Asked) {
    one.state = "running";
    one.startedAt = this.now;
    one.answer = { waitedMs: this.now - one.enteredAt };
  }

  refuse(one: Asked, reason: string) {
    one.state = "gone";
    const isPolicy = reason !== "aborted" && reason !== "draining";
    const escapes =
      isPolicy && (this.mode !== "enforce" || (this.ratio < 1 && this.draw() >= this.ratio));
    const [inFlight, queued] = [this.all("running").length, this.all("waiting").length];
    if (!escapes) {
      one.answer = { reason, inFlight, queued };
      return;
    }
    this.shadowed += 1;
    this.start(one);
  }

  serve() {
    for (;;) {
      const [one] = this.all("waiting");
      const isFull = this.all("running").length >= this.cap;
      if (one === undefined || (this.mode === "enforce" && isFull)) return;
      if (this.mode === "off") this.start(one);
      else if (this.now - one.enteredAt >= one.bound) this.refuse(one, one.boundReason);
      else if (isFull) this.refuse(one, "queue_full");
      else this.start(one);
    }
  }

  end(one: Asked) {
    one.state = "gone";
    this.holds.push(this.now - one.startedAt);
    this.serve();
  }

  advance(ms: number) {
    for (let passed = 0; passed < ms; passed++) {
      this.now += 1;
      for (const one of this.all("waiting")) {
        if (one.enteredAt + one.bound + this.late === this.now) this.refuse(one, one.boundReason);
      }
    }
  }

  update(update: GateUpdate) {
    this.cap = typeof update.maxInFlight === "number" ? update.maxInFlight : this.cap;
    this.queueMax = update.queue?.max ?? this.queueMax;
    this.timeout = update.queue?.timeoutMs ?? this.timeout;
    this.mode = update.mode ?? this.mode;
    this.ratio = update.enforceRatio ?? this.ratio;
    this.serve();
  }

  drain() {
    this.isDraining = true;
    for (const one of this.all("waiting")) this.refuse(one, "draining");
  }
}
