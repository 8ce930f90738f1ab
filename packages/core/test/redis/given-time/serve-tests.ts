import { afterAll, afterEach, expect, inject } from "vitest";
import { testOn } from "../../store/store-under-test";
import { BlockingConnection } from "./blocking-connection";
import { GivenTimeStore } from "./given-time-store";

let opened = 0;

/**
 * Has the tests of this file run on stores on a real server that take their time from the clock of
 * the test; to be called before they are loaded. Whatever they do, every key has an end (law 7).
 */
export function serveTests(runsScale: number): void {
  const connection = new BlockingConnection(inject("redisPort"));
  const stores: GivenTimeStore[] = [];
  testOn({
    kind: "server",
    runsScale,
    open: ({ clock } = {}) => {
      if (clock === undefined) throw new Error("expected the clock of the test");
      opened += 1;
      const store = new GivenTimeStore(connection, clock, `given-${process.pid}-${opened}-`);
      stores.push(store);
      return store;
    },
  });
  afterEach(() => {
    for (const store of stores.splice(0)) {
      for (const ttlMs of store.timesToLive) expect(ttlMs).toBeGreaterThan(0);
    }
  });
  afterAll(() => connection.close());
}
