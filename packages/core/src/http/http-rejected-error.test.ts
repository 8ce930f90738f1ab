import { describe, expect, it } from "vitest";
import { createGate } from "../gate/create-gate";
import type { GateRejected } from "../gate/gate";
import { HttpRejectedError } from "./http-rejected-error";
import { renderRejection } from "./render";
import type { RenderedAnswer } from "./rendered-answer";

async function refused(): Promise<GateRejected> {
  const gate = createGate({ maxInFlight: 1 });
  await gate.drain();
  const verdict = await gate.enter();
  if (verdict.admitted) throw new Error("Expected a gate that drains to refuse");
  return verdict;
}

const answer: RenderedAnswer = {
  status: 503,
  headers: {
    "Content-Type": "text/plain",
    "content-length": "5",
    "retry-after": "1",
    "x-own": "1",
  },
  body: "later",
};

describe("HttpRejectedError", () => {
  it("carries what frameworks read of an error, and no header that tells of another body", async () => {
    const verdict = await refused();
    const error = new HttpRejectedError(verdict, answer);
    expect(error).toMatchObject({
      name: "HttpRejectedError",
      code: "SLUICE_HTTP_REJECTED",
      status: 503,
      statusCode: 503,
      expose: true,
      message: "Worker is shutting down. Retry later.",
    });
    expect(error.headers).toEqual({ "retry-after": "1", "x-own": "1" });
    expect([error.answer, error.verdict]).toEqual([answer, verdict]);
  });

  it("is known across copies of the package, and can be written to as frameworks do", async () => {
    const verdict = await refused();
    const rendered = renderRejection(verdict);
    if (rendered === null) throw new Error("Expected an answer");
    const error = new HttpRejectedError(verdict, rendered);
    const copy = Object.create(null, { [Symbol.for("sluice.HttpRejectedError")]: { value: true } });
    expect(copy instanceof HttpRejectedError).toBe(true);
    expect(new Error("other") instanceof HttpRejectedError).toBe(false);
    expect(Object.assign(error, { status: 500 }).status).toBe(500);
  });
});
