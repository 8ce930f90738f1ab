import type { NodeHandler, NodeRequest, NodeResponse } from "./message";

/** Runs a handler, and tells what it throws or rejects with. Never throws. */
export function runHandler<Req extends NodeRequest, Res extends NodeResponse>(
  handler: NodeHandler<Req, Res>,
  req: Req,
  res: Res,
  hasThrown: (thrown: unknown) => void,
): void {
  try {
    const running = handler(req, res);
    if (isThenable(running)) running.then(undefined, hasThrown);
  } catch (thrown) {
    hasThrown(thrown);
  }
}

/** Whether a value is a promise, of whatever make. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
}
