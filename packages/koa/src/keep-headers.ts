import { format } from "node:util";

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
  // Koa would do the same with what is no error, after the headers had been put on it.
  const error: ErrorWithHeaders = isError(thrown)
    ? thrown
    : new Error(format("non-error thrown: %j", thrown));
  const property = {
    // The error's own come later, so that they are what is set, in whatever spelling.
    value: { ...headers, ...error.headers },
    configurable: true,
    enumerable: true,
    writable: true,
  };
  if (Reflect.defineProperty(error, "headers", property)) return error;
  return Object.create(error, { headers: property });
}

interface ErrorWithHeaders extends Error {
  readonly headers?: Readonly<Record<string, string>>;
}

/** As Koa sees it, of another realm too. */
function isError(thrown: unknown): thrown is ErrorWithHeaders {
  return thrown instanceof Error || Object.prototype.toString.call(thrown) === "[object Error]";
}
