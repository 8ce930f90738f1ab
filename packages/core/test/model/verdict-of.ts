import type { Reason } from "@sluice/core";
import type { Check, Judged } from "./judge";
import type { ModelRejection, ModelStatus, ModelVerdict } from "./model-verdict";

/** The answer to a judged question, with every limit as it stands now. */
export function verdictOf(judged: readonly Judged[], nowMs: number): ModelVerdict {
  const statuses = judged.map((one) => statusOf(one, nowMs));
  const violated = judged.filter(isViolated);
  if (violated.length === 0) return { statuses };
  return { statuses, rejection: rejectionOf(violated, nowMs) };
}

/** Whether a check refuses the question: it does not pass, and it counts. */
export function isViolated({ check, judgement }: Judged): boolean {
  return check.limit.mode === "enforce" && !judgement.passes;
}

function statusOf({ check, judgement }: Judged, nowMs: number): ModelStatus {
  const { descriptor, limit } = check;
  const isShadow = limit.mode === "shadow";
  const admitted = isShadow || judgement.passes;
  const { used, resetAfterMs } = standing(check, nowMs);
  return {
    descriptor,
    name: limit.name,
    unit: limit.unit,
    max: limit.max,
    used,
    remaining: Math.max(0, limit.max - used),
    resetAfterMs,
    ...(!admitted && judgement.waitMs !== undefined ? { retryAfterMs: judgement.waitMs } : {}),
    admitted,
    ...(isShadow && !judgement.passes ? { wouldReject: true as const } : {}),
    source: "store",
  };
}

function standing({ limit, books }: Check, nowMs: number) {
  if (limit.kind === "concurrency") {
    const slots = books.slots(limit);
    return { used: slots.used(nowMs), resetAfterMs: slots.resetAfterMs(nowMs) };
  }
  const book = books.read(limit);
  const resetAfterMs = book.resetAfterMs(limit, nowMs);
  return { used: book.used(limit, nowMs), resetAfterMs: { min: resetAfterMs, max: resetAfterMs } };
}

function rejectionOf(violated: readonly Judged[], nowMs: number): ModelRejection {
  const retryable = violated.every(({ judgement }) => judgement.isPossible);
  const waitsMs = violated.flatMap(({ judgement }) => judgement.waitMs ?? []);
  const known = waitsMs.length === 0 ? "hint" : Math.max(...waitsMs);
  return {
    reason: reasonOf(violated),
    retryAfterMs: retryable ? known : undefined,
    retryable,
    violated: violated.map((one) => statusOf(one, nowMs)),
  };
}

function reasonOf(violated: readonly Judged[]): Reason {
  if (violated.some(({ judgement }) => !judgement.isPossible)) return "cost_exceeds_limit";
  if (violated.some(({ check }) => check.limit.kind !== "concurrency")) return "window_exhausted";
  return "concurrency_exhausted";
}
