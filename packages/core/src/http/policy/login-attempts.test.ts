import { fixedWindow, InvalidOptionsError, type Question } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../../test/problem-paths";
import { setStage } from "../../../test/stage";
import { expectAdmitted, expectRejected } from "../../../test/verdicts";
import { type LoginAttemptsOptions, loginAttempts } from "./login-attempts";

interface Attempt {
  readonly client?: string | undefined;
  readonly account?: string | undefined;
}

const policyOf = (more: Partial<LoginAttemptsOptions<Attempt>> = {}) =>
  loginAttempts<Attempt>({
    client: ({ client }) => client,
    account: ({ account }) => account,
    ...more,
  });

const attempting = (more: Partial<LoginAttemptsOptions<Attempt>> = {}) => {
  const on = setStage();
  const policy = policyOf(more);
  return {
    on,
    attempt: async (client: string, account?: string) =>
      on.limiter.admit((await policy({ client, account })) as Question),
    question: async (attempt: Attempt) => (await policy(attempt)) as Question,
  };
};

describe("loginAttempts", () => {
  it("refuses the sixth failure of a client on an account, and nobody else", async () => {
    const { on, attempt } = attempting();
    for (let failure = 0; failure < 5; failure += 1) {
      await expectAdmitted(await attempt("1.1.1.1", "ada")).release();
    }
    const rejection = expectRejected(await attempt("1.1.1.1", "ada"), "window_exhausted");
    expect(rejection.violated.map(({ descriptor }) => descriptor.kind)).toEqual(["login_pair"]);
    expect(rejection.retryAfterMs).toBe(900_000);
    expectAdmitted(await attempt("2.2.2.2", "ada"));
    expectAdmitted(await attempt("1.1.1.1", "bob"));
    await on.clock.advanceAsync(900_000);
    expectAdmitted(await attempt("1.1.1.1", "ada"));
  });

  it("does not count what succeeded, which is refunded", async () => {
    const { attempt, question, on } = attempting();
    for (let success = 0; success < 20; success += 1) {
      await expectAdmitted(await attempt("1.1.1.1", "ada")).refund();
    }
    const peeked = await on.limiter.peek(await question({ client: "1.1.1.1", account: "ada" }));
    expect(peeked.statuses.map(({ used }) => used)).toEqual([0, 0, 0, 0]);
  });

  it("lets no more attempts pass that are sent at once", async () => {
    const { attempt } = attempting();
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => attempt("1.1.1.1", "ada")));
    expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(5);
  });

  it("bounds one account from many clients, and one client on many accounts", async () => {
    const daily = [fixedWindow({ max: 3, windowMs: 86_400_000 })];
    const { attempt } = attempting({ perAccount: daily, perClient: daily });
    for (const client of ["1.1.1.1", "2.2.2.2", "3.3.3.3"]) {
      expectAdmitted(await attempt(client, "ada"));
    }
    expectRejected(await attempt("4.4.4.4", "ada"), "window_exhausted");
    for (const account of ["a", "b"]) expectAdmitted(await attempt("1.1.1.1", account));
    expectRejected(await attempt("1.1.1.1", "c"), "window_exhausted");
    // An attempt that names no account counts for the client all the same.
    expectRejected(await attempt("1.1.1.1"), "window_exhausted");
  });

  it("does not let one client lock out the owner of an account for a day", async () => {
    const { on, attempt } = attempting();
    for (let minute = 0; minute < 12 * 60; minute += 1) {
      await attempt("6.6.6.6", "ada");
      await on.clock.advanceAsync(60_000);
    }
    expectAdmitted(await attempt("1.1.1.1", "ada"));
  });

  it("forgets the failures of a pair by a reset of its descriptor alone", async () => {
    const { on, attempt, question } = attempting();
    for (let failure = 0; failure < 5; failure += 1) await attempt("1.1.1.1", "ada");
    const asked = await question({ client: "1.1.1.1", account: "ada" });
    const [pair] = asked.descriptors;
    expect(pair).toMatchObject({ kind: "login_pair", id: ["1.1.1.1", "ada"] });
    await on.limiter.reset({ descriptors: asked.descriptors.slice(0, 1) });
    const verdict = await attempt("1.1.1.1", "ada");
    expect(verdict.statuses.map(({ used }) => used)).toEqual([1, 1, 6, 6]);
  });

  it("asks only about the client where no account is named", async () => {
    for (const account of [undefined, ""]) {
      const question = await policyOf()({ client: "1.1.1.1", account });
      expect(question?.descriptors.map(({ kind }) => kind)).toEqual(["login_client"]);
    }
  });

  it.each([[["ada"]], [["ada", ""]], [[]], [{ name: "ada" }], [7], [true]])(
    "is an error where the account is no text, as a body can make it: %j",
    (account) => {
      const attempt = { client: "1.1.1.1", account: account as unknown as string };
      expect(() => policyOf()(attempt)).toThrow(/account: expected/);
    },
  );

  it("R046: is an error where no client is known", async () => {
    expect(() => policyOf()({ account: "ada" })).toThrow(InvalidOptionsError);
    const later = policyOf({ client: async () => undefined });
    await expect(later({ account: "ada" })).rejects.toThrow(InvalidOptionsError);
  });

  it.each([
    [{ client: undefined }, "client"],
    [{ account: "name" }, "account"],
    [{ perPair: [] }, "perPair"],
    [{ perAccount: {} }, "perAccount"],
    [{ perClient: 5 }, "perClient"],
    [{ perAddress: [] }, "perAddress"],
  ])("refuses the options %j", (more, path) => {
    expect(problemPathsOf(() => policyOf(more as object))).toEqual([path]);
  });
});
