import type { AdapterScenario } from "./adapter-scenario";

/** What not every adapter can do. */
export const adapterCapabilities = [
  "http1",
  "http2",
  "upgrade",
  "error-status",
  "headers-of-errors",
] as const;

/**
 * Something that not every adapter can do: `http1`, `http2`: serve that protocol; `upgrade`:
 * connections that change their protocol; `error-status`: an error that carries a `status` (and
 * `statusCode`) is answered with it; `headers-of-errors`: rate-limit headers survive on the answer
 * to an error of the handler.
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
