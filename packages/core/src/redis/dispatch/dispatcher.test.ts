import { describe, expect, it } from "vitest";
import {
  DispatcherStage,
  errorOf,
  TIMEOUT_MS,
} from "../../../test/redis/dispatch/dispatcher-stage";
import { carriedBy } from "../../../test/redis/dispatch/numbered-operation";
import {
  connectionLost,
  notSent,
  refused,
  refusedForNow,
} from "../../../test/redis/dispatch/scripted-executor";

const isLate = () => true;

/** What the calls carry that were sent so far. */
const sentBy = (stage: DispatcherStage) =>
  stage.sent.map((call) => `${call.script.name} ${carriedBy(call).numbers.join()}`);

describe("Commands", () => {
  it("that are asked together go in one call, and each gets its own answer", async () => {
    const stage = new DispatcherStage();
    const callers = [stage.ask("admit"), stage.ask("admit"), stage.ask("admit")];
    await stage.turn();
    expect(sentBy(stage)).toEqual(["admit 0,1,2"]);
    await stage.reply();
    expect(callers.map(({ answer }) => answer)).toEqual([0, 1, 2]);
  });

  it("go at once while nothing is under way, else with those that arrive in the same turn", async () => {
    const stage = new DispatcherStage();
    stage.ask("admit");
    await stage.clock.advanceAsync(0);
    expect(sentBy(stage)).toEqual(["admit 0"]);
    stage.ask("admit");
    await stage.clock.advanceAsync(0);
    stage.ask("admit");
    await stage.clock.advanceAsync(0);
    expect(stage.sent.length).toBe(1);
    await stage.turn();
    expect(sentBy(stage)).toEqual(["admit 0", "admit 1,2"]);
  });

  it("that free go before those that take, and renewals before both", async () => {
    const stage = new DispatcherStage();
    for (const name of ["peek", "admit", "reset", "undo", "release", "settle", "renew"]) {
      stage.ask(name);
    }
    await stage.turn();
    expect(stage.sent.map(({ script }) => script.name)).toEqual([
      "renew",
      "settle",
      "release",
      "undo",
      "reset",
      "admit",
      "peek",
    ]);
  });

  it("share a call up to a weight of 32; a heavier one goes alone", async () => {
    const stage = new DispatcherStage();
    for (const weight of [16, 16, 1, 31.5, 0.5, 40, 1]) stage.ask("admit", { weight });
    await stage.turn();
    expect(sentBy(stage)).toEqual(["admit 0,1", "admit 2", "admit 3,4", "admit 5", "admit 6"]);
  });

  it("share a call on a cluster only in one slot", async () => {
    const stage = new DispatcherStage();
    stage.executor.isCluster = true;
    for (const slot of [7, 9, 7, 9, 8]) stage.ask("admit", { slot });
    await stage.turn();
    expect(sentBy(stage)).toEqual(["admit 0,2", "admit 1,3", "admit 4"]);
  });
});

describe("A deadline", () => {
  it("answers the caller at its instant, whatever the client does", async () => {
    const stage = new DispatcherStage();
    const caller = stage.ask("admit");
    await stage.pass(TIMEOUT_MS - 1);
    expect(caller.answer).toBeUndefined();
    await stage.pass(1);
    expect(errorOf(caller)).toBe("timeout");
  });

  it("waits for a turn of I/O, in which the answer may come", async () => {
    const stage = new DispatcherStage();
    const callers = [stage.ask("admit"), stage.ask("peek")];
    await stage.turn();
    await stage.clock.advanceAsync(TIMEOUT_MS);
    stage.call(0).reply([5, 0]);
    await stage.turn();
    expect(callers.map(({ answer }) => typeof answer)).toEqual(["number", "object"]);
  });

  it("is each command's own, and may be nearer than the time-out", async () => {
    const stage = new DispatcherStage();
    const near = stage.ask("admit", { expiresAtMs: stage.clock.nowMs() + 30 });
    const far = stage.ask("admit");
    await stage.pass(30);
    expect([errorOf(near), far.answer]).toEqual(["timeout", undefined]);
    await stage.reply();
    expect(far.answer).toBe(1);
  });

  it("travels in the time of the server as soon as that is known", async () => {
    const stage = new DispatcherStage();
    stage.ask("admit");
    await stage.turn();
    expect(carriedBy(stage.call(0)).deadlinesMs).toEqual([0]);
    stage.call(0).reply([5_000, 0]);
    await stage.turn();
    stage.ask("admit");
    stage.ask("admit", { expiresAtMs: stage.clock.nowMs() + 40 });
    await stage.turn();
    expect(carriedBy(stage.call(1)).deadlinesMs).toEqual([5_100, 5_040]);
  });
});

