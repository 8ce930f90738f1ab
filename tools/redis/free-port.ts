import { createServer } from "node:net";

/**
 * Below the range from which systems take the ports of outgoing connections: a client that tries to
 * reach a killed server must neither take its port nor, on loopback, connect to itself.
 */
const LOWEST = 10_000;
const HIGHEST = 29_999;
const TRIES = 100;

/** Whoever asks twice in a row must not get the same port before the first has used it. */
const given = new Set<number>();

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () =>
      server.close(() => resolve(true)),
    );
  });
}

/**
 * A TCP port of 127.0.0.1 that nobody listens on, 10 000 to 29 999. Another process may take it
 * before it is used.
 *
 * @throws Error if 100 random ports are all taken.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`expected a free port, received none in ${TRIES} tries`);
}
