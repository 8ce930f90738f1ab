import { describe, expect, it } from "vitest";
import { standing } from "../../test/http/rejections";
import { fixedWindow } from "../limit/fixed-window";
import { policyNames, violatedPolicyNames } from "./policy-name";

const daily = fixedWindow({ name: "daily", max: 5, windowMs: 86_400_000 });
const burst = fixedWindow({ name: "burst", max: 2, windowMs: 1000 });

describe("policy names", () => {
  it("E-6: are the limits' own names", () => {
    expect(policyNames([standing(daily), standing(burst)])).toEqual(["daily", "burst"]);
  });

  it("name the kind where two kinds have a limit of one name", () => {
    const statuses = [standing(daily, { kind: "team" }), standing(daily), standing(burst)];
    expect(policyNames(statuses)).toEqual(["team/daily", "api_key/daily", "burst"]);
  });

  it("number the subjects of one kind and never show an id", () => {
    const statuses = ["secret-1", "secret-2", "secret-3"].map((id) => standing(daily, { id }));
    expect(policyNames(statuses)).toEqual(["api_key/daily", "api_key/daily/2", "api_key/daily/3"]);
  });

  it("are spelled the same for the violated ones", () => {
    const full = standing(daily, { kind: "team", admitted: false });
    const statuses = [standing(daily), full];
    expect(violatedPolicyNames([full], statuses)).toEqual(["team/daily"]);
    expect(violatedPolicyNames([{ ...full }], statuses)).toEqual(["team/daily"]);
    expect(violatedPolicyNames([full], [])).toEqual(["daily"]);
  });
});