describe("LATE", () => {
  it("to a caller who waits is asked again once, without a deadline", async () => {
    const stage = new DispatcherStage();
    stage.ask("admit");
    await stage.turn();
    await stage.reply();
    const [late, other] = [stage.ask("admit"), stage.ask("admit")];
    await stage.turn();
    await stage.reply(1, (number) => number === late.number);
    expect(other.answer).toBe(2);
    await stage.turn();
    expect(carriedBy(stage.call(2))).toEqual({ numbers: [1], deadlinesMs: [0] });
    await stage.reply();
    expect(late.answer).toBe(1);
  });

  it("before the deadline means that the server's clock is not known any more", async () => {
    const stage = new DispatcherStage();
    stage.ask("admit");
    await stage.turn();
    await stage.reply();
    stage.ask("admit");
    await stage.turn();
    await stage.reply(-1, isLate);
    stage.ask("admit");
    await stage.turn();
    expect(carriedBy(stage.call(-1))).toEqual({ numbers: [2], deadlinesMs: [0] });
  });

  it("after the deadline is the truth: the clock is still known, and one more try has none", async () => {
    const stage = new DispatcherStage();
    stage.ask("admit");
    await stage.turn();
    await stage.reply();
    stage.ask("admit");
    await stage.turn();
    await stage.clock.advanceAsync(TIMEOUT_MS);
    await stage.reply(-1, isLate);
    expect(carriedBy(stage.call(-1))).toEqual({ numbers: [1], deadlinesMs: [0] });
    stage.ask("admit");
    await stage.turn();
    const deadlineMs = stage.clock.nowMs() + TIMEOUT_MS;
    expect(carriedBy(stage.call(-1))).toEqual({ numbers: [2], deadlinesMs: [deadlineMs] });
  });

  it("to a caller who has given up is the end of it", async () => {
    const stage = new DispatcherStage();
    const caller = stage.ask("admit");
    await stage.pass(TIMEOUT_MS);
    await stage.reply(0, isLate);
    await stage.pass(TIMEOUT_MS);
    expect([stage.sent.length, errorOf(caller), caller.lateReplies]).toEqual([1, "timeout", []]);
  });
});

describe("A reply", () => {
  it("that comes too late is told to who wants to know, once", async () => {
    const stage = new DispatcherStage();
    const [late, inTime] = [stage.ask("admit"), stage.ask("admit")];
    await stage.pass(TIMEOUT_MS);
    await stage.reply(0);
    await stage.pass(TIMEOUT_MS);
    expect([late.lateReplies, inTime.lateReplies]).toEqual([[0], [1]]);
    expect(errorOf(late)).toBe("timeout");
  });

  it.each([
    { what: "no list", reply: "OK" },
    { what: "an empty list", reply: [] },
    { what: "too short", reply: [5, 0] },
    { what: "of other things", reply: [5, "x", "y"] },
  ])("that is $what is a broken protocol, and not executed is not said", async ({ reply }) => {
    const stage = new DispatcherStage();
    const callers = [stage.ask("admit"), stage.ask("admit")];
    await stage.turn();
    stage.call(0).reply(reply);
    await stage.turn();
    expect(errorOf(callers[1] as never)).toBe("protocol");
    await stage.pass(TIMEOUT_MS);
    expect(stage.sent.length).toBe(1);
  });
});

