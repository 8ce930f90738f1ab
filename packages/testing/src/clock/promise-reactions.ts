/**
 * Resolves when every promise reaction that can run has run, however long the chains: the queue of
 * reactions is emptied before the event loop takes its next turn. Never rejects.
 */
export function promiseReactions(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
