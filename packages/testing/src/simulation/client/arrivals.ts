import type { Random } from "@sluice/core";
import type { EventTarget } from "../engine/event-heap";
import { type Draw, drawOf, exponential } from "../scenario/distribution";
import type {
  BurstSource,
  ClosedLoopSource,
  EvenSource,
  PoissonSource,
  Source,
} from "../scenario/scenario";
import type { Traffic } from "./traffic";
import type { SourceOrigin } from "./visit";

/** Makes the requests of a source come, from now until the run ends. */
export function startSource(source: Source, traffic: Traffic, random: Random): void {
  const service = source.service && drawOf(source.service, random);
  const origin = { ...traitsOf(source), service, onSettled: () => {} };
  switch (source.kind) {
    case "poisson":
    case "even":
      new RatedArrivals(source, origin, traffic, random).start();
      return;
    case "burst":
      new Bursts(source, origin, traffic).start();
      return;
    case "closed-loop":
      startClients(source, origin, traffic, random);
      return;
  }
}

/** The name of a source in the results. */
export function nameOf(source: Source): string {
  return source.name ?? "requests";
}

function traitsOf(source: Source) {
  return { name: nameOf(source), class: source.class, fairnessKey: source.fairnessKey };
}

/** Arrivals at a rate that may change at steps. */
class RatedArrivals implements EventTarget {
  readonly #source: PoissonSource | EvenSource;
  readonly #origin: SourceOrigin;
  readonly #traffic: Traffic;
  readonly #random: Random;
  #perMs: number;
  #ticket = 0;

  constructor(
    source: PoissonSource | EvenSource,
    origin: SourceOrigin,
    traffic: Traffic,
    random: Random,
  ) {
    this.#source = source;
    this.#origin = origin;
    this.#traffic = traffic;
    this.#random = random;
    this.#perMs = source.perSecond / 1_000;
  }

  start(): void {
    for (const step of this.#source.steps ?? []) {
      this.#traffic.clock.at(step.atMs, {
        run: () => {
          this.#perMs = step.perSecond / 1_000;
          // What was drawn at the old rate is drawn again: random arrivals have no memory.
          this.#awaitNext();
        },
      });
    }
    this.#awaitNext();
  }

  run(ticket: number): void {
    if (ticket !== this.#ticket) return;
    this.#awaitNext();
    this.#traffic.arrive(this.#origin);
  }

  #awaitNext(): void {
    this.#ticket = 0;
    if (this.#perMs === 0) return;
    const gaps = this.#source.kind === "poisson" ? exponential(this.#random) : 1;
    const { clock } = this.#traffic;
    this.#ticket = clock.at(clock.exactMs + gaps / this.#perMs, this);
  }
}

/** Many requests at one instant. */
class Bursts implements EventTarget {
  readonly #source: BurstSource;
  readonly #origin: SourceOrigin;
  readonly #traffic: Traffic;

  constructor(source: BurstSource, origin: SourceOrigin, traffic: Traffic) {
    this.#source = source;
    this.#origin = origin;
    this.#traffic = traffic;
  }

  start(): void {
    this.#traffic.clock.at(this.#source.atMs, this);
  }

  run(): void {
    const { size, everyMs } = this.#source;
    const { clock } = this.#traffic;
    if (everyMs !== undefined) clock.at(clock.exactMs + everyMs, this);
    for (let each = 0; each < size; each++) this.#traffic.arrive(this.#origin);
  }
}

/** Clients that first think, so that they do not all come at the first instant. */
function startClients(
  source: ClosedLoopSource,
  origin: SourceOrigin,
  traffic: Traffic,
  random: Random,
): void {
  const think: Draw = drawOf(source.think, random);
  for (let client = 0; client < source.clients; client++) {
    const target = { run: () => traffic.arrive({ ...origin, onSettled: thinkThenAsk }) };
    const thinkThenAsk = () => void traffic.clock.at(traffic.clock.exactMs + think(), target);
    thinkThenAsk();
  }
}
