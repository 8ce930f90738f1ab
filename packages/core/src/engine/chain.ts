import type { Limit, Milliseconds } from "../limit/limit";
import { operationsExpireAtMs } from "./operations";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState, StateOf } from "./state";

/** What was found in a chain under the name of a limit. */
export interface Found<S extends LimitState> {
  /** Alive, of the same shape, with no instant in the future; `null` if there is no such state. */
  readonly state: S | null;
  /** Whether the stored state had to be changed for that, so that it should be written back. */
  readonly isAhead: boolean;
  /** Whether live state of another shape stands under this name. */
  readonly isReplaced: boolean;
}

const NOTHING: Found<never> = { state: null, isAhead: false, isReplaced: false };

/** Looks up the state of a limit by its name. State that has expired counts as absent. */
export function find<L extends Limit>(
  chain: DescriptorState,
  limit: L,
  nowMs: Milliseconds,
  serial: number,
): Found<StateOf<L>> {
  const node = named(chain, limit.name);
  if (node === null) return NOTHING;
  if (node.limit.kind !== limit.kind) {
    return expiresAtMs(node) <= nowMs ? NOTHING : { ...NOTHING, isReplaced: true };
  }
  const rules = rulesOf(limit);
  const stored = node as StateOf<L>;
  const state = rules.notAhead(stored, nowMs, serial);
  if (rules.expiresAtMs(state) <= nowMs) return NOTHING;
  const isSame = stored.limit === limit || rules.isSameShape(limit, stored.limit as unknown as L);
  return isSame
    ? { state, isAhead: state !== stored, isReplaced: false }
    : { ...NOTHING, isReplaced: true };
}

/** The node of the given name, whatever it is. */
export function named(chain: DescriptorState, name: string): LimitState | null {
  let node = chain;
  while (node !== null && node.limit.name !== name) node = node.next;
  return node;
}

/** The instant from which a node means nothing any more. */
export function expiresAtMs(node: LimitState): Milliseconds {
  if (node.limit.kind === "operations") return operationsExpireAtMs(node as OperationsNode);
  return rulesOf(node.limit).expiresAtMs(node as never);
}

type OperationsNode = Extract<LimitState, { readonly records: unknown }>;

/** The instant from which nothing in the chain means anything: when its key may go. */
export function chainExpiresAtMs(chain: DescriptorState): Milliseconds {
  let latestMs = 0;
  for (let node = chain; node !== null; node = node.next) {
    latestMs = Math.max(latestMs, expiresAtMs(node));
  }
  return latestMs;
}

/** A node that is to be written under a name: `null` removes what stands there. */
export interface Write {
  readonly name: string;
  readonly node: LimitState | null;
}

/**
 * The chain after some of its nodes were written. Others stay as they are, unless they have expired.
 * Written nodes are fresh objects that no other chain holds: they are linked in place.
 */
export function withWrites(
  chain: DescriptorState,
  writes: readonly Write[],
  nowMs: Milliseconds,
): DescriptorState {
  let result = kept(chain, writes, nowMs);
  for (let index = writes.length - 1; index >= 0; index -= 1) {
    const node = writes[index]?.node ?? null;
    if (node === null) continue;
    (node as { next: DescriptorState }).next = result;
    result = node;
  }
  return result;
}

function kept(
  chain: DescriptorState,
  writes: readonly Write[],
  nowMs: Milliseconds,
): DescriptorState {
  if (chain === null) return null;
  const next = kept(chain.next, writes, nowMs);
  const isDropped = isWritten(writes, chain.limit.name) || expiresAtMs(chain) <= nowMs;
  if (isDropped) return next;
  return next === chain.next ? chain : { ...chain, next };
}

function isWritten(writes: readonly Write[], name: string): boolean {
  for (const write of writes) if (write.name === name) return true;
  return false;
}
