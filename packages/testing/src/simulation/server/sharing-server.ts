import type { Random } from "@sluice/core";
import { EventHeap, type EventTarget } from "../engine/event-heap";
import type { SimulationClock } from "../engine/simulation-clock";
import { type Draw, drawOf } from "../scenario/distribution";
import type { ServerModel, ServerStep } from "../scenario/scenario";
import type { Job, SimulatedServer } from "./simulated-server";

/**
 * Processor sharing: all work is worked on at once, each piece at the speed min(1, slots / pieces).
 *
 * State: `progress`, the work in milliseconds that each piece has got since the start if it was
 * there all the time. A piece that comes at progress p and needs s ends when progress is p + s, so
 * a change of speed moves one event (the next end) and no piece. Invariant: the sum of what pieces
 * got in any interval is its length x min(slots, pieces).
 */
export class SharingServer implements SimulatedServer, EventTarget {
  readonly #clock: SimulationClock;
  readonly #random: Random;
  readonly #isCancelled: boolean;
  readonly #ends = new EventHeap();
  #slots: number;
  #drawService: Draw;
  #isHanging = false;
  #busy = 0;
  #progressMs = 0;
  #progressAtMs = 0;
  #ticket = 0;

  constructor(model: ServerModel, clock: SimulationClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
    this.#isCancelled = model.abandoned === "cancel";
    this.#slots = model.slots;
    this.#drawService = drawOf(model.service, random);
  }

  get busy(): number {
    return this.#busy;
  }

  /** Nothing waits: all work shares. */
  get queued(): number {
    return 0;
  }

  submit(job: Job): void {
    this.#catchUp();
    const piece = new Piece(job, this);
    job.work = piece;
    this.#busy += 1;
    this.#ends.add(this.#progressMs + (job.service ?? this.#drawService)(), piece);
    this.#awaitNextEnd();
  }

  abandon(job: Job): void {
    const piece = job.work;
    if (!(piece instanceof Piece) || piece.isOver || piece.isAbandoned) return;
    piece.isAbandoned = true;
    if (!this.#isCancelled) return;
    this.#catchUp();
    piece.isOver = true;
    this.#busy -= 1;
    this.#awaitNextEnd();
  }

  apply({ slots, service, isHanging }: ServerStep): void {
    this.#catchUp();
    if (service !== undefined) this.#drawService = drawOf(service, this.#random);
    if (isHanging !== undefined) this.#isHanging = isHanging;
    if (slots !== undefined) this.#slots = slots;
    this.#awaitNextEnd();
  }

  /** The next end has come, unless something has changed since it was computed. */
  run(ticket: number): void {
    if (ticket !== this.#ticket) return;
    // Exactly there: a sum of rounded steps might fall short of it for ever.
    this.#progressMs = this.#ends.nextDueMs;
    this.#progressAtMs = this.#clock.exactMs;
    this.#ends.runNext();
  }

  /** A piece has got what it needs, or what it would have needed if it is over already. */
  reached(piece: Piece): void {
    if (!piece.isOver) {
      piece.isOver = true;
      this.#busy -= 1;
    }
    const isAnswered = !piece.isAbandoned;
    this.#awaitNextEnd();
    if (isAnswered) piece.job.onDone();
  }

  #speed(): number {
    if (this.#isHanging || this.#busy === 0) return 0;
    return Math.min(1, this.#slots / this.#busy);
  }

  #catchUp(): void {
    const nowMs = this.#clock.exactMs;
    this.#progressMs += (nowMs - this.#progressAtMs) * this.#speed();
    this.#progressAtMs = nowMs;
  }

  #awaitNextEnd(): void {
    const speed = this.#speed();
    const restMs = this.#ends.nextDueMs - this.#progressMs;
    this.#ticket = 0;
    if (speed === 0 || restMs === Number.POSITIVE_INFINITY) return;
    this.#ticket = this.#clock.at(this.#clock.exactMs + Math.max(0, restMs) / speed, this);
  }
}

/** A piece of work, also the event of its end on the line of progress. */
class Piece implements EventTarget {
  readonly job: Job;
  readonly #server: SharingServer;
  isAbandoned = false;
  isOver = false;

  constructor(job: Job, server: SharingServer) {
    this.job = job;
    this.#server = server;
  }

  run(): void {
    this.#server.reached(this);
  }
}
