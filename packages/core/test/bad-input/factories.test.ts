import {
  concurrency,
  createLimiter,
  fixedWindow,
  InvalidOptionsError,
  memoryStore,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import { redisStore } from "@sluice/core/redis";
import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../problem-paths";

type Options = Readonly<Record<string, unknown>>;

/** One factory, options that it takes, and what each of them may not be. */
interface Factory {
  readonly name: string;
  readonly make: (options: Options) => unknown;
  readonly good: Options;
  readonly required: readonly string[];
  /** Options that are integers, with values that are integers and still wrong. */
  readonly integers: Readonly<Record<string, readonly number[]>>;
  /** Options that are texts of a list or a pattern. */
  readonly texts?: readonly string[];
  /** Options that are objects with methods. */
  readonly ports?: readonly string[];
  /** Options that are functions. */
  readonly functions?: readonly string[];
  /** Options that are true or false. */
  readonly flags?: readonly string[];
}

const tooLongMs = 3_155_760_000_001;

const factories: readonly Factory[] = [
  {
    name: "fixedWindow",
    make: (options) => fixedWindow(options as never),
    good: { max: 5, windowMs: 1_000 },
    required: ["windowMs", "max"],
    integers: { max: [], windowMs: [0, tooLongMs] },
    texts: ["unit", "anchor", "name", "mode"],
  },
  {
    name: "slidingWindow",
    make: (options) => slidingWindow(options as never),
    good: { max: 5, windowMs: 1_000 },
    required: ["windowMs", "max"],
    integers: { max: [], windowMs: [0, 1_001, tooLongMs], buckets: [0, 101] },
    texts: ["unit", "name", "mode"],
  },
  {
    name: "slidingLog",
    make: (options) => slidingLog(options as never),
    good: { max: 5, windowMs: 1_000 },
    required: ["windowMs", "max"],
    integers: { max: [1_001], windowMs: [0, tooLongMs] },
    texts: ["unit", "name", "mode"],
  },
  {
    name: "tokenBucket",
    make: (options) => tokenBucket(options as never),
    good: { capacity: 5, refill: 1, perMs: 1_000 },
    required: ["perMs", "capacity", "refill"],
    integers: {
      capacity: [Number.MAX_SAFE_INTEGER],
      refill: [0, Number.MAX_SAFE_INTEGER],
      perMs: [0, tooLongMs],
    },
    texts: ["unit", "name", "mode"],
  },
  {
    name: "concurrency",
    make: (options) => concurrency(options as never),
    good: { max: 5 },
    required: ["max"],
    integers: { max: [100_001], leaseMs: [0, 9, tooLongMs], maxHoldMs: [0, 29_999, tooLongMs] },
    texts: ["name", "mode"],
  },
  {
    name: "memoryStore",
    make: (options) => memoryStore(options as never),
    good: { clock: new FakeClock() },
    required: [],
    integers: { maxKeys: [0] },
    ports: ["clock", "random", "recorder"],
  },
  {
    name: "redisStore",
    make: (options) => redisStore(options as never),
    good: { connect: () => new Promise(() => {}), clock: new FakeClock() },
    required: ["connect"],
    integers: {
      timeoutMs: [0, 60_001],
      instances: [0, 1_001],
      maxInFlight: [0, 1_000_001],
    },
    ports: ["clock", "random", "recorder"],
    functions: ["connect", "hashTag"],
    flags: ["closesClient"],
  },
  {
    name: "createLimiter",
    make: (options) => createLimiter(options as never),
    good: { clock: new FakeClock() },
    required: [],
    integers: {
      storeUnavailableRetryAfterMs: [0, tooLongMs],
      concurrencyRetryAfterMs: [0, tooLongMs],
    },
    texts: ["onStoreUnavailable"],
    ports: ["store", "clock", "random", "recorder"],
  },
];

const noInteger: readonly unknown[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -1,
  0.5,
  1e300,
  2 ** 53,
  "100",
  " 10",
  "ten",
  "",
  null,
  true,
  [5],
  {},
  5n,
  Symbol("5"),
  () => 5,
];

const noText: readonly unknown[] = [
  "",
  " ",
  "a b",
  "{a}",
  "é",
  5,
  null,
  true,
  {},
  ["a"],
  () => "a",
];

const noPort: readonly unknown[] = [null, 5, "clock", true, [], {}, () => {}, Symbol("clock")];

const noFunction: readonly unknown[] = [null, 5, "connect", true, [], {}, Symbol("connect")];

const noFlag: readonly unknown[] = [null, 0, 1, "true", "", [], {}, () => true];

const noOptions: readonly unknown[] = [null, 5, "options", true, [], () => {}, 5n, Symbol("o")];

describe.each(factories)("$name", (factory) => {
  const { make, good, required, integers } = factory;
  const { texts = [], ports = [], functions = [], flags = [] } = factory;

  it("takes good options", () => {
    expect(problemPathsOf(() => make(good))).toEqual([]);
  });

  for (const [option, wrong] of Object.entries(integers)) {
    it(`refuses whatever is no integer of its range for ${option}, naming nothing else`, () => {
      for (const value of [...noInteger, ...wrong]) {
        const paths = problemPathsOf(() => make({ ...good, [option]: value }));
        expect(paths, String(value)).toEqual([option]);
      }
    });
  }

  for (const option of texts) {
    it(`refuses whatever is no text of its kind for ${option}, naming nothing else`, () => {
      for (const value of noText) {
        const paths = problemPathsOf(() => make({ ...good, [option]: value }));
        expect(paths, String(value)).toEqual([option]);
      }
    });
  }

  for (const option of ports) {
    it(`refuses whatever lacks the methods for ${option}, naming nothing else`, () => {
      for (const value of noPort) {
        const paths = problemPathsOf(() => make({ ...good, [option]: value }));
        expect(paths, String(value)).toEqual([option]);
      }
    });
  }

  for (const option of functions) {
    it(`refuses whatever is no function for ${option}, naming nothing else`, () => {
      for (const value of noFunction) {
        const paths = problemPathsOf(() => make({ ...good, [option]: value }));
        expect(paths, String(value)).toEqual([option]);
      }
    });
  }

  for (const option of flags) {
    it(`refuses whatever is neither true nor false for ${option}, naming nothing else`, () => {
      for (const value of noFlag) {
        const paths = problemPathsOf(() => make({ ...good, [option]: value }));
        expect(paths, String(value)).toEqual([option]);
      }
    });
  }

  it("names every option that is missing", () => {
    expect(problemPathsOf(() => make({})).sort()).toEqual([...required].sort());
  });

  it("names every option that is wrong, all in one error", () => {
    const all = [...Object.keys(integers), ...texts, ...ports, ...functions, ...flags];
    const wrong = Object.fromEntries(all.map((option) => [option, null]));
    expect(problemPathsOf(() => make(wrong)).sort()).toEqual([...all].sort());
  });

  it.each(["limit", "Max", "windowms", "ttl", "constructor", "toString", "", "__proto__"])(
    "refuses the unknown option %j",
    (option) => {
      const options = JSON.parse(`{ ${JSON.stringify(option)}: 5 }`) as Options;
      const own = Object.defineProperties({ ...good }, Object.getOwnPropertyDescriptors(options));
      expect(problemPathsOf(() => make(own))).toEqual([option]);
    },
  );

  it("takes nothing else in place of options", () => {
    for (const junk of noOptions) {
      const paths = problemPathsOf(() => make(junk as Options));
      expect(paths[0], String(junk)).toBe("options");
    }
  });

  it("says in its message where, what was expected, and what came", () => {
    const [option = ""] = Object.keys(integers);
    const act = () => make({ ...good, [option]: Number.NaN });
    expect(act).toThrow(InvalidOptionsError);
    expect(act).toThrow(new RegExp(`${option}: expected an integer .*, received NaN \\(number\\)`));
  });
});
