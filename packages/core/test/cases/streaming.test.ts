import { createGate, type Gate, type GatePermit } from "@sluice/core";
import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";

/** A call whose headers come at once and whose body flows for a time, as `fetch` shows it. */
class StreamedCall {
  readonly body: ReadableStream<string>;
  #end = () => {};

  constructor(clock: FakeClock, bodyMs: number, how: "ends" | "fails" = "ends") {
    this.body = new ReadableStream<string>({
      start: (controller) => {
        controller.enqueue("first chunk");
        this.#end = clock.after(bodyMs, () => {
          if (how === "ends") controller.close();
          else controller.error(new Error("connection reset"));
        });
      },
      cancel: () => this.#end(),
    });
  }
}

/** Reads a body to its end and gives the slot back then, whatever the end is. */
async function readHeld(permit: GatePermit, call: StreamedCall): Promise<void> {
  permit.firstByte();
  const reader = call.body.getReader();
  try {
    while (!(await reader.read()).done);
    permit.end("success");
  } catch {
    permit.end("dropped");
  }
}

async function permitOf(gate: Gate): Promise<GatePermit> {
  const verdict = await gate.enter();
  if (!verdict.admitted) throw new Error(`expected to enter: ${verdict.rejection.reason}`);
  return verdict.permit;
}

describe("R029: a slot around a streamed call", () => {
  it("is held until the body has ended, not until the headers came", async () => {
    const clock = new FakeClock();
    const gate = createGate({ clock, maxInFlight: 2, queue: { max: 3, timeoutMs: 10_000 } });
    let open = 0;
    let openMax = 0;
    const endedAtMs: number[] = [];
    const call = async () => {
      const permit = await permitOf(gate);
      open += 1;
      openMax = Math.max(openMax, open);
      await readHeld(permit, new StreamedCall(clock, 1_000));
      open -= 1;
      endedAtMs.push(clock.nowMs());
    };
    const calls = Promise.all([call(), call(), call(), call(), call()]);
    await clock.advanceAsync(500);
    expect(gate.stats()).toMatchObject({ inFlight: 2, queued: 3 });
    await clock.advanceAsync(5_000);
    await calls;
    expect(openMax).toBe(2);
    expect(endedAtMs).toEqual([1_000, 1_000, 2_000, 2_000, 3_000]);
    expect(gate.stats()).toMatchObject({ inFlight: 0, queued: 0, admitted: 5 });
  });

  it("is back at once when there is no body, as for 204 and HEAD", async () => {
    const clock = new FakeClock();
    const gate = createGate({ clock, maxInFlight: 1, queue: { max: 0 } });
    for (let request = 0; request < 3; request += 1) {
      const permit = await permitOf(gate);
      permit.firstByte();
      permit.end();
      expect(gate.stats().inFlight).toBe(0);
    }
    expect(clock.nowMs()).toBe(0);
  });

  it("is back once when the body is cancelled", async () => {
    const clock = new FakeClock();
    const gate = createGate({ clock, maxInFlight: 1, queue: { max: 0 } });
    const permit = await permitOf(gate);
    const { body } = new StreamedCall(clock, 1_000);
    await clock.advanceAsync(100);
    await body.cancel("client left");
    permit.end("ignored");
    permit.end("success");
    expect(gate.stats().inFlight).toBe(0);
    expect(clock.isIdle).toBe(true);
    await permitOf(gate);
    expect((await gate.enter()).admitted).toBe(false);
  });

  it("is back once when the body fails", async () => {
    const clock = new FakeClock();
    const outcomes: string[] = [];
    const gate = createGate({
      clock,
      maxInFlight: 1,
      queue: { max: 0 },
      recorder: {
        record: (event) => {
          if (event.type === "gate_ended") outcomes.push(event.outcome);
        },
      },
    });
    const permit = await permitOf(gate);
    const read = readHeld(permit, new StreamedCall(clock, 1_000, "fails"));
    await clock.advanceAsync(1_000);
    await read;
    permit.end("success");
    expect(outcomes).toEqual(["dropped"]);
    expect(gate.stats().inFlight).toBe(0);
    await permitOf(gate);
    expect((await gate.enter()).admitted).toBe(false);
  });
});
