import { describe, expect, it } from "vitest";
import { StoreError } from "../../error/store-error";
import { allParts } from "./all-parts";

const failure = (isRetryable: boolean, message: string) =>
  new StoreError(message, { code: "SLUICE_STORE_UNREACHABLE", operation: "settle", isRetryable });

const surelyNot = failure(true, "not sent");
const perhaps = failure(false, "lost");

/** The parts of a command with one target each. */
const asked = <R>(answers: readonly Promise<R>[]) =>
  allParts(answers.map((answer, place) => ({ places: [place], answer })));

const errorOf = (answers: readonly Promise<unknown>[]) =>
  asked(answers).then(
    () => undefined,
    (error: unknown) => error,
  );

describe("The answers to all parts", () => {
  it("come in the order of the parts", async () => {
    const later = Promise.resolve().then(() => 1);
    expect(await asked([later, Promise.resolve(2)])).toEqual([1, 2]);
    expect(await asked([])).toEqual([]);
  });

  it("are the failure as it is where no part was executed", async () => {
    expect(await errorOf([Promise.reject(surelyNot)])).toBe(surelyNot);
    const both = [Promise.reject(surelyNot), Promise.reject(failure(true, "nor this"))];
    expect(await errorOf(both)).toBe(surelyNot);
  });

  it("are the failure of the part that may have been executed, if there is one", async () => {
    expect(await errorOf([Promise.resolve(1), Promise.reject(perhaps)])).toBe(perhaps);
    const answers = [Promise.resolve(1), Promise.reject(surelyNot), Promise.reject(perhaps)];
    const error = await errorOf(answers);
    expect(error).toMatchObject({ isRetryable: false, unexecuted: [1], cause: perhaps });
  });

  it("are a failure that names what can be sent again where another part was executed", async () => {
    const error = await errorOf([Promise.reject(surelyNot), Promise.resolve(1)]);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({
      code: "SLUICE_STORE_UNREACHABLE",
      operation: "settle",
      isRetryable: false,
      unexecuted: [0],
      cause: surelyNot,
    });
  });

  it("wait for the parts that are still under way", async () => {
    const ended: string[] = [];
    const slow = Promise.resolve()
      .then(() => undefined)
      .then(() => ended.push("slow"));
    const error = errorOf([Promise.reject(surelyNot), slow]).then(() => ended.push("all"));
    await error;
    expect(ended).toEqual(["slow", "all"]);
  });
});
