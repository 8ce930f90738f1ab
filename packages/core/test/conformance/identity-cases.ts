import { fixedWindow } from "@sluice/core";
import { LONG_MS } from "./every-counter";
import type { StoreCase } from "./store-case";

const TEN_KILOBYTES = 10_240;

/** Ids that have met in one key, or have moved a key to another hash slot, somewhere. */
const hostileIds: readonly (string | readonly string[])[] = [
  "a",
  "A",
  "a ",
  " ",
  "a{b}",
  "{a}b",
  "{}",
  "a{b}c{d}",
  "x}y{z",
  "a:b",
  ["a", "b"],
  ["a:b", "c"],
  ["a", "b:c"],
  "a~b",
  "a#b",
  "#",
  "%",
  "%003A",
  "\n",
  "a\nb",
  "\r\n",
  "\u0000",
  "é",
  "e\u0301",
  "\ud800",
  "\ud801",
  "__proto__",
  "constructor",
  "undefined",
  "null",
  "0",
  "x".repeat(TEN_KILOBYTES),
  `${"x".repeat(TEN_KILOBYTES - 1)}y`,
];

/** Of ids: whatever a caller sends is one subject, and no other. */
export const identityCases: readonly StoreCase[] = [
  {
    name: "counts each hostile id by itself",
    run: async (at) => {
      const own = at.freshId();
      const limits = [fixedWindow({ max: 2, windowMs: LONG_MS })];
      const questions = hostileIds.map((id) => ({
        descriptors: [at.descriptor(limits, typeof id === "string" ? [own, id] : [own, ...id])],
      }));
      for (const question of questions) await at.admit(question);
      for (const [place, question] of questions.entries()) {
        at.expect(await at.used(question), `id ${place}`).toEqual([1]);
      }
      const bare = { descriptors: [at.descriptor(limits, own)] };
      at.expect(await at.used(bare)).toEqual([0]);
    },
  },
  {
    name: "judges hostile ids together, as in one question",
    run: async (at) => {
      const own = at.freshId();
      const limits = [fixedWindow({ max: 1, windowMs: LONG_MS })];
      const ids = ["a{b}", "a:b", "e\u0301", "x".repeat(TEN_KILOBYTES), "\n", "__proto__", "}{"];
      const question = { descriptors: ids.map((id) => at.descriptor(limits, [own, id])) };
      await at.admit(question);
      at.expect((await at.refuse(question)).violated.length).toBe(ids.length);
      await at.expectUsed(question, [1, 1, 1, 1, 1, 1, 1]);
    },
  },
  {
    name: "keeps kinds apart",
    run: async (at) => {
      const id = at.freshId();
      const limits = [fixedWindow({ max: 1, windowMs: LONG_MS })];
      for (const kind of ["user", "users", "user.a", "user-a", "user_a"]) {
        await at.admit({ descriptors: [{ kind, id, limits }] });
      }
      await at.refuse({ descriptors: [{ kind: "user", id, limits }] });
    },
  },
  {
    name: "counts where a limit's name is that of something every object has",
    run: async (at) => {
      const names = ["__proto__", "constructor", "toString", "0"];
      const limits = names.map((name) => fixedWindow({ name, max: 2, windowMs: LONG_MS }));
      const question = at.question(limits);
      await at.admit(question);
      await at.admit(question);
      at.expect((await at.refuse(question)).violated.length).toBe(4);
      at.expect(await at.used(question)).toEqual([2, 2, 2, 2]);
    },
  },
];
