import { systemClock } from "@sluice/core";
import type { RedisStore } from "@sluice/core/redis";
import { FakeClock, realisticStartMs } from "@sluice/testing";
import { afterAll, describe, expect, inject, it } from "vitest";
import { describeStore } from "../conformance/describe-store";
import type { StoreSubject } from "../conformance/store-subject";
import { pause } from "./executor/stage";
import { BlockingConnection } from "./given-time/blocking-connection";
import { GivenTimeStore } from "./given-time/given-time-store";
import { openRedisStore } from "./open-redis-store";
import { type ClientName, clientNames } from "./patient-clients";

const runner = { describe, it, afterAll, expect };

/** Keys of earlier runs of the same server must not be met. */
const run = `${process.pid}-${Date.now()}`;

/** The scripts on a real server, on a clock that the tests move. */
function onGivenTime(): StoreSubject {
  const clock = new FakeClock({ startMs: realisticStartMs });
  const connection = new BlockingConnection(inject("redisPort"));
  const store = new GivenTimeStore(connection, clock, `conformance-${run}`);
  return {
    openStore: () => store,
    clock,
    pass: (ms) => clock.advanceAsync(ms),
    close: () => connection.close(),
  };
}

/** Two stores with a client each, as two processes have. */
async function onClients(name: ClientName): Promise<StoreSubject> {
  const prefix = `${name.replace(/[^a-z0-9]/g, "")}-${run}`;
  const stores: readonly RedisStore[] = [
    await openRedisStore(name, { prefix }),
    await openRedisStore(name, { prefix }),
  ];
  let opened = 0;
  return {
    openStore: () => {
      opened += 1;
      return stores[opened % stores.length] as RedisStore;
    },
    clock: systemClock(),
    // A timer may be a millisecond early.
    pass: (ms) => pause(ms + 2),
    close: async () => {
      for (const store of stores) await store.close();
    },
  };
}

describeStore({ name: "the twin", open: onGivenTime, isTimeExact: true }, runner);

for (const name of clientNames) {
  const kind = { name, open: () => onClients(name), isTimeExact: false };
  // The older major version differs in the client only: the group with all kinds of limits will do.
  describeStore(name.includes(" 5") ? { ...kind, only: ["questions"] } : kind, runner);
}
