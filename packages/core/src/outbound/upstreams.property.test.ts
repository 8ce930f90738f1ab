import {
  createUpstreams,
  type Outcome,
  type UpstreamPermit,
  type UpstreamVerdict,
} from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import fc from "fast-check";
import { describe, it } from "vitest";
import { runs } from "../../test/runs";
import { SettableLimit } from "../../test/settable-limit";

const models = ["a", "b", "c", "d"] as const;
const outcomes: readonly Outcome[] = ["success", "dropped", "ignored"];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("enter" as const),
      model: fc.constantFrom(...models),
      attempt: fc.integer({ min: 1, max: 4 }),
      deadlineMs: fc.constantFrom(Number.POSITIVE_INFINITY, 0, 10, 300),
      abortAfterMs: fc.constantFrom(undefined, 0, 5, 200),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("end" as const),
      which: fc.nat({ max: 100 }),
      outcome: fc.constantFrom(...outcomes),
      refused: fc.constantFrom(undefined, {}, { retryAfterMs: 40 }),
      firstByte: fc.boolean(),
    }),
  },
  fc.record({ type: fc.constant("limit" as const), limit: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ type: fc.constant("wait" as const), ms: fc.nat({ max: 400 }) }),
);

describe("upstreams under any interleaving of calls, ends, aborts, pauses and limits", () => {
  it("settle every call once, and hold nothing in the end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), fc.boolean(), async (steps, toFirst) => {
        const clock = new FakeClock();
        const limits: SettableLimit[] = [];
        const upstreams = createUpstreams({
          maxInFlight: () => {
            const limit = new SettableLimit(2);
            limits.push(limit);
            return limit;
          },
          queue: { max: 3, timeoutMs: 250 },
          heldUntil: toFirst ? "first-byte" : "end",
          parents: { shared: { maxInFlight: 3, queue: { max: 2, timeoutMs: 100 } } },
          parentOf: ({ model }) => (model === "d" ? undefined : "shared"),
          maxKeys: 2,
          clock,
          random: seededRandom(steps.length),
        });
        const open: UpstreamPermit[] = [];
        const calls: Promise<void>[] = [];
        let settled = 0;
        const keep = (verdict: UpstreamVerdict) => {
          settled += 1;
          if (verdict.admitted) open.push(verdict.permit);
        };
        const end = (permit: UpstreamPermit | undefined, outcome: Outcome) => permit?.end(outcome);
        for (const each of steps) {
          if (each.type === "enter") {
            const { model, attempt, deadlineMs, abortAfterMs } = each;
            const leaving = new AbortController();
            if (abortAfterMs === 0) leaving.abort();
            else if (abortAfterMs !== undefined) clock.after(abortAfterMs, () => leaving.abort());
            const options = { attempt, deadlineMs, signal: leaving.signal };
            calls.push(upstreams.upstream({ model }).enter(options).then(keep));
          } else if (each.type === "end") {
            const [permit] = open.splice(each.which % (open.length + 1), 1);
            if (each.firstByte) permit?.firstByte();
            if (each.refused !== undefined) permit?.refused(each.refused);
            end(permit, each.outcome);
            end(permit, "success");
          } else if (each.type === "limit") limits.at(-1)?.set(each.limit);
          else await clock.advanceAsync(each.ms);
          await clock.advanceAsync(0);
          const held = upstreams.stats().reduce((sum, { inFlight }) => sum + inFlight, 0);
          if (!toFirst && held < open.length) throw new Error(`${held} held of ${open.length}`);
        }
        await clock.advanceAsync(1000);
        for (const permit of open.splice(0)) permit.end();
        await clock.advanceAsync(0);
        for (const permit of open.splice(0)) permit.end();
        await Promise.all(calls);
        if (settled !== calls.length) throw new Error("a call was settled twice, or never");
        for (const { inFlight, queued, key } of upstreams.stats()) {
          if (inFlight + queued > 0) throw new Error(`${JSON.stringify(key)} holds ${inFlight}`);
        }
        await upstreams.drain();
        if (limits.some(({ listenerCount }) => listenerCount > 0))
          throw new Error("a limit was not let go");
        if (clock.pendingTimers > steps.length) throw new Error("timers are left");
      }),
      runs(150),
    );
  });
});
