import type { Reason } from "@sluice/core";
import type { Visitor } from "../door/door";
import type { EventTarget } from "../engine/event-heap";
import type { Draw } from "../scenario/distribution";
import type { Job } from "../server/simulated-server";

/** What the requests of one source have in common, while a scenario runs. */
export interface SourceOrigin {
  readonly name: string;
  readonly class: string | undefined;
  readonly fairnessKey: string | undefined;
  readonly service: Draw | undefined;
  /** A request of the source, with all its attempts, is over. */
  onSettled(): void;
}

/** Whoever leads attempts through door and server. */
export interface VisitGuide {
  /** Milliseconds until the client of an attempt gives up. */
  readonly patienceMs: number;
  admitted(visit: Visit): void;
  rejected(visit: Visit, reason: Reason): void;
  firstByte(visit: Visit): void;
  done(visit: Visit): void;
  timedOut(visit: Visit): void;
  fail(error: unknown): void;
}

/** Where an attempt comes from, and when. */
export interface VisitStart {
  readonly origin: SourceOrigin;
  /** 1 for the first attempt of a request. */
  readonly attempt: number;
  readonly arrivedAtMs: number;
}

/**
 * One attempt of a request: it comes to the door, is let in or refused, is worked on, and ends
 * exactly once: answered, refused, or given up by its client. What comes later, comes to nobody.
 */
export class Visit implements Visitor, Job, EventTarget {
  readonly origin: SourceOrigin;
  readonly attempt: number;
  readonly arrivedAtMs: number;
  readonly patienceMs: number;
  pass: unknown;
  work: object | undefined;
  isAdmitted = false;
  hasFirstByte = false;
  isEnded = false;
  readonly #guide: VisitGuide;

  constructor(guide: VisitGuide, { origin, attempt, arrivedAtMs }: VisitStart) {
    this.#guide = guide;
    this.origin = origin;
    this.attempt = attempt;
    this.arrivedAtMs = arrivedAtMs;
    this.patienceMs = guide.patienceMs;
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
    this.#guide.admitted(this);
  }

  onRejected(reason: Reason): void {
    this.#guide.rejected(this, reason);
  }

  onFailed(error: unknown): void {
    this.#guide.fail(error);
  }

  onFirstByte(): void {
    this.#guide.firstByte(this);
  }

  onDone(): void {
    this.#guide.done(this);
  }

  /** Its patience is over. */
  run(): void {
    this.#guide.timedOut(this);
  }
}
