import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../../test/problem-paths";
import { clientAddress } from "./client-address";
import type { ClientAddressOptions } from "./client-address-options";
import type { HttpRequest } from "./http-request";
import type { ClientWarning } from "./warning";

const requestOf = (
  remoteAddress: string | undefined,
  headers: HttpRequest["headers"] = {},
): HttpRequest => ({ method: "GET", url: "/", headers, socket: { remoteAddress } });

const forwarded = (value: string | string[]) => ({ "x-forwarded-for": value });

/** The client's key, and the codes of what was warned of. */
function asking(options: ClientAddressOptions) {
  const warnings: ClientWarning[] = [];
  const client = clientAddress({ ...options, onWarning: (warning) => void warnings.push(warning) });
  return { client, codes: () => warnings.map(({ code }) => code) };
}

describe("R050: whom a request comes from", () => {
  const header = forwarded("6.6.6.6, 203.0.113.9");

  it("(a) nothing trusted: the socket's peer, and a warning", () => {
    const { client, codes } = asking({});
    expect(client(requestOf("10.0.0.1", header))).toBe("10.0.0.1");
    expect(codes()).toEqual(["SLUICE_FORWARDING_IGNORED"]);
  });

  it("(b) the network of the proxy trusted", () => {
    const { client, codes } = asking({ trust: ["10.0.0.0/8"] });
    expect(client(requestOf("10.0.0.1", header))).toBe("203.0.113.9");
    expect(codes()).toEqual([]);
  });

  it.each([
    { trust: true },
    { trust: () => true },
    { trust: ["0.0.0.0/0"] },
    { trust: ["::/0"] },
    { trust: ["::ffff:0:0/96"] },
    { trust: ["0.0.0.0/1", "128.0.0.0/1"] },
    { trust: Number.POSITIVE_INFINITY },
    { trust: "loopback" },
  ])("(c) everybody trusted is refused: $trust", ({ trust }) => {
    const options = { trust } as unknown as ClientAddressOptions;
    expect(problemPathsOf(() => clientAddress(options))).toContain("trust");
  });

  it("(d) one hop trusted", () => {
    expect(asking({ trust: 1 }).client(requestOf("10.0.0.1", header))).toBe("203.0.113.9");
  });

  it("(e) two hops trusted, and one entry", () => {
    const { client } = asking({ trust: 2 });
    const found = client.find(requestOf("10.0.0.1", forwarded("203.0.113.9")));
    expect(found).toMatchObject({ key: "203.0.113.9", proxies: 1, stoppedAt: "end" });
    expect(client(requestOf("10.0.0.1"))).toBe("10.0.0.1");
  });

  it("(f) lines joined in order", () => {
    const { client } = asking({ trust: ["10.0.0.0/8"] });
    const lines = forwarded(["6.6.6.6", "203.0.113.9, 10.0.0.7", "10.0.0.8"]);
    expect(client(requestOf("10.0.0.1", lines))).toBe("203.0.113.9");
  });
});
