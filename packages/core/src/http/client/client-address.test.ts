import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../../test/problem-paths";
import { InvalidOptionsError } from "../../error/invalid-options-error";
import { clientAddress } from "./client-address";
import type { ClientAddressOptions } from "./client-address-options";
import type { HttpRequest } from "./http-request";
import type { ClientAddressWarning } from "./warning";

const requestOf = (
  remoteAddress: string | undefined,
  headers: HttpRequest["headers"] = {},
): HttpRequest => ({ method: "GET", url: "/", headers, socket: { remoteAddress } });

const forwarded = (value: string | string[]) => ({ "x-forwarded-for": value });

/** The client's key, and the codes of what was warned of. */
function asking(options: ClientAddressOptions) {
  const warnings: ClientAddressWarning[] = [];
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

describe("R048: IPv4 clients of a socket that listens on both families", () => {
  it("are one key in every spelling, and another one each", () => {
    const { client } = asking({});
    const spellings = ["::ffff:192.0.2.1", "192.0.2.1", "::FFFF:C000:0201", "::ffff:c000:201"];
    for (const text of spellings) expect(client(requestOf(text))).toBe("192.0.2.1");
    expect(client(requestOf("::ffff:10.0.0.1"))).toBe("10.0.0.1");
  });
});

describe("E-35: keys", () => {
  it.each([
    ["1.2.3.4", 56, "1.2.3.4"],
    ["::ffff:1.2.3.4", 56, "1.2.3.4"],
    ["::ffff:102:304", 56, "1.2.3.4"],
    ["::1.2.3.4", 56, "1.2.3.4"],
    ["::ffff:1.2.3.4", 32, "1.2.3.4"],
    ["::ffff:1.2.3.4", 128, "1.2.3.4"],
    ["2001:db8:1234:5678::1.2.3.4", 56, "2001:db8:1234:5600::/56"],
    ["::1", 56, "::/56"],
    ["0123:4567:89ab:cdef:0123:4567:89ab:cdef", 56, "123:4567:89ab:cd00::/56"],
    ["0123:4567:89ab:cdef:0123:4567:89ab:cdef", 63, "123:4567:89ab:cdee::/63"],
    ["0123:4567:89ab:cdef:0123:4567:89ab:cdef", 128, "123:4567:89ab:cdef:123:4567:89ab:cdef"],
    ["123:ABC::89", 56, "123:abc::/56"],
    // There all clients behind NAT64 share one key; here each IPv4 address has its own.
    ["64:ff9b::1.2.3.4", 56, "1.2.3.4"],
    ["64:ff9b::1.2.3.5", 56, "1.2.3.5"],
    ["64:ff9b:1::1.2.3.4", 56, "64:ff9b:1::/56"],
    ["64:ff9b::1:1.2.3.4", 56, "64:ff9b::/56"],
    ["::ffff:0:1.2.3.4", 56, "1.2.3.4"],
    ["::ffff:0:1.2.3.5", 56, "1.2.3.5"],
    ["::ffff:1:1.2.3.4", 56, "::/56"],
    ["0:0:1:0:ffff:0:1.2.3.4", 56, "0:0:1::/56"],
    // A holder of 6to4 has a network of 48 bits, which is made of its IPv4 address.
    ["2002:102:304:ff00::1", 56, "1.2.3.4"],
    ["2002:102:304::1", 64, "1.2.3.4"],
    ["fe80::1%eth0", 128, "fe80::1"],
    ["::", 56, "::/56"],
    ["::0.1.2.3", 56, "::/56"],
  ])("of %s with a prefix of %d is %s", (address, ipv6Prefix, key) => {
    expect(asking({ ipv6Prefix }).client(requestOf(address))).toBe(key);
  });
});

describe("E-36: what is no address", () => {
  it.each([
    undefined,
    "",
    "unknown",
    "/run/app.sock",
    "1.2.3",
    "undefined",
    "x".repeat(5_000),
    `fe80::1%${"x".repeat(200)}`,
  ])("of the socket is no key: %s", (remoteAddress) => {
    const found = asking({}).client.find(requestOf(remoteAddress));
    expect(found).toMatchObject({ key: undefined, address: undefined, from: "socket" });
  });

  it.each([
    ["203.0.113.9:5678", "203.0.113.9"],
    ["[2001:db8:1:2::1]:443", "2001:db8:1::/56"],
    ["[2001:db8:1:2::1]", "2001:db8:1::/56"],
    ["2001:db8:1:2::1", "2001:db8:1::/56"],
    ["[fe80::1%eth0]:443", "fe80::/56"],
    ["::FFFF:203.0.113.9", "203.0.113.9"],
    ["[::ffff:203.0.113.9]:80", "203.0.113.9"],
  ])("a port, a zone or brackets in the header are dropped: %s", (entry, key) => {
    const { client, codes } = asking({ trust: 1 });
    expect(client(requestOf("10.0.0.1", forwarded(entry)))).toBe(key);
    expect(codes()).toEqual([]);
  });

  it.each([
    "unknown",
    "_hidden",
    "203.0.113.9:",
    "203.0.113.9:123456",
    "203.0.113.9:http",
    "203.0.113.9:80:80",
    "[203.0.113.9]:80",
    "[2001:db8::1",
    "[2001:db8::1]x",
    "[]",
    "2001:db8::1]:443",
    "example.com",
    "127.1",
    "' or 1=1",
    "a".repeat(200_000),
  ])("in the header is no key, and the proxy that wrote it stands for it: %s", (entry) => {
    const { client, codes } = asking({ trust: 1 });
    const found = client.find(requestOf("10.0.0.1", forwarded(`198.51.100.7, ${entry}`)));
    expect(found).toEqual({
      key: "10.0.0.1",
      address: "10.0.0.1",
      from: "socket",
      proxies: 0,
      stoppedAt: "unreadable",
    });
    expect(codes()).toEqual(["SLUICE_FORWARDING_UNREADABLE"]);
  });

  it("is looked for in 64 entries and no more", () => {
    const { client } = asking({ trust: ["10.0.0.0/8"] });
    const entries = ["203.0.113.9", ...new Array(200).fill("10.0.0.2")];
    const found = client.find(requestOf("10.0.0.1", forwarded(entries.join(","))));
    expect(found).toMatchObject({ key: "10.0.0.2", proxies: 64, stoppedAt: "bound" });
  });
});

describe("A Unix socket", () => {
  const behind = requestOf(undefined, forwarded("203.0.113.9"));

  it("is trusted by its name, by number, or by a function", () => {
    const trusting = [
      ["unix"],
      ["loopback", "unix"],
      1,
      (a: string | undefined) => a === undefined,
    ];
    for (const trust of trusting) {
      expect(asking({ trust }).client(behind)).toBe("203.0.113.9");
    }
  });

  it("is nobody that a list names", () => {
    expect(asking({ trust: ["loopback", "private"] }).client(behind)).toBeUndefined();
    expect(asking({ trust: ["unix"] }).client(requestOf("10.0.0.1", behind.headers))).toBe(
      "10.0.0.1",
    );
  });

  it("is not a TCP connection whose client has gone", () => {
    const { headers } = behind;
    for (const trust of [["unix"], 1, (a: string | undefined) => a === undefined]) {
      const { client } = asking({ trust });
      for (const socket of [{ localAddress: "10.0.0.1" }, { destroyed: true }]) {
        const found = client.find({ headers, socket });
        expect(found).toMatchObject({ key: undefined, from: "socket", stoppedAt: "client" });
      }
      expect(client({ headers, socket: { destroyed: false } })).toBe("203.0.113.9");
    }
  });

  it("without a header is no key", () => {
    expect(asking({ trust: ["unix"] }).client(requestOf(undefined))).toBeUndefined();
  });
});

describe("The header", () => {
  it("may be Forwarded", () => {
    const { client } = asking({ trust: ["10.0.0.0/8"], header: "forwarded" });
    const value = 'for=6.6.6.6, for="[2001:db8:1:2::1]:4711";proto=https, for=10.0.0.2';
    const headers = { forwarded: value, "x-forwarded-for": "7.7.7.7" };
    expect(client(requestOf("10.0.0.1", headers))).toBe("2001:db8:1::/56");
  });

  it("may be one of a content delivery network", () => {
    const { client } = asking({ trust: 1, header: "cf-connecting-ip" });
    const headers = { "cf-connecting-ip": "203.0.113.9", "x-forwarded-for": "7.7.7.7" };
    expect(client(requestOf("10.0.0.1", headers))).toBe("203.0.113.9");
  });

  it("is not looked at when it comes from who is not trusted", () => {
    const { client } = asking({ trust: ["10.0.0.0/8"] });
    expect(client(requestOf("192.0.2.1", forwarded("203.0.113.9")))).toBe("192.0.2.1");
  });
});

describe("Trust", () => {
  it("of a list is not in addresses that stand for others", () => {
    const { client } = asking({ trust: ["loopback", "10.0.0.0/8"] });
    for (const peer of ["64:ff9b::10.0.0.1", "::10.0.0.1", "2002:a00:1::1", "::127.0.0.1"]) {
      expect(client.find(requestOf(peer, forwarded("203.0.113.9"))).from).toBe("socket");
    }
    for (const peer of ["::ffff:10.0.0.1", "::ffff:a00:1", "::1", "127.0.0.2"]) {
      expect(client.find(requestOf(peer, forwarded("203.0.113.9"))).from).toBe("header");
    }
  });

  it.each([
    ["private", ["10.1.1.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "fd00::1"]],
    ["link-local", ["169.254.1.1", "fe80::1", "febf::1"]],
    ["loopback", ["127.0.0.1", "127.255.255.255", "::1"]],
    ["192.0.2.1", ["192.0.2.1", "::ffff:192.0.2.1"]],
    ["::ffff:10.0.0.0/104", ["10.255.0.1"]],
    ["2001:db8::/33", ["2001:db8:7fff::1"]],
  ])("of %s is in %j", (name, addresses) => {
    const { client } = asking({ trust: [name] });
    const header = forwarded("203.0.113.9");
    for (const address of addresses) {
      expect(client.find(requestOf(address, header)).from).toBe("header");
    }
    for (const address of ["8.8.8.8", "172.32.0.1", "2001:db8:8000::1", "::2", "192.0.2.2"]) {
      expect(client.find(requestOf(address, header)).from).toBe("socket");
    }
  });

  it("of a function hears canonical addresses and their hops, nearest first", () => {
    const heard: unknown[] = [];
    const trust = (address: string | undefined, hop: number) => {
      heard.push([address, hop]);
      return hop < 2;
    };
    const { client } = asking({ trust });
    heard.length = 0;
    client(requestOf("::ffff:10.0.0.1", forwarded("203.0.113.9, [2001:DB8::2]:80")));
    expect(heard).toEqual([
      ["10.0.0.1", 0],
      ["2001:db8::2", 1],
      ["203.0.113.9", 2],
    ]);
  });

  it.each([{}, 1, "yes", undefined, Promise.resolve(false)])(
    "R090: of a function that answers no boolean is refused: %s",
    (answer) => {
      const trust = (() => answer) as unknown as () => boolean;
      expect(problemPathsOf(() => clientAddress({ trust }))).toEqual(["answer of trust"]);
      const later = (address: string | undefined) => (address === "10.0.0.1" ? answer : false);
      const client = clientAddress({ trust: later as () => boolean });
      expect(() => client(requestOf("10.0.0.1"))).toThrow(InvalidOptionsError);
    },
  );
});
