import { expect } from "vitest";
import type { NaiveGate } from "./naive-gate";
import type { Step } from "./scenario";
import type { Subject } from "./subject";

/** Takes one step with both. */
export async function take(step: Step, subject: Subject, model: NaiveGate): Promise<void> {
  switch (step.do) {
    case "enter":
      subject.enter(step.deadlineMs, step.isAborted);
      model.enter(step.deadlineMs ?? Number.POSITIVE_INFINITY, step.isAborted);
      break;
    case "end": {
      // Mostly a permit that is held; every fifth time one that was given back already.
      const held = model.all("running");
      const ids = subject.started.filter((id) => model.asked[id]?.state === "gone");
      const id = step.pick % 5 === 0 ? ids[step.pick % (ids.length || 1)] : undefined;
      if (id !== undefined) subject.permits[id]?.end();
      const one = held[step.pick % (held.length || 1)];
      if (one === undefined) break;
      subject.permits[one.id]?.end();
      model.end(one);
      break;
    }
    case "abort": {
      const one = model.asked[step.pick % (model.asked.length || 1)];
      if (one === undefined) break;
      subject.controllers[one.id]?.abort();
      if (one.state === "waiting") model.refuse(one, "aborted");
      break;
    }
    case "advance":
      subject.clock.advance(step.ms);
      model.advance(step.ms);
      break;
    case "update":
      subject.gate.update(step.update);
      model.update(step.update);
      break;
    case "bad update":
      expect(() => subject.gate.update({ maxInFlight: 0, mode: "off" })).toThrow();
      break;
    case "drain":
      subject.drain();
      model.drain();
      break;
  }
  // Two turns of the microtask queue: one for verdicts, one for what was chained to them.
  await undefined;
  await undefined;
}

/** What callers were told, all counts and all settings are the same on both sides. */
export function expectAgreement(subject: Subject, model: NaiveGate) {
  expect(subject.answers).toEqual(model.asked.map(({ answer }) => answer));
  const refusals = model.asked.filter(({ answer }) => answer !== undefined && "reason" in answer);
  expect(subject.gate.stats()).toMatchObject({
    inFlight: model.all("running").length,
    queued: model.all("waiting").length,
    admitted: model.asked.filter(({ startedAt }) => startedAt >= 0).length,
    rejected: refusals.length,
    shadowRejected: model.shadowed,
  });
  expect(subject.gate.settings).toEqual({
    maxInFlight: model.cap,
    queue: { max: model.queueMax ?? model.cap, timeoutMs: model.timeout },
    mode: model.mode,
    enforceRatio: model.ratio,
  });
  expect(subject.hasDrained).toBe(model.isDraining && model.all("running").length === 0);
}
