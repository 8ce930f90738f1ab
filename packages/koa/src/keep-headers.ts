/** What Koa calls with an error that nobody has handled; it removes all headers but the error's. */
interface Rendering {
  onerror(error: unknown): void;
}

/**
 * Has header fields still set when Koa renders an error. They are passed to it on the error, which
 * keeps fields of its own; the error that others see is not touched before.
 */
export function keepHeadersOfErrors(
  ctx: Rendering,
  headers: Readonly<Record<string, string>>,
): void {
  const { onerror } = ctx;
  ctx.onerror = (error) => {
    // Koa calls it without an error too, when all is well.
    onerror.call(ctx, error == null ? error : withHeaders(error, headers));
  };
}

/** The same error, one that inherits from a frozen one, or one in place of something else. */
function withHeaders(thrown: unknown, headers: Readonly<Record<string, string>>): object {
  const error =
    typeof thrown === "object" && thrown !== null
      ? (thrown as { readonly headers?: Readonly<Record<string, string>> })
      : Object.assign(new Error(`non-error thrown: ${String(thrown)}`), { headers: undefined });
  const own = error.headers ?? {};
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const missing = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
  const property = {
    value: { ...Object.fromEntries(missing), ...own },
    configurable: true,
    enumerable: true,
    writable: true,
  };
  if (Reflect.defineProperty(error, "headers", property)) return error;
  return Object.create(error, { headers: property });
}
