import type { Reason } from "@sluice/core";
import type { Visitor } from "../door/door";
import type { EventTarget } from "../engine/event-heap";
import type { Draw } from "../scenario/distribution";
import type { Job } from "../server/simulated-server";
import type { Traffic } from "./traffic";

/** What the requests of one source have in common, while a scenario runs. */
export interface SourceOrigin {
  readonly name: string;
  readonly class: string | undefined;
  readonly fairnessKey: string | undefined;
  readonly service: Draw | undefined;
  /** A request of the source, with all its attempts, is over. */
  onSettled(): void;
}

/**
 * One attempt of a request: it comes to the door, is let in or refused, is worked on, and ends
 * exactly once: answered, refused, or given up by its client. What comes later, comes to nobody.
 */
export class Visit implements Visitor, Job, EventTarget {
  readonly origin: SourceOrigin;
  /** 1 for the first attempt of a request. */
  readonly attempt: number;
  readonly arrivedAtMs: number;
  readonly patienceMs: number;
  pass: unknown;
  work: object | undefined;
  isAdmitted = false;
  hasFirstByte = false;
  isEnded = false;
  readonly #traffic: Traffic;

  constructor(traffic: Traffic, origin: SourceOrigin, attempt: number) {
    this.#traffic = traffic;
    this.origin = origin;
    this.attempt = attempt;
    this.arrivedAtMs = traffic.clock.exactMs;
    this.patienceMs = traffic.patienceMs;
  }

  get class(): string | undefined {
    return this.origin.class;
  }

  get fairnessKey(): string | undefined {
    return this.origin.fairnessKey;
  }

  get source(): string {
    return this.origin.name;
  }

  get service(): Draw | undefined {
    return this.origin.service;
  }

  onAdmitted(): void {
    this.#traffic.admitted(this);
  }

  onRejected(reason: Reason): void {
    this.#traffic.rejected(this, reason);
  }

  onFailed(error: unknown): void {
    this.#traffic.fail(error);
  }

  onFirstByte(): void {
    this.#traffic.firstByte(this);
  }

  onDone(): void {
    this.#traffic.done(this);
  }

  /** Its patience is over. */
  run(): void {
    this.#traffic.timedOut(this);
  }
}
