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

/** One question of a group, and what it carries if it charges. */
export interface DecodedQuestion {
  readonly deadlineMs: number;
  readonly serial: number;
  /** The operation id, for how long it can be undone, and its chains and records. */
  readonly operation?: readonly [string, number, readonly (string | undefined)[]];
  readonly checks: readonly DecodedCheck[];
}

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

  /** The questions of all groups, one after the other (lua/wire/group.lua). */
  get questions(): readonly DecodedQuestion[] {
    return this.commands.flatMap((group) => this.#questionsOf(group));
  }

  #questionsOf(group: Flat): readonly DecodedQuestion[] {
    const [deadlineMs, firstSerial, times, count] = group
      .slice(0, 4)
      .map(Number) as unknown as Head;
    const hasOperation = typeof group[4] === "string";
    const first = hasOperation ? 7 : 4;
    const rows = Array.from({ length: count }, (_, row) =>
      group.slice(first + row * 3, first + row * 3 + 3).map(Number),
    ) as unknown as readonly Row[];
    const width = Math.max(0, ...rows.flatMap((row) => this.#placesIn(row)));
    const places = group.slice(first + count * 3).map(Number);
    return Array.from({ length: Math.abs(times) }, (_, number) => {
      const isListed = places.length > width;
      const own = isListed ? places.slice(number * width, (number + 1) * width) : places;
      const shift = isListed || times < 0 ? 0 : number * width;
      const keyAt = (place: number) =>
        place === 0 ? undefined : this.key((own[place - 1] as number) + shift);
      const checks = rows.map((row) => this.#checkOf(row, keyAt));
      const question = { deadlineMs, serial: firstSerial + number, checks };
      return hasOperation ? { ...question, operation: this.#operationOf(group) } : question;
    });
  }

  #placesIn([chain, limit, asked]: Row): readonly number[] {
    return this.limit(limit).kind === "concurrency" ? [chain, asked] : [chain];
  }

  #checkOf([chain, place, asked]: Row, keyAt: (place: number) => string | undefined): DecodedCheck {
    const limit = this.limit(place);
    const shared = { chain: keyAt(chain), limit };
    if (limit.kind === "concurrency") return { ...shared, leases: keyAt(asked) };
    return { ...shared, units: asked };
  }

  #operationOf(group: Flat): NonNullable<DecodedQuestion["operation"]> {
    const places = group[6] as unknown as readonly number[];
    return [String(group[4]), Number(group[5]), places.map((place) => this.key(place))];
  }
}

/** Deadline, serial of the first, how many questions, how many checks. */
type Head = readonly [number, number, number, number];

/** The chain, the limit, and units or leases. */
type Row = readonly [number, number, number];

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
