import { expect, it } from "vitest";
import { passOf, upstreamsOn } from "../../test/outbound/ask";

it.each([
  { what: "nothing", refusal: undefined },
  { what: "null", refusal: null },
  { what: "no number", refusal: { retryAfterMs: Number.NaN } },
  { what: "a wait below 0", refusal: { retryAfterMs: -1 } },
  { what: "no object", refusal: 5 },
])(
  "a permit that is told $what about a refusal throws nothing, and nothing is paused",
  async (row) => {
    const { upstreams } = upstreamsOn();
    const upstream = upstreams.upstream({ route: "chat" });
    const permit = await passOf(upstream);
    permit.refused(row.refusal as never);
    permit.end("dropped");
    expect(upstream.stats()).toMatchObject({ pausedForMs: 0, inFlight: 0 });
  },
);
