import type { AdapterScenario } from "./adapter-scenario";

/** What not every adapter can do. */
export const adapterCapabilities = [
  "http1",
  "http2",
  "http2-head",
  "upgrade",
  "error-status",
  "headers-of-errors",
  "error-after-head",
  "broken-streams",
] as const;

/**
 * Something that not every adapter, or framework behind it, can do:
 *
 * - `http1`, `http2`: to serve that protocol; `http2-head`: to answer HEAD over HTTP/2.
 * - `upgrade`: to let connections change their protocol.
 * - `error-status`: to answer an error that carries a `status` (and `statusCode`) with it.
 * - `headers-of-errors`: to keep rate-limit headers on the answer to an error of the handler.
 * - `error-after-head`: to bear a handler that throws when its answer has begun.
 * - `broken-streams`: to break an answer off when the stream that it is made from fails.
 */
export type AdapterCapability = (typeof adapterCapabilities)[number];

/** A server that the suite has started. */
export interface RunningAdapter {
  /** Where it listens, on 127.0.0.1. */
  readonly port: number;
  /**
   * Stops listening and resolves when the last connection has ended, as the framework's own way to
   * close does. Connections in use are not to be broken off.
   */
  close(): Promise<void>;
  /** Hears of requests to upgrade; needed for the capability `upgrade`. */
  readonly onUpgrade?: (listener: (socket: import("node:stream").Duplex) => void) => void;
}

/** An adapter, as the suite meets it. */
export interface AdapterUnderTest {
  /** Stands in the name of every test. */
  readonly name: string;
  /** What it cannot do, each with the reason. Cases that need it are left out. */
  readonly lacks?: Readonly<Partial<Record<AdapterCapability, string>>>;
  /** Starts a real server for one scenario on a free port of 127.0.0.1. */
  readonly start: (scenario: AdapterScenario) => Promise<RunningAdapter>;
}
