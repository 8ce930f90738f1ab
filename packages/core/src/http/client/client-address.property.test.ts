import { isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyIpv4, anyIpv6 } from "../../../test/http/addresses";
import { runs } from "../../../test/runs";
import { clientAddress } from "./client-address";
import type { HttpRequest } from "./http-request";
import { ipAddressText } from "./ip-address";
import { parseNode } from "./node-text";

const proxies = ["10.0.0.1", "10.0.0.2", "10.1.2.3"];
const clients = ["203.0.113.9", "2001:db8:1::1", "198.51.100.7"];

const requestOf = (remoteAddress: string, headers: HttpRequest["headers"]): HttpRequest => ({
  headers,
  socket: { remoteAddress },
});

/** What a client may send: anything that a header line can hold, and pieces that look right. */
const anyForged = () =>
  fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...`",;\\= for10.:[]%`.split("")), maxLength: 40 }),
    fc.constantFrom("10.0.0.2", 'for="10.0.0.2', 'for="a\\', "for=10.0.0.2;", ",,,", "unknown"),
  );

/** How a node is written in `Forwarded`. */
const asForwarded = (address: string) =>
  address.includes(":") ? `for="[${address}]:443";proto=https` : `proto=http;For=${address}`;

const anyChain = () => fc.array(fc.constantFrom(...proxies), { maxLength: 5 });

describe("What a client sends", () => {
  it("does not change whom proxies name, in either header", () => {
    fc.assert(
      fc.property(
        anyForged(),
        fc.constantFrom(...clients),
        anyChain(),
        (forged, address, chain) => {
          const honest = [address, ...chain];
          const inList = clientAddress({ trust: ["10.0.0.0/8"] });
          const list = requestOf("10.9.9.9", {
            "x-forwarded-for": `${forged},${honest.join(", ")}`,
          });
          expect(inList.find(list)).toMatchObject({ address, stoppedAt: "client" });
          const inForwarded = clientAddress({ trust: ["10.0.0.0/8"], header: "forwarded" });
          const elements = `${forged},${honest.map(asForwarded).join(",")}`;
          const request = requestOf("10.9.9.9", { forwarded: elements });
          expect(inForwarded.find(request)).toMatchObject({ address, stoppedAt: "client" });
        },
      ),
      runs(3_000),
    );
  });

  it("is no key unless it is an address, and is never an error", () => {
    const anyHeader = fc.oneof(anyForged(), fc.array(anyForged(), { maxLength: 3 }));
    fc.assert(
      fc.property(anyHeader, fc.string(), fc.nat(16), (value, peer, trust) => {
        for (const header of ["x-forwarded-for", "forwarded"]) {
          const client = clientAddress({ trust, header, onWarning: () => {} });
          const { key, address } = client.find(requestOf(peer, { [header]: value }));
          expect(key === undefined).toBe(address === undefined);
          if (address !== undefined) expect(isIP(address)).not.toBe(0);
          if (key !== undefined) expect(isIP(key.split("/")[0] ?? "")).not.toBe(0);
        }
      }),
      runs(2_000),
    );
  });
});

describe("The walk past trusted proxies", () => {
  /**
   * All addresses in one list, from the peer on, and the first that is not trusted, else the last.
   */
  const naive = (nodes: readonly string[], isTrusted: (node: string, hop: number) => boolean) => {
    const reached: string[] = [];
    for (const [hop, node] of nodes.entries()) {
      const address = parseNode(node);
      if (address === undefined) break;
      reached.push(ipAddressText(address));
      if (!isTrusted(ipAddressText(address), hop)) break;
    }
    return reached.at(-1);
  };

  const anyNode = () =>
    fc.oneof(
      fc.constantFrom(...proxies, ...clients, "unknown"),
      anyIpv4(),
      anyIpv6(),
      anyIpv4().map((address) => `${address}:8080`),
    );

  it("is that of a list of all addresses", () => {
    const anyTrust = fc.oneof(
      fc.nat(6).map((count) => ({
        trust: count,
        isTrusted: (_node: string, hop: number) => hop < count,
      })),
      fc.subarray(proxies, { minLength: 1 }).map((list) => ({
        trust: list,
        isTrusted: (node: string) => list.includes(node),
      })),
      fc.subarray(proxies, { minLength: 1 }).map((list) => ({
        trust: (node: string | undefined, hop: number) => list.includes(node ?? "") && hop < 3,
        isTrusted: (node: string, hop: number) => list.includes(node) && hop < 3,
      })),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...proxies, ...clients),
        fc.array(anyNode(), { maxLength: 8 }),
        fc.nat(8),
        anyTrust,
        (peer, nodes, split, { trust, isTrusted }) => {
          const client = clientAddress({ trust, onWarning: () => {} });
          const expected = naive([peer, ...nodes.toReversed()], isTrusted);
          const one = requestOf(peer, { "x-forwarded-for": nodes.join(", ") });
          expect(client.find(one).address).toBe(expected);
          const lines = [nodes.slice(0, split).join(","), nodes.slice(split).join(" , ")];
          const two = requestOf(peer, { "x-forwarded-for": lines });
          expect(client.find(two).address).toBe(expected);
        },
      ),
      runs(3_000),
    );
  });
});
