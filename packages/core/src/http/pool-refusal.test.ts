import { describe, expect, it } from "vitest";
import { modelWith } from "../../test/pool/traffic";
import { setStage } from "../../test/stage";
import { priorityPool } from "../limit/priority-pool";
import type { Rejected } from "../verdict/verdict";
import { renderHeaders, renderRejection } from "./render";

const pool = priorityPool({
  name: "shared",
  windowMs: 60_000,
  capacity: { requests: 100, tokens: 1_000 },
  shares: { prod: 0.75, batch: 0.25 },
  whenSaturated: "strict",
});

/** What batch is told after so many of its requests and of those of prod were admitted at once. */
async function refused(batch: number, prod: number): Promise<Rejected> {
  const { limiter } = setStage();
  const descriptors = [modelWith(pool)];
  for (const [priority, requests] of [
    ["batch", batch],
    ["prod", prod],
  ] as const) {
    await limiter.admit({ descriptors, priority, cost: { requests, tokens: 10 * requests } });
  }
  const verdict = await limiter.admit({ descriptors, priority: "batch" });
  await limiter.close();
  if (verdict.admitted) throw new Error("expected a refusal");
  return verdict;
}

describe("A refusal by a pool", () => {
  it("tells that the class is held to its share, how full the pool is and what remains", async () => {
    const answer = renderRejection(await refused(25, 58));
    expect(answer?.headers).toEqual({
      "content-type": "application/problem+json",
      "retry-after": "60",
      "x-sluice-priority": "batch",
      "x-sluice-saturation": "83.00%",
      "ratelimit-policy": '"shared:requests";q=100;w=60, "shared:tokens";q=1000;qu="tokens";w=60',
      ratelimit: '"shared:requests";r=17;t=60, "shared:tokens";r=170;t=60',
    });
    expect(JSON.parse(answer?.body ?? "")).toEqual({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Quota exceeded",
      status: 429,
      detail:
        'Rate limit reached for model: pool "shared" allows 100 requests, 17 remaining; ' +
        '1000 tokens, 170 remaining. Priority "batch": held to its share, ' +
        "25 of its share of 25 requests used; held to its share, " +
        "250 of its share of 250 tokens used. Retry in 60 s.",
      reason: "share_exhausted",
      "violated-policies": ["shared:requests", "shared:tokens"],
      retryAfterMs: 60_000,
      pool: {
        name: "shared",
        priority: "batch",
        ceiling: "share",
        unit: "requests",
        saturation: 0.83,
        units: [
          {
            ...{ unit: "requests", limit: 100, remaining: 17, guaranteed: 25, used: 25 },
            ceiling: "share",
          },
          {
            ...{ unit: "tokens", limit: 1_000, remaining: 170, guaranteed: 250, used: 250 },
            ceiling: "share",
          },
        ],
      },
    });
  });

  it("tells that the capacity is used up, and then no saturation", async () => {
    const answer = renderRejection(await refused(25, 75), { body: "openai" });
    expect(answer?.headers["x-sluice-priority"]).toBe("batch");
    expect(answer?.headers).not.toHaveProperty("x-sluice-saturation");
    expect(JSON.parse(answer?.body ?? "")).toEqual({
      error: {
        message:
          'Rate limit reached for model: pool "shared" allows 100 requests, 0 remaining; ' +
          '1000 tokens, 0 remaining. Priority "batch": no requests left for it; ' +
          "no tokens left for it. Retry in 60 s.",
        type: "rate_limit_error",
        code: "429",
      },
    });
  });

  it("names the same ceiling in reason and body where units bind by different ones", async () => {
    const { limiter } = setStage();
    const descriptors = [modelWith(pool)];
    await limiter.admit({ descriptors, priority: "batch", cost: { requests: 50 } });
    const long = await limiter.admit({ descriptors, priority: "prod" });
    if (long.admitted) await long.permit.settle({ tokens: 1_000 });
    const verdict = await limiter.admit({ descriptors, priority: "batch", cost: { tokens: 1 } });
    await limiter.close();
    if (verdict.admitted) throw new Error("expected a refusal");
    const answer = renderRejection(verdict);
    const body = JSON.parse(answer?.body ?? "");
    expect(body).toMatchObject({
      reason: "window_exhausted",
      pool: {
        ...{ ceiling: "capacity", unit: "tokens" },
        units: [
          { unit: "requests", ceiling: "share" },
          { unit: "tokens", ceiling: "capacity" },
        ],
      },
    });
    expect(body.detail).toContain(
      "held to its share, 50 of its share of 25 requests used; no tokens left for it.",
    );
    // A share bound as well, so it is told how full the pool is.
    expect(answer?.headers["x-sluice-saturation"]).toBe("100.00%");
  });

  it("takes other names for its header fields", async () => {
    const options = {
      headers: "none",
      priorityHeaderName: "x-litellm-priority",
      saturationHeaderName: "x-litellm-saturation",
    } as const;
    expect(renderRejection(await refused(25, 58), options)?.headers).toEqual({
      "content-type": "application/problem+json",
      "retry-after": "60",
      "x-litellm-priority": "batch",
      "x-litellm-saturation": "83.00%",
    });
  });

  it("and an admitted answer show the units of a pool as policies of their own", async () => {
    const { limiter } = setStage();
    const { statuses } = await limiter.peek({ descriptors: [modelWith(pool)] });
    await limiter.close();
    expect(renderHeaders(statuses).ratelimit).toBe(
      '"shared:requests";r=100;t=0, "shared:tokens";r=1000;t=0',
    );
  });

  it("of one unit goes by the name of the pool", async () => {
    const alone = priorityPool({
      ...{ name: "alone", windowMs: 1_000, capacity: { requests: 5 }, shares: {} },
    });
    const { limiter } = setStage();
    const { statuses } = await limiter.peek({ descriptors: [modelWith(alone)] });
    await limiter.close();
    expect(renderHeaders(statuses).ratelimit).toBe('"alone";r=5;t=0');
  });
});
