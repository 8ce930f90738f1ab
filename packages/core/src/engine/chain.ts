import type { CheckLimit, Milliseconds } from "../limit/limit";
import { operationsExpireAtMs } from "./operation-records";
import { rulesOf } from "./rules/rules-of";
import type { DescriptorState, LimitState, StateOf } from "./state";

/**
 * The state of a limit, found by its name: alive, of the limit's shape, with no instant in the
 * future; `null` if there is none. It is another object than the stored one if that one lay in the
 * future.
 */
export function find<L extends CheckLimit>(
  chain: DescriptorState,
  limit: L,
  nowMs: Milliseconds,
  serial: number,
): StateOf<L> | null {
  const node = nodeOf(chain, limit);
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
  return state !== null && nodeOf(chain, state.limit) !== state;
}

/** Whether live state stands under the name of a limit that cannot go on with it. */
export function isOfAnotherShape(
  chain: DescriptorState,
  limit: CheckLimit,
  nowMs: number,
): boolean {
  const node = nodeOf(chain, limit);
  if (node === null || expiresAtMs(node) <= nowMs) return false;
  return node.limit.kind !== limit.kind || !rulesOf(limit).isSameShape(limit, node.limit as never);
}

/** The node under the name of a limit, whatever its shape. */
function nodeOf(chain: DescriptorState, limit: AnyLimit): LimitState | null {
  let node = chain;
  while (node !== null && !isSamePlace(node.limit, limit)) node = node.next;
  return node;
}

type AnyLimit = LimitState["limit"];

/**
 * Whether two limits have one place in the chain: the same name, among the counters or among the
 * slots. Counters and leases of one name stay apart, since a store may keep them under two keys.
 */
function isSamePlace(a: AnyLimit, b: AnyLimit): boolean {
  if (a === b) return true;
  return a.name === b.name && (a.kind === "concurrency") === (b.kind === "concurrency");
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
 * The chain after some of its nodes were written or removed. Others stay as they are,
 * unless they have expired. Written nodes are fresh objects that no other chain holds: they are
 * linked in place.
 */
export function withWrites(
  chain: DescriptorState,
  written: readonly LimitState[],
  nowMs: Milliseconds,
  removed: readonly AnyLimit[] = NONE,
): DescriptorState {
  let result = isRewritten(chain, written) ? null : kept(chain, written, removed, nowMs);
  for (let index = written.length - 1; index >= 0; index -= 1) {
    const node = written[index] as LimitState;
    (node as { next: DescriptorState }).next = result;
    result = node;
  }
  return result;
}

const NONE: readonly AnyLimit[] = [];

/**
 * Whether the written nodes take the place of all others, in order: the usual case, seen at once.
 */
function isRewritten(chain: DescriptorState, written: readonly LimitState[]): boolean {
  let index = 0;
  for (let node = chain; node !== null; node = node.next) {
    const other = written[index];
    if (other === undefined || !isSamePlace(node.limit, other.limit)) return false;
    index += 1;
  }
  return true;
}

function kept(
  node: DescriptorState,
  written: readonly LimitState[],
  removed: readonly AnyLimit[],
  nowMs: Milliseconds,
): DescriptorState {
  if (node === null) return null;
  const next = kept(node.next, written, removed, nowMs);
  const { limit } = node;
  const isReplaced = isWritten(written, limit) || removed.some((each) => isSamePlace(each, limit));
  if (isReplaced || expiresAtMs(node) <= nowMs) return next;
  return next === node.next ? node : { ...node, next };
}

function isWritten(written: readonly LimitState[], limit: AnyLimit): boolean {
  for (let index = 0; index < written.length; index += 1) {
    if (isSamePlace((written[index] as LimitState).limit, limit)) return true;
  }
  return false;
}
