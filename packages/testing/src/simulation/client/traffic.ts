import type { Random, Reason } from "@sluice/core";
import type { Door } from "../door/door";
import type { EventTarget } from "../engine/event-heap";
import type { SimulationClock } from "../engine/simulation-clock";
import type { LevelMeter } from "../measure/level-meter";
import type { Meter, SecondCounts } from "../measure/meter";
import type { ClientModel } from "../scenario/scenario";
import type { SimulatedServer } from "../server/simulated-server";
import { type SourceOrigin, Visit, type VisitGuide } from "./visit";

/** What traffic meets. */
export interface TrafficWorld {
  readonly clock: SimulationClock;
  /** Chance of the waits before retries. */
  readonly random: Random;
  readonly door: Door;
  readonly server: SimulatedServer;
  readonly client: ClientModel;
  readonly total: Meter;
  /** Of each source by its name; empty if there is only one. */
  readonly metersBySource: ReadonlyMap<string, Meter>;
  readonly levels: LevelMeter;
  /** Hears of every end of an attempt, for traces. */
  readonly onEnd: ((visit: Visit, end: VisitEnd, reason?: Reason) => void) | undefined;
}

/** How an attempt ended for its client. */
export type VisitEnd = "completed" | "rejected" | "timedOut";

/** Leads every attempt through door and server, and lets clients give up and try again. */
export class Traffic implements VisitGuide {
  readonly clock: SimulationClock;
  readonly patienceMs: number;
  readonly #world: TrafficWorld;
  readonly #total: Meter;
  #failure: { readonly error: unknown } | undefined;

  constructor(world: TrafficWorld) {
    this.#world = world;
    this.clock = world.clock;
    this.patienceMs = world.client.timeoutMs ?? Number.POSITIVE_INFINITY;
    this.#total = world.total;
  }

  /** What the door failed with, if it did. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** A new request of a source comes to the door. */
  arrive(origin: SourceOrigin): void {
    this.#count("requests", origin);
    this.attempt(origin, 1);
  }

  attempt(origin: SourceOrigin, attempt: number): void {
    const visit = new Visit(this, { origin, attempt, arrivedAtMs: this.clock.exactMs });
    this.#count("attempts", origin);
    if (this.patienceMs !== Number.POSITIVE_INFINITY) {
      this.clock.at(this.clock.exactMs + this.patienceMs, visit);
    }
    this.#world.door.enter(visit);
    this.#observe();
  }

  admitted(visit: Visit): void {
    const { door, server } = this.#world;
    visit.isAdmitted = true;
    // Let in at the very moment its client had gone: the work is not begun.
    if (visit.isEnded) {
      door.end(visit, "ignored");
      return;
    }
    this.#count("started", visit.origin);
    server.submit(visit);
    this.#observe();
  }

  rejected(visit: Visit, reason: Reason): void {
    if (visit.isEnded) return;
    this.#end(visit, "rejected", reason);
  }

  firstByte(visit: Visit): void {
    if (visit.isEnded) return;
    const nowMs = this.clock.exactMs;
    visit.hasFirstByte = true;
    const meter = this.#meterOf(visit.origin);
    this.#total.firstBytes.add(nowMs, nowMs - visit.arrivedAtMs);
    meter?.firstBytes.add(nowMs, nowMs - visit.arrivedAtMs);
    this.#world.door.firstByte(visit);
    this.#observe();
  }

  done(visit: Visit): void {
    if (visit.isEnded) return;
    const nowMs = this.clock.exactMs;
    const latencyMs = nowMs - visit.arrivedAtMs;
    this.#total.latencies.add(nowMs, latencyMs);
    this.#meterOf(visit.origin)?.latencies.add(nowMs, latencyMs);
    visit.isEnded = true;
    this.#world.door.end(visit, "success");
    this.#end(visit, "completed");
  }

  timedOut(visit: Visit): void {
    if (visit.isEnded || visit.hasFirstByte) return;
    visit.isEnded = true;
    if (visit.isAdmitted) {
      this.#world.server.abandon(visit);
      this.#world.door.end(visit, "dropped");
    }
    this.#end(visit, "timedOut");
  }

  #end(visit: Visit, end: VisitEnd, reason?: Reason): void {
    visit.isEnded = true;
    this.#count(end, visit.origin);
    this.#world.onEnd?.(visit, end, reason);
    this.#observe();
    if (end !== "completed" && this.#retry(visit, end)) return;
    if (end !== "completed") this.#count("failed", visit.origin);
    visit.origin.onSettled();
  }

  #retry(visit: Visit, end: "rejected" | "timedOut"): boolean {
    const { retries } = this.#world.client;
    if (retries === undefined || visit.attempt > retries.max) return false;
    const { after = ["rejected", "timeout"], backoff = 1 } = retries;
    if (!after.includes(end === "rejected" ? "rejected" : "timeout")) return false;
    const { delayMinMs, delayMaxMs } = retries;
    const firstMs = delayMinMs + (delayMaxMs - delayMinMs) * this.#world.random.next();
    const delayMs = firstMs * backoff ** (visit.attempt - 1);
    this.clock.at(this.clock.exactMs + delayMs, new Retry(this, visit));
    return true;
  }

  #count(what: keyof SecondCounts, origin: SourceOrigin): void {
    const nowMs = this.clock.exactMs;
    this.#total.count(what, nowMs);
    this.#meterOf(origin)?.count(what, nowMs);
  }

  #meterOf(origin: SourceOrigin): Meter | undefined {
    return this.#world.metersBySource.get(origin.name);
  }

  #observe(): void {
    const { door, server, levels } = this.#world;
    levels.observe(this.clock.exactMs, door.limit, door.inFlight, server.busy);
  }
}

/** The next attempt of a request, when its wait is over. */
class Retry implements EventTarget {
  readonly #traffic: Traffic;
  readonly #visit: Visit;

  constructor(traffic: Traffic, visit: Visit) {
    this.#traffic = traffic;
    this.#visit = visit;
  }

  run(): void {
    this.#traffic.attempt(this.#visit.origin, this.#visit.attempt + 1);
  }
}
