import { concurrency, type DescriptorLimit, fixedWindow, type Question } from "@sluice/core";
import type { AdapterBehaviour, AnswerBehaviour } from "../adapter-behaviour";

export const hourMs = 3_600_000;

/** One caller with these limits. */
export function asking(
  limits: readonly DescriptorLimit[],
  rest: Omit<Question, "descriptors"> = {},
  id = "k1",
): Question {
  return { descriptors: [{ kind: "api_key", id, limits }], ...rest };
}

/** So many requests per hour, under the name `rph`. */
export const perHour = (max: number) => fixedWindow({ max, windowMs: hourMs, name: "rph" });

/** So many tokens per hour, under the name `tph`. */
export const tokensPerHour = (max: number) =>
  fixedWindow({ unit: "tokens", max, windowMs: hourMs, name: "tph" });

/** So many at once, under the name `parallel`. */
export const atOnce = (max: number) => concurrency({ max, name: "parallel" });

/** Three requests and 1000 tokens per hour, one at a time; a request costs 100 tokens. */
export const threeLimits = asking([perHour(3), tokensPerHour(1000), atOnce(1)], {
  cost: { tokens: 100 },
});

/** A handler that answers at once. */
export function answer(
  status: number,
  headers: AnswerBehaviour["headers"] = {},
  body = "",
): AdapterBehaviour {
  return { does: "answer", status, headers, body };
}
