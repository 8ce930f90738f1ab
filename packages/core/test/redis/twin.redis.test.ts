import {
  concurrency,
  fixedWindow,
  type PriorityPoolOptions,
  priorityPool,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { CheckLimit } from "../../src/limit/limit";
import { poolUnitsOf } from "../../src/limit/pool-units";
import { runs } from "../runs";
import { foundSequences } from "./twin/found-sequences";
import { type Asked, anyStep } from "./twin/step";
import { TwinPlay } from "./twin/twin-play";
import { TwinServer } from "./twin/twin-server";

let server: TwinServer;
let stepsPlayed = 0;

beforeAll(async () => {
  server = await TwinServer.open(inject("redisPort"), "twin");
});

afterAll(() => server.close());

/** Several limits of a kind under one name are shapes that replace each other. */
const kinds: Readonly<Record<string, readonly Asked[]>> = {
  "fixed windows": [
    fixedWindow({ name: "a", max: 5, windowMs: 100 }),
    fixedWindow({ name: "a", max: 3, windowMs: 100, anchor: "epoch" }),
    fixedWindow({ name: "a", max: 5, windowMs: 250 }),
    fixedWindow({ name: "b", max: 40, windowMs: 1_000, unit: "tokens", mode: "shadow" }),
    fixedWindow({ name: "c", max: 0, windowMs: 50, mode: "shadow" }),
    fixedWindow({ name: "d", max: 2, windowMs: 100 }),
  ],
  "sliding windows": [
    slidingWindow({ name: "a", max: 5, windowMs: 100, buckets: 4 }),
    slidingWindow({ name: "a", max: 5, windowMs: 100, buckets: 5 }),
    slidingWindow({ name: "b", max: 40, windowMs: 1_000, buckets: 10, unit: "tokens" }),
    slidingWindow({ name: "c", max: 3, windowMs: 200, buckets: 1, mode: "shadow" }),
  ],
  "sliding logs": [
    slidingLog({ name: "a", max: 5, windowMs: 100 }),
    slidingLog({ name: "a", max: 7, windowMs: 300 }),
    slidingLog({ name: "b", max: 60, windowMs: 1_000, unit: "tokens" }),
    slidingLog({ name: "c", max: 2, windowMs: 50, mode: "shadow" }),
  ],
  "token buckets": [
    tokenBucket({ name: "a", capacity: 5, refill: 3, perMs: 100 }),
    tokenBucket({ name: "a", capacity: 2, refill: 7, perMs: 100 }),
    tokenBucket({ name: "a", capacity: 5, refill: 1, perMs: 30 }),
    tokenBucket({ name: "b", capacity: 50, refill: 1, perMs: 7, unit: "tokens" }),
    tokenBucket({ name: "c", capacity: 3, refill: 1, perMs: 1_000, mode: "shadow" }),
  ],
  slots: [
    concurrency({ name: "a", max: 2, leaseMs: 100 }),
    concurrency({ name: "a", max: 3, leaseMs: 1_000 }),
    concurrency({ name: "b", max: 1, leaseMs: 50, mode: "shadow" }),
    concurrency({ name: "c", max: 5, leaseMs: 300 }),
  ],
  "priority pools": [
    ...classesOf({
      ...{ name: "a", capacity: { requests: 9, tokens: 50 }, windowMs: 100 },
      ...{ shares: { x: 0.5, y: 0.2 }, whenSaturated: "lend" },
    }),
    ...classesOf({
      ...{ name: "a", capacity: { requests: 7, tokens: 45 }, windowMs: 100 },
      ...{ shares: { y: 0.3, z: 0.3 }, whenSaturated: "strict", saturationThreshold: 0.1 },
    }),
    ...classesOf({ name: "a", capacity: { requests: 4 }, windowMs: 100, shares: { x: 0.7 } }),
    ...classesOf({
      ...{ name: "b", capacity: { requests: 12, tokens: 110 }, windowMs: 1_000, mode: "shadow" },
      ...{ shares: { x: 0.75, y: 0.25 }, saturationThreshold: 0 },
    }),
    ...classesOf({
      ...{ name: "c", capacity: { tokens: 2 ** 39 }, windowMs: 777 },
      ...{ shares: { x: 1 / 3, y: 1 / 3 }, saturationThreshold: 0.3333 },
    }),
  ],
};

/** The units of a pool as each of its classes asks for them. */
function classesOf(options: PriorityPoolOptions): readonly Asked[] {
  const pool = priorityPool(options);
  return pool.classes.map((_, place) => poolUnitsOf(pool, place));
}

const ofAllKinds: readonly Asked[] = [
  ...Object.values(kinds).flat(),
  fixedWindow({ name: "a", max: 5, windowMs: 100, unit: "tokens" }),
];

async function play(asked: readonly Asked[], startMs: number, steps: readonly never[]) {
  await server.command("FLUSHDB");
  const limits = asked.flat() as readonly CheckLimit[];
  const slots = limits.filter(({ kind }) => kind === "concurrency").map(({ name }) => name);
  const on = new TwinPlay(server, startMs, [...new Set(slots)]);
  for (const step of steps) {
    await on.step(step);
    stepsPlayed += 1;
  }
}

describe("Each script is the twin of its transition:", () => {
  for (const [name, asked] of [
    ...Object.entries(kinds),
    ["all kinds mixed", ofAllKinds] as const,
  ]) {
    it(`random commands on ${name} get the same replies and leave the same state`, async () => {
      const startMs = fc.constantFrom(0, 1_764_000_000_123);
      const steps = fc.array(anyStep(asked), { minLength: 1, maxLength: 40, size: "max" });
      await fc.assert(
        fc.asyncProperty(startMs, steps, (at, all) => play(asked, at, all as never)),
        runs(name === "all kinds mixed" ? 60 : 25),
      );
    }, 120_000);
  }

  it.each(foundSequences)("and stays so where it once was not: $what", async (found) => {
    await play(ofAllKinds, found.startMs, found.steps as never);
  });

  it("was compared over thousands of steps", () => {
    expect(stepsPlayed).toBeGreaterThan(runs(2_000).numRuns);
  });
});