describe("A call that fails", () => {
  it.each([
    { failure: notSent, told: "unreachable, not executed" },
    { failure: connectionLost, told: "unreachable" },
    { failure: refused, told: "refused, not executed" },
  ])("is told as $told, at once, and is not sent again", async ({ failure, told }) => {
    const stage = new DispatcherStage();
    const callers = [stage.ask("admit"), stage.ask("admit")];
    await stage.turn();
    await stage.fail(failure);
    expect(callers.map(errorOf)).toEqual([told, told]);
    await stage.pass(TIMEOUT_MS);
    expect(stage.sent.length).toBe(1);
  });

  it("for now is sent again within 20 to 50 ms, while there is time", async () => {
    const stage = new DispatcherStage();
    const caller = stage.ask("admit");
    await stage.turn();
    await stage.fail(refusedForNow);
    await stage.pass(19);
    expect(stage.sent.length).toBe(1);
    await stage.pass(31);
    expect(stage.sent.length).toBe(2);
    await stage.reply();
    expect(caller.answer).toBe(0);
  });

  it("for now is told when there is no time for another try", async () => {
    const stage = new DispatcherStage();
    const caller = stage.ask("admit");
    await stage.pass(TIMEOUT_MS - 20);
    await stage.fail(refusedForNow);
    expect(errorOf(caller)).toBe("refused, not executed");
  });
});

describe("A node that does not answer", () => {
  it("is not called any more after five calls, and called again after a probe", async () => {
    const stage = new DispatcherStage();
    for (let calls = 0; calls < 5; calls += 1) {
      stage.ask("admit");
      await stage.turn();
      await stage.fail(connectionLost);
    }
    const refusedHere = stage.ask("admit");
    await stage.turn();
    expect([errorOf(refusedHere), stage.sent.length]).toEqual(["unreachable, not executed", 5]);
    await stage.pass(250);
    const probing = stage.ask("admit");
    await stage.turn();
    expect(errorOf(probing)).toBe("unreachable, not executed");
    expect(stage.call(5)).toMatchObject({ keys: ["p1:{k:6}"], argument: "[[]]" });
    stage.call(5).reply([5]);
    await stage.turn();
    const after = stage.ask("admit");
    await stage.turn();
    await stage.reply();
    expect(after.answer).toBe(7);
    expect(stage.changes).toEqual(["opened server", "closed server"]);
  });

  it("is probed also for a command that names no descriptor", async () => {
    const stage = new DispatcherStage();
    for (let calls = 0; calls < 5; calls += 1) {
      stage.ask("admit");
      await stage.turn();
      await stage.fail(connectionLost);
    }
    await stage.pass(250);
    const caller = stage.ask("release", { targets: [] });
    await stage.turn();
    expect(errorOf(caller)).toBe("unreachable, not executed");
    stage.call(5).reply([5]);
    await stage.turn();
    expect(stage.changes).toEqual(["opened server", "closed server"]);
  });

  it("is one call that failed, however many commands were in it", async () => {
    const stage = new DispatcherStage();
    for (let commands = 0; commands < 20; commands += 1) stage.ask("admit");
    await stage.pass(TIMEOUT_MS);
    expect(stage.callers.map(errorOf)).toEqual(stage.callers.map(() => "timeout"));
    expect(stage.changes).toEqual([]);
  });

  it("is not one that refuses", async () => {
    const stage = new DispatcherStage();
    for (let calls = 0; calls < 30; calls += 1) {
      stage.ask("admit");
      await stage.turn();
      await stage.fail(refused);
    }
    expect([stage.changes, stage.sent.length]).toEqual([[], 30]);
  });

  it("leaves the others alone, and a slot that moves follows its new node", async () => {
    const stage = new DispatcherStage();
    const { executor } = stage;
    executor.isCluster = true;
    executor.nodeOf = (slot) => (slot < 100 ? "a" : "b");
    for (let calls = 0; calls < 5; calls += 1) {
      stage.ask("admit", { slot: 1 });
      await stage.turn();
      await stage.fail(connectionLost);
    }
    const other = stage.ask("admit", { slot: 100 });
    await stage.turn();
    await stage.reply();
    expect(other.answer).toBe(5);
    executor.nodeOf = () => "b";
    const moved = stage.ask("admit", { slot: 1 });
    await stage.turn();
    await stage.reply();
    expect(moved.answer).toBe(6);
  });

  it("between asking and sending does not lose the command", async () => {
    const stage = new DispatcherStage();
    stage.executor.isCluster = true;
    const caller = stage.ask("admit", { slot: 1 });
    stage.executor.nodeOf = () => "elsewhere";
    await stage.turn();
    await stage.reply();
    expect(caller.answer).toBe(0);
  });
});

