import { describe, expect, it } from "vitest";
import { type FleetProcess, setFleet } from "../../../test/store/fleet";
import { expectAdmitted, expectRejected } from "../../../test/verdicts";
import type { AdmitReply } from "../../engine/reply";
import { fixedWindow } from "../../limit/fixed-window";

const requests = fixedWindow({ name: "requests", max: 10, windowMs: 60_000 });
const tokens = fixedWindow({ name: "tokens", unit: "tokens", max: 5, windowMs: 60_000 });

const unknown = { chargedAt: undefined, retryAfterMs: undefined, serial: 0 };

/** Of the first limit nothing could be learnt after the second one had refused. */
const refusal: AdmitReply = {
  admitted: false,
  checks: [
    { ...unknown, passes: true, used: 0, resetAfterMs: 0 },
    { ...unknown, passes: false, used: 5, resetAfterMs: 9_000, retryAfterMs: 9_000 },
  ],
  unknown: [0],
};

describe("A refusal beside which limits are unknown", () => {
  const question = (count: number) => ({
    descriptors: [{ kind: "key", id: "k", limits: [requests, tokens] }],
    cost: { requests: count },
  });

  async function refused(process: FleetProcess) {
    const { admit } = process.faulty;
    process.faulty.admit = async () => refusal;
    const verdict = await process.limiter.admit(question(1));
    process.faulty.admit = admit;
    return verdict;
  }

  it("says nothing of them", async () => {
    const fleet = setFleet(1);
    const { reason, violated } = expectRejected(
      await refused(fleet.processes[0] as FleetProcess),
      "window_exhausted",
    );
    expect(reason).toBe("window_exhausted");
    expect(violated).toMatchObject([{ name: "tokens", used: 5 }]);
    await fleet.close();
  });

  it("leaves what was known of them before for the time without a store", async () => {
    const fleet = setFleet(1);
    const process = fleet.processes[0] as FleetProcess;
    expectAdmitted(await process.limiter.admit(question(9)));
    const { statuses } = await refused(process);
    expect(statuses.map(({ name }) => name)).toEqual(["tokens"]);
    fleet.goAway();
    const first = { descriptors: [{ kind: "key", id: "k", limits: [requests] }] };
    expectAdmitted(await process.limiter.admit(first));
    expectRejected(await process.limiter.admit(first), "window_exhausted");
    await fleet.close();
  });
});
