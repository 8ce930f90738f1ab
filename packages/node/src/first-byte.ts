import type { NodeResponse } from "./message";

/** `write` or `end` of any response, as far as it matters here. */
type Send = (...given: readonly unknown[]) => unknown;

/**
 * Calls back at most once, when the first byte of the body has been handed over, or the response
 * ended without any. Headers that are flushed before are no sign: a stream sends them at once and
 * its first token much later.
 *
 * There is no event for it, so `write` and `end` of this one response are wrapped; compression and
 * the like may wrap them again. What goes around them (the raw socket, `stream.respond` of HTTP/2)
 * is not seen; then nothing is called back.
 */
export function whenFirstByte(res: NodeResponse, onFirstByte: () => void): void {
  let isPast = false;
  const note = () => {
    if (isPast) return;
    isPast = true;
    onFirstByte();
  };
  const target = res as unknown as { write: Send; end: Send };
  const { write, end } = target;
  target.write = function wrappedWrite(this: unknown, ...given) {
    const returned = write.apply(this, given as unknown[]);
    if (isSomething(given[0])) note();
    return returned;
  };
  target.end = function wrappedEnd(this: unknown, ...given) {
    const returned = end.apply(this, given as unknown[]);
    note();
    return returned;
  };
}

function isSomething(chunk: unknown): boolean {
  return ((chunk as { readonly length?: number } | null | undefined)?.length ?? 0) > 0;
}
