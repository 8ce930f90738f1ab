import { StoreError } from "../../error/store-error";

/** A part of a command: the places of its targets, and its answer to come. */
export interface AskedPart<R> {
  readonly places: readonly number[];
  readonly answer: Promise<R>;
}

/**
 * The answers to all parts of a command, which are executed one apart from the other. Where one
 * part failed and another may have been executed, so may the command have been, though its error
 * says that it surely was not: sent again, the other part would be executed twice. The error then
 * says which targets can be sent again.
 *
 * @throws StoreError by rejecting, after all parts have ended: the failure of a part.
 */
export async function allParts<R>(parts: readonly AskedPart<R>[]): Promise<readonly R[]> {
  const replies: R[] = [];
  const failures: unknown[] = [];
  const unexecuted: number[] = [];
  const outcomes = await Promise.allSettled(parts.map(({ answer }) => answer));
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === "fulfilled") {
      replies.push(outcome.value);
      continue;
    }
    failures.push(outcome.reason);
    if (isSurelyNotExecuted(outcome.reason)) {
      unexecuted.push(...(parts[index] as AskedPart<R>).places);
    }
  }
  if (failures.length === 0) return replies;
  const telling = failures.find((failure) => !isSurelyNotExecuted(failure)) ?? failures[0];
  const hasOneFate =
    unexecuted.length === 0 || (replies.length === 0 && isSurelyNotExecuted(telling));
  throw hasOneFate || !(telling instanceof StoreError) ? telling : partly(telling, unexecuted);
}

function isSurelyNotExecuted(failure: unknown): boolean {
  return failure instanceof StoreError && failure.isRetryable;
}

function partly(failure: StoreError, unexecuted: readonly number[]): StoreError {
  const { code, operation } = failure;
  const message = `Part of ${operation} was not executed: ${failure.message}`;
  return new StoreError(message, {
    code,
    operation,
    isRetryable: false,
    unexecuted,
    cause: failure,
  });
}
