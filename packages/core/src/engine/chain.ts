import type { Limit, Milliseconds } from "../limit/limit";
import { operationsExpireAtMs } from "./operation-records";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState, StateOf } from "./state";

/**
 * The state of a limit, found by its name: alive, of the limit's shape, with no instant in the
 * future; `null` if there is none. It is another object than the stored one if that one lay in the
 * future.
 */
export function find<L extends Limit>(
  chain: DescriptorState,
  limit: L,
  nowMs: Milliseconds,
  serial: number,
): StateOf<L> | null {
  let node = chain;
  while (node !== null && node.limit !== limit && node.limit.name !== limit.name) node = node.next;
  if (node === null) return null;
  const rules = rulesOf(limit);
  const stored = node as StateOf<L>;
  if (node.limit !== limit) {
    if (node.limit.kind !== limit.kind) return null;
    if (!rules.isSameShape(limit, stored.limit as unknown as L)) return null;
  }
  const state = rules.notAhead(stored, nowMs, serial);
  return rules.expiresAtMs(state) <= nowMs ? null : state;
}

/**
 * Whether a state from {@link find} is another object than the one stored, and so worth writing.
 */
export function isAhead(chain: DescriptorState, state: LimitState | null): boolean {
  return state !== null && named(chain, state.limit.name) !== state;
}

/** Whether live state stands under the name of a limit that cannot go on with it. */
export function isOfAnotherShape(chain: DescriptorState, limit: Limit, nowMs: number): boolean {
  const node = named(chain, limit.name);
  if (node === null || expiresAtMs(node) <= nowMs) return false;
  return node.limit.kind !== limit.kind || !rulesOf(limit).isSameShape(limit, node.limit as never);
}

/** The node of the given name, whatever it is. */
function named(chain: DescriptorState, name: string): LimitState | null {
  let node = chain;
  while (node !== null && node.limit.name !== name) node = node.next;
  return node;
}

/** The instant from which a node means nothing any more. */
function expiresAtMs(node: LimitState): Milliseconds {
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

/**
 * The chain after some of its nodes were written or removed by name. Others stay as they are,
 * unless they have expired. Written nodes are fresh objects that no other chain holds: they are
 * linked in place.
 */
export function withWrites(
  chain: DescriptorState,
  written: readonly LimitState[],
  nowMs: Milliseconds,
  removed: readonly string[] = NONE,
): DescriptorState {
  let result = isRewritten(chain, written) ? null : kept(chain, written, removed, nowMs);
  for (let index = written.length - 1; index >= 0; index -= 1) {
    const node = written[index] as LimitState;
    (node as { next: DescriptorState }).next = result;
    result = node;
  }
  return result;
}

const NONE: readonly string[] = [];

/**
 * Whether the written nodes take the place of all others, in order: the usual case, seen at once.
 */
function isRewritten(chain: DescriptorState, written: readonly LimitState[]): boolean {
  let index = 0;
  for (let node = chain; node !== null; node = node.next) {
    if (node.limit.name !== written[index]?.limit.name) return false;
    index += 1;
  }
  return true;
}

function kept(
  node: DescriptorState,
  written: readonly LimitState[],
  removed: readonly string[],
  nowMs: Milliseconds,
): DescriptorState {
  if (node === null) return null;
  const next = kept(node.next, written, removed, nowMs);
  const { name } = node.limit;
  const isGone = isWritten(written, name) || removed.includes(name) || expiresAtMs(node) <= nowMs;
  if (isGone) return next;
  return next === node.next ? node : { ...node, next };
}

function isWritten(written: readonly LimitState[], name: string): boolean {
  for (let index = 0; index < written.length; index += 1) {
    if ((written[index] as LimitState).limit.name === name) return true;
  }
  return false;
}
