import { record } from "../event/recorder";
import { createGate } from "../gate/create-gate";
import type { Gate } from "../gate/gate";
import { Problems } from "../options/problems";
import type {
  Upstream,
  UpstreamEnterOptions,
  UpstreamStats,
  Upstreams,
  UpstreamVerdict,
} from "./upstream";
import { type UpstreamKey, upstreamKeyText } from "./upstream-key";
import { UpstreamState } from "./upstream-state";
import {
  parseUpstreamsOptions,
  type UpstreamsConfig,
  type UpstreamsOptions,
} from "./upstreams-options";

/**
 * How many of the oldest are looked at for one to forget; busy ones are put to the end meanwhile.
 */
const LOOKED_AT = 32;

/**
 * Makes the doors to the upstreams of this process. Each key has a limit of its calls in flight, a
 * throttle, a budget for retries and a pause of its own; several may share the cap of a parent.
 *
 * @throws InvalidOptionsError listing every problem.
 *
 * @example
 * ```ts
 * const upstreams = createUpstreams();
 * const verdict = await upstreams.upstream({ route: "chat", model: "large" }).enter();
 * if (verdict.admitted) {
 *   const answer = await fetch("http://upstream.example/");
 *   if (answer.status === 429) verdict.permit.refused({ retryAfterMs: 2000 });
 *   verdict.permit.end(answer.ok ? "success" : "dropped");
 * }
 * ```
 */
export function createUpstreams(options: UpstreamsOptions = {}): Upstreams {
  return new UpstreamRegistry(parseUpstreamsOptions(options));
}

class UpstreamRegistry implements Upstreams {
  readonly #config: UpstreamsConfig;
  readonly #parents: ReadonlyMap<string, Gate>;
  /** The least recently used first. */
  readonly #states = new Map<string, UpstreamState>();
  #drained: Promise<void> | undefined;

  constructor(config: UpstreamsConfig) {
    this.#config = config;
    const { clock, random, recorder } = config;
    const ports = { clock, random, ...(recorder && { recorder }) };
    const parents = [...config.parents].map(
      ([name, parent]) => [name, createGate({ ...parent, ...ports, name })] as const,
    );
    this.#parents = new Map(parents);
  }

  upstream(key: UpstreamKey): Upstream {
    const text = upstreamKeyText(key);
    const state = this.#stateOf(key, text);
    return new UpstreamDoor(state.key, () => this.#stateOf(state.key, text));
  }

  get size(): number {
    return this.#states.size;
  }

  stats(): readonly UpstreamStats[] {
    return [...this.#states.values()].map((state) => state.stats());
  }

  drain(): Promise<void> {
    const all = [...this.#states.values(), ...this.#parents.values()];
    this.#drained ??= Promise.all(all.map((each) => each.drain())).then(() => {});
    return this.#drained;
  }

  /** Finds or makes it, as the most recently used. */
  #stateOf(key: UpstreamKey, text: string): UpstreamState {
    const known = this.#states.get(text);
    if (known !== undefined) {
      this.#states.delete(text);
      this.#states.set(text, known);
      return known;
    }
    const state = new UpstreamState(key, text, this.#config, this.#parentOf(key));
    if (this.#drained !== undefined) void state.drain();
    this.#states.set(text, state);
    this.#makeRoom(state);
    return state;
  }

  #parentOf(key: UpstreamKey): Gate | undefined {
    const name = this.#config.parentOf(key);
    if (name === undefined) return undefined;
    const parent = this.#parents.get(name);
    if (parent === undefined) {
      const problems = new Problems("parentOf");
      const known = [...this.#parents.keys()].join(", ");
      problems.add("parent", `undefined or the name of a parent (known: ${known})`, name);
      problems.throwIfAny();
    }
    return parent;
  }

  #makeRoom(newest: UpstreamState): void {
    const { maxKeys } = this.#config;
    let looks = 0;
    for (const [text, state] of this.#states) {
      if (this.#states.size <= maxKeys || looks === LOOKED_AT || state === newest) return;
      looks += 1;
      this.#states.delete(text);
      // A pause is worth remembering, as long as that does not fill the memory.
      const isPaused = state.pausedForMs > 0 && this.#states.size < 2 * maxKeys;
      if (state.isIdle && !isPaused) this.#forget(state);
      else this.#states.set(text, state);
    }
  }

  #forget(state: UpstreamState): void {
    void state.drain();
    const { recorder, name } = this.#config;
    record(recorder, { type: "upstream_forgotten", outbound: name, upstream: state.text });
  }
}

/** What callers hold: it finds the state anew each time, since that may have been forgotten. */
class UpstreamDoor implements Upstream {
  readonly key: UpstreamKey;
  readonly #find: () => UpstreamState;

  constructor(key: UpstreamKey, find: () => UpstreamState) {
    this.key = key;
    this.#find = find;
  }

  get limit() {
    return this.#find().limit;
  }

  async enter(options: UpstreamEnterOptions = {}): Promise<UpstreamVerdict> {
    return this.#find().enter(options);
  }

  pause(waitMs: number): void {
    requireWait(waitMs);
    this.#find().pause(waitMs);
  }

  stats(): UpstreamStats {
    return this.#find().stats();
  }
}

function requireWait(waitMs: number): void {
  if (typeof waitMs === "number" && waitMs >= 0) return;
  const problems = new Problems("pause");
  problems.add("waitMs", "a number of 0 or more", waitMs);
  problems.throwIfAny();
}
