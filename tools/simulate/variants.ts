import type { Distribution, Expectation, Scenario, ServerStep, Source } from "@sluice/testing";

/** How a variant differs from the scenario as it is published. All factors are above 0. */
export interface Variation {
  /** Slots and load, so that the use of the slots stays. */
  readonly slots?: number;
  /** Times of service and of clients; the load is divided by it. */
  readonly service?: number;
  /** The load alone. */
  readonly load?: number;
  /** Instants and phases of the scenario. */
  readonly story?: number;
  readonly distribution?: Shape;
}

/** The shape of service times; their mean stays. */
export type Shape = "uniform" | "exponential" | "lognormal" | "bimodal";

/**
 * The same story with another server. What the scenario expects is changed along, so that the
 * bounds say the same: rates and counts of slots scale, and of a bound on latency the part that is
 * queueing is kept and the part that is service is that of the new distribution.
 */
export function varied(scenario: Scenario, variation: Variation): Scenario {
  const { slots = 1, service = 1, load = 1, story = 1 } = variation;
  const rate = (slots * load) / service;
  const at = (ms: number) => Math.round((ms * story) / 1_000) * 1_000;
  const { server, client } = scenario;
  const step = (each: ServerStep): ServerStep => ({
    ...each,
    atMs: at(each.atMs),
    ...(each.slots && { slots: slotsOf(each.slots, slots) }),
    ...(each.service && { service: shaped(each.service, variation) }),
    ...(each.firstByte && { firstByte: shaped(each.firstByte, variation) }),
  });
  return {
    ...scenario,
    name: `${scenario.name} ${labelOf(variation)}`,
    durationMs: at(scenario.durationMs),
    sources: scenario.sources.map((source) => scaledSource(source, rate, slots, at)),
    server: {
      ...server,
      slots: slotsOf(server.slots, slots),
      service: shaped(server.service, variation),
      ...(server.firstByte && { firstByte: shaped(server.firstByte, variation) }),
      ...(server.steps && { steps: server.steps.map(step) }),
    },
    ...(client && { client: scaledClient(client, service) }),
    phases: scenario.phases.map((each) => ({
      ...each,
      fromMs: at(each.fromMs),
      toMs: at(each.toMs),
    })),
    expectations: (scenario.expectations ?? []).map((each) =>
      scaledExpectation(each, scenario, variation),
    ),
  };
}

