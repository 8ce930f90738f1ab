import type { NodeRequest } from "./message";

// On a request that was admitted, by whom. One that was not may be judged again: that charged
// nothing. A WeakMap would cost each request as much as all of the adapter's other work.
const key = Symbol("sluice.passed");

interface Carrier {
  [key]?: Passed;
}

interface Passed {
  readonly judge: object;
  readonly before: Passed | undefined;
}

/**
 * Whether a judge has admitted this request before: it is mounted twice, or the stack ran again.
 */
export function hasPassed(req: NodeRequest, judge: object): boolean {
  for (let passed = (req as Carrier)[key]; passed !== undefined; passed = passed.before) {
    if (passed.judge === judge) return true;
  }
  return false;
}

/** Remembers that a judge has admitted a request. */
export function notePassed(req: NodeRequest, judge: object): void {
  const carrier = req as Carrier;
  carrier[key] = { judge, before: carrier[key] };
}
