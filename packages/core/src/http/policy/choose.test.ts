import { fixedWindow, InvalidOptionsError, type Policy } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../../test/problem-paths";
import { type ChooseOptions, choose } from "./choose";
import { unlimited } from "./unless";

const limits = [fixedWindow({ max: 1, windowMs: 60_000 })];
const says = (kind: string): Policy<unknown> => {
  return () => ({ descriptors: [{ kind, id: "x", limits }] });
};
const policies = { "POST /login": says("login"), "GET /search": says("search") };

describe("choose", () => {
  const byRoute = choose<string | undefined>({
    by: (route) => route,
    policies,
    otherwise: says("rest"),
  });

  it.each([
    ["POST /login", "login"],
    ["GET /search", "search"],
    ["GET /login", "rest"],
    ["", "rest"],
    [undefined, "rest"],
    ["__proto__", "rest"],
    ["constructor", "rest"],
    ["toString", "rest"],
  ])("asks for %s the policy %s", async (route, kind) => {
    expect(await byRoute(route)).toMatchObject({ descriptors: [{ kind }] });
  });

  it("does not take a missing name for the empty one", async () => {
    for (const name of [undefined, null]) {
      const named = { "": unlimited };
      const policy = choose({ by: () => name, policies: named, otherwise: says("rest") });
      const question = await policy({ headers: {}, socket: {} });
      expect(question?.descriptors[0]?.kind).toBe("rest");
    }
  });

  it("waits for the name", async () => {
    const policy = choose({ by: async () => "POST /login", policies, otherwise: unlimited });
    expect(await policy({ headers: {}, socket: {} })).toMatchObject({
      descriptors: [{ kind: "login" }],
    });
  });

  it.each([
    [{ by: undefined }, "by"],
    [{ by: "route" }, "by"],
    [{ otherwise: undefined }, "otherwise"],
    [{ policies: {} }, "policies"],
    [{ policies: undefined }, "policies"],
    [{ policies: { a: 5 } }, "policies.a"],
    [{ routes: {} }, "routes"],
  ])("refuses the options %j", (more, path) => {
    const options = { by: () => "a", policies, otherwise: unlimited, ...more };
    const choosing = () => choose(options as unknown as ChooseOptions<unknown>);
    expect(problemPathsOf(choosing)).toEqual([path]);
    expect(choosing).toThrow(InvalidOptionsError);
  });
});
