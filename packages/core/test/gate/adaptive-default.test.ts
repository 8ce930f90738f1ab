import { adaptiveLimit, createGate } from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";

const HANG_FROM_MS = 20_000;
const HANG_TO_MS = 60_000;
const END_MS = 100_000;
const TIMEOUT_MS = 5_000;
const GAP_MS = 20;
const WORK_MS = 50;

/** 50 calls a second of 50 ms each, to an upstream that answers nobody from 20 to 60 s. */
async function play() {
  const clock = new FakeClock();
  const limit = adaptiveLimit({ clock, random: seededRandom(7) });
  const queue = { max: 10, timeoutMs: 200 };
  const gate = createGate({ maxInFlight: limit, queue, clock, random: seededRandom(8) });
  const served: number[] = [];
  const starts: number[] = [];
  let [mostBeyond, inFlightAtDecrease, lastLimit] = [0, 0, limit.limit];
  limit.onChange(() => {
    if (limit.limit < lastLimit) inFlightAtDecrease = gate.stats().inFlight;
    lastLimit = limit.limit;
  });
  const call = () => {
    void gate.enter().then((verdict) => {
      if (!verdict.admitted) return;
      const startedAtMs = clock.nowMs();
      starts.push(startedAtMs);
      const hangs = startedAtMs >= HANG_FROM_MS && startedAtMs < HANG_TO_MS;
      clock.after(hangs ? TIMEOUT_MS : WORK_MS, () => {
        verdict.permit.end(hangs ? "dropped" : "success");
        if (!hangs) served.push(startedAtMs);
      });
    });
    const { inFlight } = gate.stats();
    mostBeyond = Math.max(mostBeyond, inFlight - Math.max(limit.limit, inFlightAtDecrease));
    if (clock.nowMs() < END_MS) clock.after(GAP_MS, call);
  };
  call();
  const limits: number[] = [];
  for (let second = 0; second < END_MS / 1000; second++) {
    await clock.advanceAsync(1000);
    limits.push(limit.limit);
  }
  const drained = gate.drain();
  await clock.runUntilIdle();
  await drained;
  const within = (all: readonly number[], fromMs: number, toMs: number) =>
    all.filter((at) => at >= fromMs && at < toMs).length;
  return { gate, limits, mostBeyond, within, served, starts };
}

describe("a gate with the adaptive default before an upstream that hangs", () => {
  it("shrinks, goes on probing, recovers, and is never more than one beyond its limit", async () => {
    const { gate, limits, mostBeyond, within, served, starts } = await play();
    const offered = (ms: number) => ms / GAP_MS;
    expect(within(served, 0, HANG_FROM_MS)).toBeGreaterThan(0.99 * offered(HANG_FROM_MS));
    // Ten seconds are two time-outs: time to see that nothing is answered.
    expect(Math.max(...limits.slice(45, 60))).toBeLessThanOrEqual(5);
    expect(within(starts, 45_000, 60_000)).toBeGreaterThan(0);
    expect(within(served, 75_000, END_MS)).toBeGreaterThan(0.9 * offered(END_MS - 75_000));
    expect(mostBeyond).toBeLessThanOrEqual(1);
    expect(gate.stats()).toMatchObject({ inFlight: 0, queued: 0 });
  });
});

describe("a gate with the adaptive default and streams", () => {
  it.each([
    { name: "R071: 60 s after 50 ms", streamMs: 60_000, firstByteMs: 50 },
    { name: "45 s after 280 ms", streamMs: 45_000, firstByteMs: 280 },
  ])("does not take their length for load: $name", async ({ streamMs, firstByteMs }) => {
    const clock = new FakeClock();
    const random = seededRandom(3);
    const limit = adaptiveLimit({ clock, random });
    const gate = createGate({ maxInFlight: limit, heldUntil: "first-byte", clock, random });
    const initial = limit.limit;
    let open = 0;
    for (let second = 0; second < 180; second++) {
      for (let call = 0; call < 4; call++) {
        const verdict = await gate.enter();
        if (!verdict.admitted) continue;
        open += 1;
        clock.after(firstByteMs * (0.9 + 0.2 * random.next()), () => verdict.permit.firstByte());
        clock.after(streamMs, () => {
          open -= 1;
          verdict.permit.end();
        });
        await clock.advanceAsync(250);
      }
    }
    expect(open).toBeGreaterThan(170);
    expect(limit.limit).toBeGreaterThanOrEqual(initial);
    expect(gate.stats()).toMatchObject({ rejected: 0, admitted: 720 });
  });
});
