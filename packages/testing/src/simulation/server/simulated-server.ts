import type { Draw } from "../scenario/distribution";
import type { ServerStep } from "../scenario/scenario";

/** A piece of work as the server sees it. */
export interface Job {
  /** Draws how long it takes; absent: as the server says. */
  readonly service: Draw | undefined;
  /** What the server remembers of it. */
  work: object | undefined;
  onFirstByte(): void;
  onDone(): void;
}

/** What stands behind the door. */
export interface SimulatedServer {
  /** Pieces of work that hold a slot (`fifo`), or are being worked on (`processor-sharing`). */
  readonly busy: number;
  /** Pieces of work that wait for a slot. */
  readonly queued: number;
  submit(job: Job): void;
  /** The client of the job has given up. `onFirstByte` and `onDone` are not called any more. */
  abandon(job: Job): void;
  apply(step: ServerStep): void;
}
