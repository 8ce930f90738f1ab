import type { CheckLimit } from "../../../src/limit/limit";

type Flat = readonly (number | string)[];

/** One limit as a script sees it. */
export interface DecodedLimit {
  readonly name: string;
  readonly kind: string;
  readonly unit: string;
  readonly max: number;
  readonly a: number;
  readonly b: number | string;
  readonly isEnforced: boolean;
}

/** A check of a question: of slots the key of the leases, of others the units. */
export interface DecodedCheck {
  readonly chain: string | undefined;
  readonly limit: DecodedLimit;
  readonly leases?: string | undefined;
  readonly units?: number;
}

const KINDS = [
  "",
  "fixed-window",
  "sliding-window",
  "sliding-log",
  "token-bucket",
  "concurrency",
  "pool-unit",
];

/** Reads the keys and the argument of a call as lua/wire/question.lua describes them. */
export class DecodedCall {
  readonly #keys: readonly string[];
  readonly #limits: readonly DecodedLimit[];
  readonly commands: readonly Flat[];

  constructor(call: { readonly keys: readonly string[]; readonly argument: string }) {
    const [limits, ...commands] = JSON.parse(call.argument) as [readonly Flat[], ...Flat[]];
    this.#keys = call.keys;
    this.#limits = limits.map(decodeLimit);
    this.commands = commands;
  }

  get keys(): readonly string[] {
    return this.#keys;
  }

  get limitCount(): number {
    return this.#limits.length;
  }

  key(place: number | string | undefined): string | undefined {
    return place === 0 ? undefined : this.#keys[Number(place) - 1];
  }

  limit(place: number | string | undefined): DecodedLimit {
    return this.#limits[Number(place) - 1] as DecodedLimit;
  }

  /** The checks of a question that begin at a place of its command. */
  checks(command: Flat, first: number): readonly DecodedCheck[] {
    const checks: DecodedCheck[] = [];
    for (let at = first; at < command.length; at += 3) {
      const chain = this.key(command[at]);
      const limit = this.limit(command[at + 1]);
      if (limit.kind === "concurrency") {
        checks.push({ chain, limit, leases: this.key(command[at + 2]) });
      } else {
        checks.push({ chain, limit, units: Number(command[at + 2]) });
      }
    }
    return checks;
  }
}

function decodeLimit([name, kind, unit, max, a, b, mode]: Flat): DecodedLimit {
  return {
    name: String(name),
    kind: KINDS[Number(kind)] as string,
    unit: String(unit),
    max: Number(max),
    a: Number(a),
    b: typeof b === "string" ? b : Number(b),
    isEnforced: mode === 1,
  };
}

/** What a script should see of a limit. */
export function seenOf(limit: CheckLimit): DecodedLimit {
  const { name, kind, unit, max, mode } = limit;
  const [a, b] = shapeOf(limit);
  return { name, kind, unit, max, a, b, isEnforced: mode === "enforce" };
}

function shapeOf(limit: CheckLimit): readonly [number, number | string] {
  if (limit.kind === "pool-unit") return [limit.windowMs, limit.units];
  if (limit.kind === "token-bucket") return [limit.perMs, limit.refill];
  if (limit.kind === "concurrency") return [limit.leaseMs, 0];
  if (limit.kind === "sliding-window") return [limit.windowMs, limit.buckets];
  if (limit.kind === "sliding-log") return [limit.windowMs, 0];
  return [limit.windowMs, limit.anchor === "epoch" ? 1 : 0];
}
