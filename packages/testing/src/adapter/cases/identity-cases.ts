import assert from "node:assert/strict";
import { type ClientAddressOptions, clientAddress } from "@sluice/core/http";
import type { AdapterCase } from "../adapter-case";
import type { AdapterTrial } from "../world/adapter-trial";
import { asking, perHour } from "./subjects";

/** Limits by client address in front of everything. */
async function serveByAddress(at: AdapterTrial, options: ClientAddressOptions): Promise<void> {
  const client = clientAddress({ onWarning: () => {}, ...options });
  await at.serve([at.limitsMount((req) => asking([perHour(2)], {}, client(req) ?? "none"))]);
}

/** The key under which a request with this header was counted. */
async function keyOf(at: AdapterTrial, forwarded: string): Promise<unknown> {
  await at.ask("/do/ok", { headers: { "x-forwarded-for": forwarded } });
  return at.seen.at(-1)?.verdict?.statuses[0]?.descriptor.id;
}

const trusts: readonly (readonly [string, ClientAddressOptions, string, string])[] = [
  ["a: nothing is trusted", {}, "6.6.6.6, 203.0.113.9", "127.0.0.1"],
  ["b: the proxy is trusted", { trust: ["loopback"] }, "6.6.6.6, 203.0.113.9", "203.0.113.9"],
  ["d: one hop is trusted", { trust: 1 }, "6.6.6.6, 203.0.113.9", "203.0.113.9"],
  ["e: two hops are trusted, one is there", { trust: 2 }, "203.0.113.9", "203.0.113.9"],
];

export const identityCases: readonly AdapterCase[] = [
  ...trusts.map(
    ([name, options, forwarded, key]): AdapterCase => ({
      name: `R050 ${name}: ${key} is counted`,
      run: async (at) => {
        await serveByAddress(at, options);
        assert.equal(await keyOf(at, forwarded), key);
      },
    }),
  ),
  {
    name: "R048: an IPv4 address is one key in all its spellings, and no other's",
    run: async (at) => {
      await serveByAddress(at, { trust: ["loopback"] });
      const spellings = ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:C000:0201", "192.0.2.1:5678"];
      const statuses: number[] = [];
      for (const spelling of [...spellings, "::ffff:10.0.0.1"]) {
        const headers = { "x-forwarded-for": spelling };
        statuses.push((await at.ask("/do/ok", { headers })).status);
      }
      assert.deepEqual(statuses, [200, 200, 429, 429, 200]);
    },
  },
  {
    name: "R048: who owns an IPv6 network cannot go round it to be let in again",
    run: async (at) => {
      await serveByAddress(at, { trust: ["loopback"] });
      const statuses: number[] = [];
      for (const host of ["1", "2:3", "ffff"]) {
        const headers = { "x-forwarded-for": `2001:db8:0:12ab::${host}` };
        statuses.push((await at.ask("/do/ok", { headers })).status);
      }
      assert.deepEqual(statuses, [200, 200, 429]);
    },
  },
];
