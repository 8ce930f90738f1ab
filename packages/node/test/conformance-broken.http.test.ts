import type { Gate, Limiter } from "@sluice/core";
import {
  type AdapterMount,
  type AdapterScenario,
  describeAdapterConformance,
  type LimitsMount,
} from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { startNode } from "./conformance/start-node";

type Run = () => Promise<void>;

/** The cases of an adapter that mounts something else than it is told to, by name. */
function casesOf(fault: (mount: AdapterMount) => readonly AdapterMount[]): Map<string, Run> {
  const cases = new Map<string, Run>();
  const start = (scenario: AdapterScenario) =>
    startNode({ ...scenario, mounts: scenario.mounts.flatMap(fault) });
  describeAdapterConformance(
    { name: "broken", lacks: { http2: "HTTP/1.1 is enough to see the fault" }, start },
    {
      describe: (_name, define) => define(),
      it: (name, run) => cases.set(name.replace(" [broken, HTTP/1.1]", ""), run),
    },
    () => {},
  );
  return cases;
}

/** A gate whose slots do not come back when the client has left. */
function forgetful(gate: Gate): Gate {
  const enter: Gate["enter"] = async (options) => {
    const verdict = await gate.enter(options);
    if (!verdict.admitted) return verdict;
    const { permit } = verdict;
    const end: typeof permit.end = (outcome) => {
      if (outcome !== "ignored") permit.end(outcome);
    };
    const forgets = { waitedMs: permit.waitedMs, firstByte: () => permit.firstByte(), end };
    return { ...verdict, permit: forgets };
  };
  return Object.create(gate, {
    enter: { value: enter },
    hasRoom: { get: () => gate.hasRoom },
    wantsFirstByte: { get: () => gate.wantsFirstByte },
    stats: { value: () => gate.stats() },
  });
}

/** A limiter whose permits are closed by nobody. */
function leaking(limiter: Limiter): Limiter {
  const admit: Limiter["admit"] = async (question) => {
    const verdict = await limiter.admit(question);
    if (verdict.admitted) verdict.permit.finish = () => Promise.resolve();
    return verdict;
  };
  return { ...limiter, admit, close: () => limiter.close() };
}

interface Fault {
  readonly mounted: (mount: AdapterMount) => readonly AdapterMount[];
  readonly failing: readonly string[];
  /** A case that has nothing to do with it. */
  readonly passing: string;
}

const onlyOptions =
  (options: Partial<LimitsMount["options"]>): Fault["mounted"] =>
  (mount) =>
    mount.kind === "gate" ? [mount] : [{ ...mount, options: { ...mount.options, ...options } }];

const faults: Readonly<Record<string, Fault>> = {
  "keeps the slot of who has left": {
    mounted: (mount) => [mount.kind === "gate" ? { ...mount, gate: forgetful(mount.gate) } : mount],
    failing: ["R031: who leaves while the handler works frees gate and slot at once, and once"],
    passing: "A2: who waits too long is refused with 503, and holds nothing",
  },
  "never closes a permit": {
    mounted: (mount) => [
      mount.kind === "limits" ? { ...mount, limiter: leaking(mount.limiter) } : mount,
    ],
    failing: ["E-28: the handler finds the verdict on its request, with an open permit"],
    passing: "R056: a store that is away is 503 with the configured hint, under the policy reject",
  },
  "charges once for each mounting": {
    mounted: (mount) => Array.from({ length: mount.times }, () => ({ ...mount, times: 1 })),
    failing: [
      "R089: limits that are mounted twice charge once, and hold one slot",
      "R089: a gate that is mounted twice takes one slot",
    ],
    passing: "R089: two limits that differ both charge, and the tighter one rejects",
  },
  "sends no headers with admitted answers": {
    mounted: onlyOptions({ admittedHeaders: "none" }),
    failing: [
      "E-22: an admitted answer says where the caller stands, and nothing of waiting",
      "a path without a route is limited like any other, and stays a 404",
    ],
    passing: "admitted answers say nothing if they are told to, rejected ones still do",
  },
  "refunds what nobody asked it to": {
    mounted: onlyOptions({ refundWhen: () => true }),
    failing: ["nothing is refunded by itself: what failed or was cut keeps its reservation"],
    passing: "a refund that the handler asks for is made at the end",
  },
};

describe("the suite", () => {
  for (const [name, { mounted, failing, passing }] of Object.entries(faults)) {
    const cases = casesOf(mounted);
    const run = async (each: string) => {
      const found = cases.get(each);
      if (found === undefined) throw new Error(`There is no case named: ${each}`);
      await found();
    };
    it.each(failing)(`finds an adapter that ${name}: %s`, async (each) => {
      await expect(run(each)).rejects.toThrow(/vain|Expected values/);
    });
    it(`finds nothing else in it: ${passing}`, () => run(passing));
  }
});

describe("the suite of adapters", () => {
  it("has at least 120 cases per protocol, each under a name of its own", () => {
    const names: string[] = [];
    describeAdapterConformance(
      { name: "any", start: startNode },
      { describe: (_name, define) => define(), it: (name) => names.push(name) },
      () => {},
    );
    expect(new Set(names).size).toBe(names.length);
    const countOf = (protocol: string) => names.filter((each) => each.endsWith(protocol)).length;
    expect(countOf("[any, HTTP/1.1]")).toBeGreaterThanOrEqual(120);
    expect(countOf("[any, HTTP/2]")).toBeGreaterThanOrEqual(120);
  });

  it("leaves out what an adapter lacks, and prints the reason", () => {
    const printed: string[] = [];
    const names: string[] = [];
    const lacks = { http1: "it is new", "http2-head": "it has no bodies" };
    describeAdapterConformance(
      { name: "any", lacks, start: startNode },
      { describe: (_name, define) => define(), it: (name) => names.push(name) },
      (line) => printed.push(line),
    );
    expect(printed).toEqual([
      "any lacks http1: it is new",
      "any lacks http2-head: it has no bodies",
    ]);
    expect(names.filter((name) => /HTTP\/1|to HEAD|^HEAD/.test(name))).toEqual([]);
  });

  it.each([[{ http3: "not yet" }], [{ upgrade: "" }]])("refuses %j as a lack", (lacks) => {
    const runner = { describe: () => {}, it: () => {} };
    const define = () =>
      describeAdapterConformance({ name: "any", lacks, start: startNode } as never, runner);
    expect(define).toThrow();
  });
});
