import type { Gate } from "./gate";
import { type GateOptions, parseGateOptions } from "./gate-options";
import { InFlightGate } from "./in-flight-gate";

/**
 * Makes the door of one process: at most `maxInFlight` requests hold a slot, at most `queue.max`
 * wait for one, first in, first out, and the rest is refused at once. With `classes` kinds of
 * traffic share the slots by weight, reservation and rank. In memory; n processes admit n times as
 * many.
 *
 * @throws InvalidOptionsError listing every problem. A bad setting never switches a gate off.
 * @remarks The algorithm is that of LiteLLM's per-worker admission gate, whose lesson is that a
 * newcomer must not take the slot that a woken waiter is about to get. Different here: settings
 * change while running, callers' deadlines and signals count, a wait that is predicted to fail is
 * refused at once, and invalid settings are errors.
 *
 * @example
 * ```ts
 * const gate = createGate({ maxInFlight: 100, queue: { max: 50, timeoutMs: 500 } });
 * const verdict = await gate.enter();
 * if (verdict.admitted) {
 *   try {
 *     await work();
 *   } finally {
 *     verdict.permit.end();
 *   }
 * }
 * ```
 */
export function createGate<C extends string = string>(options: GateOptions<C>): Gate<C> {
  return new InFlightGate(parseGateOptions(options)) as Gate<C>;
}
