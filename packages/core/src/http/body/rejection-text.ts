import type { LimitStatus } from "../../verdict/verdict";
import { answerKind } from "../answer-kind";
import { type PoolCheck, type PoolRefusal, poolRefusal } from "../pool-refusal";
import { waitMs } from "../retry-after";
import type { AnyRejected } from "./rejection-body";

/**
 * One or two sentences for the people who read a refusal. Names kinds, limits and numbers, never an
 * id. Pure; never throws.
 */
export function rejectionText(rejected: AnyRejected): string {
  const { reason } = rejected.rejection;
  const kind = answerKind(reason);
  if (kind === "draining") return "Worker is shutting down. Retry later.";
  if (kind === "unavailable") return "Rate limits cannot be checked right now. Retry later.";
  const status = decidingStatus(rejected);
  if (status !== undefined) return limitText(rejected, status);
  if ("inFlight" in rejected) {
    const { inFlight, queued } = rejected;
    return `Worker at capacity: ${inFlight} in-flight, ${queued} queued requests. Retry later.`;
  }
  return `Request rejected: ${reason}.${waitText(rejected)}`;
}

/** Of the violated checks the one to speak of: one that can never pass, else the longest wait. */
function decidingStatus({ rejection }: AnyRejected): LimitStatus | undefined {
  const { violated, retryable } = rejection;
  if (!retryable) {
    const hopeless = violated.find((status) => status.retryAfterMs === undefined);
    if (hopeless !== undefined) return hopeless;
  }
  return violated.reduce<LimitStatus | undefined>(
    (best, each) => (best === undefined || waitOf(each) > waitOf(best) ? each : best),
    undefined,
  );
}

function waitOf(status: LimitStatus): number {
  return status.retryAfterMs ?? -1;
}

function limitText(rejected: AnyRejected, status: LimitStatus): string {
  const { descriptor, name, max, unit, remaining, source } = status;
  const counted = unit === "slots" ? "concurrent requests" : unit;
  const refusal = poolRefusal(rejected, status);
  if (refusal !== undefined) return poolText(rejected, refusal);
  // The state of a limit that nobody could ask is not known.
  const left = source === "policy" ? "" : `, ${remaining} remaining`;
  const fact = `limit "${name}" allows ${max} ${counted}${left}`;
  return `Rate limit reached for ${descriptor.kind}: ${fact}.${waitText(rejected)}`;
}

/** Names the pool, the class, what bound it, and of every unit the limit and what remains. */
function poolText(rejected: AnyRejected, { status, violated, units }: PoolRefusal): string {
  const { descriptor, name, pool } = status;
  const limits = units.map((each) => `${each.max} ${each.unit}, ${each.remaining} remaining`);
  const fact = `pool "${name}" allows ${limits.join("; ")}`;
  const bound = violated.map(boundText).join("; ");
  const reached = `Rate limit reached for ${descriptor.kind}: ${fact}`;
  const text = `${reached}. Priority "${pool.class}": ${bound}`;
  return `${text}.${waitText(rejected)}`;
}

function boundText({ unit, pool }: PoolCheck): string {
  if (pool.ceiling !== "share") return `no ${unit} left for it`;
  return `held to its share, ${pool.used} of its share of ${pool.guaranteed} ${unit} used`;
}

function waitText({ rejection }: AnyRejected): string {
  if (!rejection.retryable) return " This request can never pass.";
  const wait = waitMs(rejection);
  return wait === undefined ? "" : ` Retry in ${wait / 1000} s.`;
}