/** A short text: `c x 4, s x 0.2, exponential`. */
function labelOf({ slots, service, load, story, distribution }: Variation): string {
  const parts = [
    slots && `c x ${slots}`,
    service && `s x ${service}`,
    load && `load x ${load}`,
    story && `story x ${story}`,
    distribution,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

function slotsOf(slots: number, factor: number): number {
  return Math.max(1, Math.round(slots * factor));
}

function scaledSource(
  source: Source,
  rate: number,
  slots: number,
  at: (ms: number) => number,
): Source {
  if (source.kind === "poisson" || source.kind === "even") {
    return { ...source, perSecond: source.perSecond * rate };
  }
  if (source.kind === "burst") {
    return { ...source, size: slotsOf(source.size, slots), atMs: at(source.atMs) };
  }
  return { ...source, clients: slotsOf(source.clients, slots) };
}

function scaledClient(client: NonNullable<Scenario["client"]>, service: number) {
  const { timeoutMs, retries } = client;
  return {
    ...client,
    ...(timeoutMs && { timeoutMs: timeoutMs * service }),
    ...(retries && {
      retries: {
        ...retries,
        delayMinMs: retries.delayMinMs * service,
        delayMaxMs: retries.delayMaxMs * service,
      },
    }),
  };
}

function shaped(distribution: Distribution, variation: Variation): Distribution {
  const { service = 1, distribution: shape = "uniform" } = variation;
  // Every published scenario has uniform times.
  if (distribution.kind !== "uniform") return distribution;
  const meanMs = distribution.meanMs * service;
  switch (shape) {
    case "uniform":
      return { ...distribution, meanMs };
    case "exponential":
      return { kind: "exponential", meanMs };
    case "lognormal":
      return { kind: "lognormal", meanMs, sigma: 1 };
    case "bimodal":
      return { kind: "bimodal", fastMs: meanMs / 2, slowMs: meanMs * 5.5, slowShare: 0.1 };
  }
}

/** The 99th percentile of service times of mean 1. */
const serviceP99: Readonly<Record<Shape, number>> = {
  uniform: 1.1,
  exponential: Math.log(100),
  lognormal: Math.exp(2.326 - 0.5),
  bimodal: 5.5,
};

/** How much longer a queue of equal length takes in its bad moments than one of even work. */
const queueSpread: Readonly<Record<Shape, number>> = {
  uniform: 1,
  exponential: 1.5,
  lognormal: 1.7,
  bimodal: 1.7,
};

function scaledExpectation(
  expectation: Expectation,
  scenario: Scenario,
  variation: Variation,
): Expectation {
  const { slots = 1, service = 1, load = 1, distribution = "uniform" } = variation;
  const { measure, phase, atMost, atLeast } = expectation;
  const scaled = (factor: number): Expectation => ({
    ...expectation,
    ...(atMost !== undefined && { atMost: atMost * factor }),
    ...(atLeast !== undefined && { atLeast: atLeast * factor }),
  });
  switch (measure) {
    case "goodput":
      // Bound by the slots where those are too few, by the load elsewhere.
      return scaled(
        isOverloaded(scenario, phase)
          ? slotsFactor(scenario, phase, slots) / service
          : (slots * load) / service,
      );
    case "meanLimit":
    case "meanBusy":
      return scaled(slotsFactor(scenario, phase, slots));
    case "firstByteP50Ms":
    case "p99MaxMs": {
      if (atMost === undefined) return expectation;
      const meanMs = serviceMeanAt(scenario, phase);
      const queueMs = atMost - 1.1 * meanMs;
      if (measure === "firstByteP50Ms") return scaled(service);
      const boundMs = queueMs * queueSpread[distribution] + serviceP99[distribution] * meanMs;
      return { ...expectation, atMost: boundMs * service };
    }
    default:
      return expectation;
  }
}

function phaseOf(scenario: Scenario, name: string) {
  return scenario.phases.find((each) => each.name === name) ?? { fromMs: 0, toMs: 0 };
}

/** What a property of the server is during a phase: that of its last step before the phase. */
function serverAt(scenario: Scenario, phase: string) {
  const { fromMs } = phaseOf(scenario, phase);
  const { slots, service, steps = [] } = scenario.server;
  const past = steps.filter((step) => step.atMs <= fromMs);
  const last = <T>(values: readonly (T | undefined)[], first: T): T =>
    values.filter((value) => value !== undefined).at(-1) ?? first;
  return {
    slots: last(
      past.map((step) => step.slots),
      slots,
    ),
    service: last(
      past.map((step) => step.service),
      service,
    ),
  };
}

/** What became of the slots of a phase, whole as they are. */
function slotsFactor(scenario: Scenario, phase: string, factor: number): number {
  const { slots } = serverAt(scenario, phase);
  return slotsOf(slots, factor) / slots;
}

function serviceMeanAt(scenario: Scenario, phase: string): number {
  const { service } = serverAt(scenario, phase);
  return service.kind === "bimodal" ? service.fastMs : service.meanMs;
}

function isOverloaded(scenario: Scenario, phase: string): boolean {
  const { slots } = serverAt(scenario, phase);
  const capacity = (slots * 1_000) / serviceMeanAt(scenario, phase);
  const offered = scenario.sources.reduce(
    (sum, source) => sum + (source.kind === "poisson" ? source.perSecond : 0),
    0,
  );
  return offered > capacity;
}
