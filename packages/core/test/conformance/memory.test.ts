import { memoryStore } from "@sluice/core";
import { FakeClock, realisticStartMs } from "@sluice/testing";
import { afterAll, describe, expect, it } from "vitest";
import { describeStore } from "./describe-store";
import type { StoreSubject } from "./store-subject";

function onMemory(): StoreSubject {
  const clock = new FakeClock({ startMs: realisticStartMs });
  const store = memoryStore({ clock });
  return {
    openStore: () => store,
    clock,
    pass: (ms) => clock.advanceAsync(ms),
    close: () => store.close(),
  };
}

const runner = { describe, it, afterAll, expect };

describeStore({ name: "memory", open: onMemory, isTimeExact: true }, runner);
