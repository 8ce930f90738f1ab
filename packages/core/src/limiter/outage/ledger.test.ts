import { describe, expect, it } from "vitest";
import type { SluiceEvent } from "../../event/event";
import { concurrency } from "../../limit/concurrency";
import { fixedWindow } from "../../limit/fixed-window";
import type { Limit } from "../../limit/limit";
import { LastTold } from "./last-told";
import { ACCOUNTS_MAX, Ledger } from "./ledger";
import { LocalDeputy } from "./local-deputy";
import { LocalLimits } from "./local-limits";

const counter = fixedWindow({ max: 10, windowMs: 1_000 });
const slots = concurrency({ max: 10, leaseMs: 100_000 });

function setLedger() {
  const events: SluiceEvent[] = [];
  const ledger = new Ledger({ record: (event) => void events.push(event) });
  const deputy = new LocalDeputy(new LocalLimits(2), ledger, new LastTold());
  const admit = (id: string, limit: Limit, nowMs: number) => {
    const targets = [{ kind: "key", id, limits: [limit] }];
    const cost = { requests: 1 };
    deputy.admit({ type: "admit", operationId: id, serial: 1, cost, targets }, nowMs);
  };
  return { ledger, events, admit };
}

describe("The accounts of an outage", () => {
  it("are bounded: the oldest goes, and is told; one with leases stays", () => {
    const { ledger, events, admit } = setLedger();
    admit("held", slots, 0);
    for (let id = 1; id < ACCOUNTS_MAX; id += 1) admit(`k${id}`, counter, 0);
    expect(events).toEqual([]);
    admit("one more", counter, 0);
    expect(events).toEqual([{ type: "local_use_dropped", key: "key:k1" }]);
    expect(ledger.size).toBe(ACCOUNTS_MAX);
    expect(ledger.find({ kind: "key", id: "held" })).toBeDefined();
    expect(ledger.find({ kind: "key", id: "k1" })).toBeUndefined();
  });

  it("go when their windows are over, a few with each answer of the store", () => {
    const { ledger, admit } = setLedger();
    for (let id = 0; id < 100; id += 1) admit(`k${id}`, counter, 0);
    admit("held", slots, 0);
    for (let answers = 0; answers < 60; answers += 1) ledger.sweep(999);
    expect(ledger.size).toBe(101);
    for (let answers = 0; answers < 60; answers += 1) ledger.sweep(1_000);
    expect(ledger.size).toBe(1);
    expect(ledger.hasUnreported).toBe(true);
  });
});
