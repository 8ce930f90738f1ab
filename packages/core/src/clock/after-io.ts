/** Calls `fn` once, after what arrived meanwhile on sockets has been handled. */
export type AfterIo = (fn: () => void) => void;

/** The one function of Node.js that runs right after its poll phase. */
declare function setImmediate(fn: () => void): unknown;

/** {@link AfterIo} of Node.js. */
export const systemAfterIo: AfterIo = (fn) => void setImmediate(fn);
