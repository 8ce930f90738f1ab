import { OptionsReader, Problems, type Recorder, type SluiceEvent } from "@sluice/core";
import { Families } from "./metric/families";
import { OTHER } from "./metric/series";
import { adaptiveHandlers } from "./record/adaptive";
import { gateHandlers } from "./record/gates";
import type { Handlers } from "./record/handlers";
import { leaseHandlers } from "./record/leases";
import { localUseHandlers } from "./record/local-use";
import { poolGauges } from "./record/pools";
import { storeHandlers } from "./record/stores";
import { upstreamHandlers } from "./record/upstreams";
import { verdictHandlers } from "./record/verdicts";
import { waitHandlers } from "./record/waits";
import type { PrometheusRecorderConfig } from "./recorder-options";
import { gateGauges, limiterGauges, limitGauges, storeGauges } from "./watch/gauges";
import { upstreamGauges } from "./watch/upstream-gauges";
import { belongsTo, groups, type Watched, WatchedThings } from "./watch/watched";

/** Counts and measures what Sluice does. Made by `prometheusRecorder`. */
export interface PrometheusRecorder extends Recorder {
  /** Counts an event; one of a limiter under the name `limiter`. Never waits. */
  record(event: SluiceEvent): void;
  /**
   * The same recorder for one limiter among several, whose series carry this name.
   *
   * @throws InvalidOptionsError if it is not a text of 1 to 64 of `[A-Za-z0-9_.-]`.
   */
  named(limiter: string): Recorder;
  /**
   * Shows the live numbers of these, read whenever the metrics are. Another one of the same name
   * takes the place of the first. Returns what ends it; until then they are held in memory.
   *
   * @throws InvalidOptionsError listing what is none of them.
   */
  watch(watched: Watched): () => void;
}

type Handler = (event: SluiceEvent, limiter: string) => void;

const LIMITER_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const DEFAULT_LIMITER = "limiter";
/** The label of all upstreams if nobody tells them apart. */
const ALL = "all";
/** The label of a throttle or a budget that belongs to no upstream. */
const NO_UPSTREAM = "none";

/** The metrics of one registry and prefix, and what feeds them. */
export class MetricsRecorder implements PrometheusRecorder {
  readonly families: Families;
  readonly #watched = new WatchedThings();
  readonly #handlers: Readonly<Record<SluiceEvent["type"], Handler>>;

  constructor({ prefix, maxSeries, buckets, upstreamLabel, clock }: PrometheusRecorderConfig) {
    const families = new Families({ prefix, maxSeries, buckets });
    this.families = families;
    const labelOf = (upstream: string | undefined) => labelOfUpstream(upstream, upstreamLabel);
    const ofUpstreams = upstreamHandlers(families, labelOf);
    const handlers: Handlers<SluiceEvent["type"]> = {
      ...verdictHandlers(families, poolGauges(families, clock, maxSeries)),
      ...leaseHandlers(families),
      ...waitHandlers(families),
      ...storeHandlers(families, clock),
      ...localUseHandlers(families),
      ...gateHandlers(families, ofUpstreams.gate),
      ...ofUpstreams.outbound,
      ...adaptiveHandlers(families),
    };
    this.#handlers = handlers as Readonly<Record<SluiceEvent["type"], Handler>>;
    limiterGauges(families, this.#watched);
    gateGauges(families, this.#watched);
    limitGauges(families, this.#watched);
    upstreamGauges(families, this.#watched, labelOf);
    storeGauges(families, this.#watched);
  }

  record(event: SluiceEvent): void {
    this.#count(event, DEFAULT_LIMITER);
  }

  named(limiter: string): Recorder {
    if (typeof limiter !== "string" || !LIMITER_NAME.test(limiter)) {
      const problems = new Problems("named");
      problems.add("limiter", "1 to 64 characters of [A-Za-z0-9_.-]", limiter);
      problems.throwIfAny();
    }
    return { record: (event) => this.#count(event, limiter) };
  }

  watch(watched: Watched): () => void {
    const problems = new Problems("watch");
    const read = new OptionsReader(watched, groups, problems);
    for (const group of groups) {
      if (!read.isGiven(group)) continue;
      const given = read.raw(group);
      const things = new OptionsReader(given, Object.keys(Object(given)), problems, group);
      for (const name of Object.keys(Object(given))) {
        if (!belongsTo(group, things.raw(name))) things.problem(name, `one of the ${group}`);
      }
    }
    problems.throwIfAny();
    return this.#watched.add(watched);
  }

  /** An event that a newer core tells, and this package does not know, is nobody's. */
  #count(event: SluiceEvent, limiter: string): void {
    this.#handlers[event.type]?.(event, limiter);
  }
}

function labelOfUpstream(
  upstream: string | undefined,
  upstreamLabel: ((upstream: string) => string) | undefined,
): string {
  if (upstream === undefined) return NO_UPSTREAM;
  if (upstreamLabel === undefined) return ALL;
  try {
    const label: unknown = upstreamLabel(upstream);
    return typeof label === "string" && label !== "" ? label : OTHER;
  } catch {
    return OTHER;
  }
}
