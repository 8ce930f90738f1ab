import type {
  DescriptorState,
  FixedWindowState,
  LimitState,
  TokenBucketState,
} from "../../engine/state";

/**
 * Writes the numbers of a new state into the objects of the stored one, if both are counters of the
 * same limits in the same order; false if they are not, and nothing was written.
 *
 * States are immutable for everybody else. The store is their only owner, and a hot key would leave
 * an object that had grown old behind for every hit, which costs the collector several times what
 * the whole verdict costs.
 */
export function overwrite(stored: DescriptorState, after: DescriptorState): boolean {
  if (!isOverwritable(stored, after)) return false;
  let from = after;
  for (let into = stored; into !== null && from !== null; into = into.next) {
    copyNumbers(from, into);
    from = from.next;
  }
  return true;
}

function isOverwritable(stored: DescriptorState, after: DescriptorState): boolean {
  let into = stored;
  let from = after;
  while (into !== null && from !== null) {
    const { kind, name } = from.limit;
    if (kind !== "fixed-window" && kind !== "token-bucket") return false;
    if (into.limit.kind !== kind || into.limit.name !== name) return false;
    into = into.next;
    from = from.next;
  }
  return into === null && from === null;
}

type Writable<S> = { -readonly [Field in keyof S]: S[Field] };

function copyNumbers(from: LimitState, into: LimitState): void {
  if (from.limit.kind === "fixed-window") {
    const source = from as FixedWindowState;
    const target = into as Writable<FixedWindowState>;
    target.limit = source.limit;
    target.serial = source.serial;
    target.startMs = source.startMs;
    target.used = source.used;
    return;
  }
  const source = from as TokenBucketState;
  const target = into as Writable<TokenBucketState>;
  target.limit = source.limit;
  target.serial = source.serial;
  target.used = source.used;
  target.atMs = source.atMs;
  target.remainder = source.remainder;
}
