import { StoreError } from "../../error/store-error";

/**
 * The answers to all parts of a command, which are executed one apart from the other. Where one
 * part failed and another may have been executed, so may the command have been, though its error
 * says that it surely was not: sent again, the other part would be executed twice.
 *
 * @throws StoreError by rejecting, after all parts have ended: the failure of a part.
 */
export async function allParts<R>(answers: readonly Promise<R>[]): Promise<readonly R[]> {
  const replies: R[] = [];
  const failures: unknown[] = [];
  for (const outcome of await Promise.allSettled(answers)) {
    if (outcome.status === "fulfilled") replies.push(outcome.value);
    else failures.push(outcome.reason);
  }
  if (failures.length === 0) return replies;
  const unknownFate = failures.find((failure) => !isSurelyNotExecuted(failure));
  if (unknownFate !== undefined) throw unknownFate;
  const first = failures[0] as StoreError;
  throw replies.length === 0 ? first : partlyExecuted(first);
}

function isSurelyNotExecuted(failure: unknown): boolean {
  return failure instanceof StoreError && failure.isRetryable;
}

function partlyExecuted(failure: StoreError): StoreError {
  const { code, operation } = failure;
  const message = `Part of ${operation} was executed, and part was not: ${failure.message}`;
  return new StoreError(message, { code, operation, isRetryable: false, cause: failure });
}
