import type { AdapterName } from "./adapter/adapter-name";

/** Everything that can be set on the example gateway. */
export interface GatewaySettings {
  /** 0 takes a free port. */
  readonly port: number;
  /** What the gate, the limits and the routes are mounted on. */
  readonly adapter: AdapterName;
  readonly upstreamPort: number;
  readonly maxInFlight: number;
  /** Whether the gate's cap is `maxInFlight`, or finds itself and does not exceed it. */
  readonly cap: "fixed" | "adaptive";
  readonly queueMax: number;
  readonly queueTimeoutMs: number;
  readonly gate: "enforce" | "off";
  readonly limits: "enforce" | "off";
  /** Whether answers are settled to their real usage, or keep what was reserved. */
  readonly settle: "on" | "off";
  /** Slots of the key `sk-slots`. */
  readonly slots: number;
  /** How long a slot outlives a gateway that crashed. */
  readonly leaseMs: number;
  /** Length of every window of a key, and of a model's capacity. */
  readonly windowMs: number;
  /** What keys with a priority may use of a model that is saturated. */
  readonly whenSaturated: "strict" | "lend";
  /** From which share of its capacity on a model is saturated. */
  readonly saturationThreshold: number;
  /** Where limits count: in this process, or on Redis, through a client of this library. */
  readonly store: "memory" | RedisLibrary;
  /** What all keys on Redis begin with: gateways of one prefix share their limits. */
  readonly prefix: string;
  /** How many gateways share them. */
  readonly instances: number;
}

/** The two client libraries, by the names of their packages. */
export type RedisLibrary = "ioredis" | "redis";

/** A gateway as somebody might run it. */
export const standardSettings: GatewaySettings = {
  port: 0,
  adapter: "node",
  upstreamPort: 0,
  maxInFlight: 1000,
  cap: "fixed",
  queueMax: 1000,
  queueTimeoutMs: 1000,
  gate: "enforce",
  limits: "enforce",
  settle: "on",
  slots: 5,
  leaseMs: 30_000,
  windowMs: 60_000,
  whenSaturated: "lend",
  saturationThreshold: 0.5,
  store: "memory",
  prefix: "llm-gateway:",
  instances: 1,
};

/** Settings of gateways as one process argument, which {@link readSettings} reads back. */
export function writeSettings(settings: readonly Partial<GatewaySettings>[]): string {
  return JSON.stringify(settings);
}

/**
 * The standard settings, changed by those of each JSON object in the list `argument`.
 *
 * @throws Error if a name or a type is wrong.
 */
export function readSettings(argument = "[{}]"): readonly GatewaySettings[] {
  return (JSON.parse(argument) as Record<string, unknown>[]).map(completed);
}

function completed(given: Record<string, unknown>): GatewaySettings {
  const standard: Readonly<Record<string, unknown>> = { ...standardSettings };
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== typeof standard[name]) {
      throw new Error(`${name}: expected ${typeof standard[name]}, received ${typeof value}`);
    }
  }
  return { ...standardSettings, ...given };
}