describe("Commands that wait", () => {
  it("are at most so many; more are refused at once, until some were answered", async () => {
    const stage = new DispatcherStage({ maxInFlight: 3 });
    const taken = [stage.ask("admit"), stage.ask("peek"), stage.ask("settle")];
    const surplus = stage.ask("admit");
    await stage.turn();
    expect(errorOf(surplus)).toBe("refused, not executed");
    await stage.reply(0);
    stage.ask("admit");
    await stage.turn();
    const again = stage.ask("admit");
    await stage.turn();
    expect(errorOf(again)).toBe("refused, not executed");
    expect(taken.filter(({ answer }) => answer !== undefined).length).toBe(1);
  });

  it.each([
    { what: "replies", end: (stage: DispatcherStage) => stage.reply(0) },
    { what: "failures", end: (stage: DispatcherStage) => stage.fail(connectionLost, 0) },
  ])("make room when their callers give up, and late $what make no more of it", async ({ end }) => {
    const stage = new DispatcherStage({ maxInFlight: 2 });
    stage.ask("admit");
    stage.ask("admit");
    await stage.pass(TIMEOUT_MS);
    await end(stage);
    const callers = [stage.ask("admit"), stage.ask("admit"), stage.ask("admit")];
    await stage.turn();
    expect(callers.map(errorOf)).toEqual([
      "no error: undefined",
      "no error: undefined",
      "refused, not executed",
    ]);
  });
});

describe("Closing", () => {
  it("refuses at once who was not sent, and whoever comes later", async () => {
    const stage = new DispatcherStage();
    const early = stage.ask("admit");
    stage.dispatcher.close();
    const later = stage.ask("admit");
    await stage.clock.advanceAsync(0);
    expect([errorOf(early), errorOf(later)]).toEqual([
      "closed, not executed",
      "closed, not executed",
    ]);
    await stage.pass(TIMEOUT_MS);
    expect(stage.sent).toEqual([]);
  });

  it("leaves calls under way their answer, or their deadline", async () => {
    const stage = new DispatcherStage();
    const [answered, silent] = [stage.ask("admit"), stage.ask("peek")];
    await stage.turn();
    stage.dispatcher.close();
    await stage.reply(0);
    expect(answered.answer).toBe(0);
    await stage.pass(TIMEOUT_MS);
    expect(errorOf(silent)).toBe("timeout");
    expect(stage.clock.isIdle).toBe(true);
  });

  it("ends further tries: of those that wait for one, and of those that would need one", async () => {
    const stage = new DispatcherStage();
    const [paused, late] = [stage.ask("admit"), stage.ask("peek")];
    await stage.turn();
    await stage.fail(refusedForNow, 0);
    stage.dispatcher.close();
    await stage.reply(1, isLate);
    expect([errorOf(paused), errorOf(late)]).toEqual([
      "closed, not executed",
      "closed, not executed",
    ]);
    await stage.pass(TIMEOUT_MS);
    expect(stage.sent.length).toBe(2);
  });
});
