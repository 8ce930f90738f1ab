import type { AdaptiveLimit, Gate, Limiter, Upstreams } from "@sluice/core";

/** A store that shows its nodes; `redisStore` makes such ones. */
export interface StoreWithNodes {
  nodes(): readonly { readonly node: string; readonly breaker: string }[];
}

/** What is read when metrics are, each under the name that its series carry. */
export interface Watched {
  /** Under their `name`, so that their series go with those of their events. */
  readonly gates?: Readonly<Record<string, Pick<Gate, "stats" | "settings" | "isDraining">>>;
  /** Under the name that was given to `named`, or `limiter`. */
  readonly limiters?: Readonly<Record<string, Pick<Limiter, "stats" | "heldLeases">>>;
  /** Under their `name`. The limit of an upstream: `upstream.limit`. */
  readonly limits?: Readonly<
    Record<string, Pick<AdaptiveLimit, "limit" | "baselineMs" | "gradient">>
  >;
  /** Under their `name`. */
  readonly upstreams?: Readonly<Record<string, Pick<Upstreams, "stats">>>;
  readonly stores?: Readonly<Record<string, StoreWithNodes>>;
}

type Group = keyof Watched;
type Thing<G extends Group> = NonNullable<Watched[G]>[string];

/** What is read of each thing, to tell whether it is one. */
const members: Readonly<Record<Group, readonly string[]>> = {
  gates: ["stats", "settings"],
  limiters: ["stats", "heldLeases"],
  limits: ["limit"],
  upstreams: ["stats"],
  stores: ["nodes"],
};

export const groups = Object.keys(members) as readonly Group[];

/** Whether something has what is read of the things of a group. */
export function belongsTo(group: Group, thing: unknown): boolean {
  if (typeof thing !== "object" || thing === null) return false;
  return members[group].every((member) => member in thing);
}

/** The things whose numbers are read when somebody looks, by group and name. */
export class WatchedThings {
  readonly #byGroup = new Map<Group, Map<string, unknown>>();

  /** Watches all of these; those of the same names make room. Returns what ends it. */
  add(watched: Watched): () => void {
    const ends = groups.flatMap((group) =>
      Object.entries(watched[group] ?? {}).map(([name, thing]) => this.#add(group, name, thing)),
    );
    return () => {
      for (const end of ends) end();
    };
  }

  /** Each thing of a group, and what `read` says of it; nothing if that throws. */
  *read<G extends Group, R>(group: G, read: (thing: Thing<G>, name: string) => R): Iterable<R> {
    for (const [name, thing] of this.#byGroup.get(group) ?? []) {
      let readings: R;
      try {
        readings = read(thing as Thing<G>, name);
      } catch {
        // One that cannot be read must not cost the rest of the metrics.
        continue;
      }
      yield readings;
    }
  }

  #add(group: Group, name: string, thing: unknown): () => void {
    const things = this.#byGroup.get(group) ?? new Map<string, unknown>();
    things.set(name, thing);
    this.#byGroup.set(group, things);
    return () => {
      if (things.get(name) === thing) things.delete(name);
    };
  }
}
