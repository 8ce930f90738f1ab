import type { Random } from "@sluice/core";
import type { EventTarget } from "../engine/event-heap";
import type { SimulationClock } from "../engine/simulation-clock";
import { type Draw, drawOf } from "../scenario/distribution";
import type { ServerModel, ServerStep } from "../scenario/scenario";
import { JobQueue } from "./job-queue";
import type { Job, SimulatedServer } from "./simulated-server";

/**
 * So many slots, each with one piece of work at a time, and an unbounded queue before them in the
 * order of arrival. A time is drawn when work starts, by what the server says at that instant.
 */
export class FifoServer implements SimulatedServer {
  readonly #clock: SimulationClock;
  readonly #random: Random;
  readonly #abandoned: "finish" | "skip" | "cancel";
  readonly #waiting = new JobQueue<Work>();
  readonly #running = new Set<Work>();
  #skipped = 0;
  #slots: number;
  #drawService: Draw;
  #drawFirstByte: Draw | undefined;
  #isHanging = false;

  constructor(model: ServerModel, clock: SimulationClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
    this.#abandoned = model.abandoned ?? "finish";
    this.#slots = model.slots;
    this.#drawService = drawOf(model.service, random);
    this.#drawFirstByte = model.firstByte && drawOf(model.firstByte, random);
  }

  get busy(): number {
    return this.#running.size;
  }

  get queued(): number {
    return this.#waiting.length - this.#skipped;
  }

  submit(job: Job): void {
    const work = new Work(job, this);
    job.work = work;
    if (this.#waiting.length === 0 && this.#running.size < this.#slots) this.#start(work);
    else this.#waiting.append(work);
  }

  abandon(job: Job): void {
    const work = job.work;
    if (!(work instanceof Work) || work.isOver || work.isAbandoned) return;
    work.isAbandoned = true;
    if (this.#abandoned === "finish") return;
    if (!this.#running.has(work)) this.#skipped += 1;
    else if (this.#abandoned === "cancel") this.#end(work);
  }

  apply({ slots, service, firstByte, isHanging }: ServerStep): void {
    if (service !== undefined) this.#drawService = drawOf(service, this.#random);
    if (firstByte !== undefined) this.#drawFirstByte = drawOf(firstByte, this.#random);
    if (isHanging !== undefined && isHanging !== this.#isHanging) this.#hang(isHanging);
    if (slots !== undefined) this.#slots = slots;
    this.#startWaiting();
  }

  /** The event that a piece of work has waited for. */
  reached(work: Work): void {
    if (work.untilDoneMs > 0) {
      const rest = work.untilDoneMs;
      work.untilDoneMs = 0;
      this.#await(work, rest);
      if (!work.isAbandoned) work.job.onFirstByte();
      return;
    }
    this.#end(work);
    if (!work.isAbandoned) work.job.onDone();
  }

  #start(work: Work): void {
    this.#running.add(work);
    const serviceMs = (work.job.service ?? this.#drawService)();
    if (this.#drawFirstByte === undefined) {
      this.#await(work, serviceMs);
      return;
    }
    work.untilDoneMs = serviceMs;
    this.#await(work, this.#drawFirstByte());
  }

  #await(work: Work, ms: number): void {
    work.remainingMs = ms;
    if (this.#isHanging) return;
    work.dueAtMs = this.#clock.exactMs + ms;
    work.ticket = this.#clock.at(work.dueAtMs, work);
  }

  #end(work: Work): void {
    work.isOver = true;
    work.ticket = 0;
    this.#running.delete(work);
    this.#startWaiting();
  }

  #startWaiting(): void {
    while (this.#running.size < this.#slots) {
      const work = this.#waiting.takeFirst();
      if (work === undefined) return;
      if (work.isAbandoned && this.#abandoned !== "finish") {
        work.isOver = true;
        this.#skipped -= 1;
      } else {
        this.#start(work);
      }
    }
  }

  #hang(isHanging: boolean): void {
    this.#isHanging = isHanging;
    for (const work of this.#running) {
      if (isHanging) {
        work.remainingMs = work.dueAtMs - this.#clock.exactMs;
        work.ticket = 0;
      } else {
        this.#await(work, work.remainingMs);
      }
    }
  }
}

/** A piece of work in the queue or in a slot. */
class Work implements EventTarget {
  readonly job: Job;
  readonly #server: FifoServer;
  /** Of the event it waits for; 0 if it waits for none. */
  ticket = 0;
  dueAtMs = 0;
  /** What was left of the present part when the server began to hang. */
  remainingMs = 0;
  /** What follows the first byte, until that has come; 0 if there is none. */
  untilDoneMs = 0;
  isAbandoned = false;
  isOver = false;

  constructor(job: Job, server: FifoServer) {
    this.job = job;
    this.#server = server;
  }

  run(ticket: number): void {
    if (ticket === this.ticket) this.#server.reached(this);
  }
}
