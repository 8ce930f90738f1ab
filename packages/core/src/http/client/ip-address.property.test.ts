import { BlockList, isIP, isIPv4 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  anyGroups,
  anyIpv4,
  anyIpv6,
  anyNearAddress,
  anySpelling,
  dotted,
} from "../../../test/http/addresses";
import { runs } from "../../../test/runs";
import { Problems } from "../../options/problems";
import { addressKey } from "./address-key";
import { AddressList } from "./address-list";
import { ipAddressText, parseIpAddress } from "./ip-address";
import { parseNode } from "./node-text";

/** The text that the URL parser of the runtime makes of an IPv6 address. */
const asUrlHost = (text: string) => new URL(`http://[${text}]/`).hostname.slice(1, -1);

const isMapped = (groups: readonly number[]) =>
  groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);

const canonical = (text: string) => {
  const address = parseIpAddress(text);
  return address === undefined ? undefined : ipAddressText(address);
};

describe("Addresses", () => {
  it("are read where node:net sees one, and nowhere else", () => {
    fc.assert(
      fc.property(anyNearAddress(), (text) => {
        expect(parseIpAddress(text) !== undefined).toBe(isIP(text) !== 0);
      }),
      runs(10_000),
    );
  });

  it("have one text whatever their spelling, that of a URL", () => {
    const anySpelt = anyGroups().chain((groups) =>
      fc.tuple(fc.constant(groups), anySpelling(groups), anySpelling(groups)),
    );
    fc.assert(
      fc.property(anySpelt, ([groups, one, other]) => {
        expect(canonical(one)).toBe(canonical(other));
        if (!isMapped(groups)) expect(canonical(one)).toBe(asUrlHost(one));
      }),
      runs(5_000),
    );
  });

  it("of IPv4 are the same mapped into IPv6, in whatever spelling", () => {
    const anyMapped = fc.tuple(fc.nat(0xffff), fc.nat(0xffff)).chain((ending) => {
      const groups = [0, 0, 0, 0, 0, 0xffff, ...ending];
      return fc.tuple(fc.constant(ending), anySpelling(groups));
    });
    fc.assert(
      fc.property(anyMapped, ([ending, text]) => {
        expect(canonical(text)).toBe(dotted(ending));
        expect(canonical(dotted(ending))).toBe(dotted(ending));
      }),
      runs(2_000),
    );
  });

  it("with a port, brackets or a zone are the addresses without", () => {
    const anyPort = fc.oneof(
      fc.constant(""),
      fc.nat(65_535).map((port) => `:${port}`),
    );
    fc.assert(
      fc.property(anyIpv4(), anyIpv6(), anyPort, (ipv4, ipv6, port) => {
        expect(parseNode(`${ipv4}${port}`)).toEqual(parseIpAddress(ipv4));
        expect(parseNode(`[${ipv6}]${port}`)).toEqual(parseIpAddress(ipv6));
        expect(parseNode(`[${ipv6}%eth0]${port}`)).toEqual(parseIpAddress(ipv6));
        expect(parseNode(`${ipv6}%25en1`)).toEqual(parseIpAddress(ipv6));
      }),
      runs(1_000),
    );
  });
});

describe("Lists of addresses", () => {
  it("hold what the lists of node:net hold", () => {
    const anyNetwork = fc.oneof(
      fc.tuple(anyIpv4(), fc.nat(32)),
      fc.tuple(anyGroups().chain(anySpelling), fc.nat(128)),
    );
    // Addresses that differ from the network in one bit decide whether the prefix is kept exactly.
    fc.assert(
      fc.property(anyNetwork, fc.nat(127), ([text, bits], flipped) => {
        const address = parseIpAddress(text) ?? [];
        fc.pre(isIPv4(text) || address.length === 8);
        const start = address.map((group, index) => {
          const kept = Math.min(Math.max(bits - index * 16, 0), 16);
          return Math.floor(group / 2 ** (16 - kept)) * 2 ** (16 - kept);
        });
        const family = isIPv4(text) ? "ipv4" : "ipv6";
        fc.pre(family === "ipv4" || !isMapped(start));
        const problems = new Problems("list");
        const list = AddressList.read([`${ipAddressText(start)}/${bits}`], "list", problems);
        expect(problems.count).toBe(0);
        const theirs = new BlockList();
        theirs.addSubnet(ipAddressText(start), bits, family);
        const near = address.map((group, index) => {
          return Math.floor(flipped / 16) === index ? group ^ (1 << (flipped % 16)) : group;
        });
        for (const each of [address, near]) {
          if (each.length === 8 && isMapped(each)) continue;
          expect(list.has(each)).toBe(theirs.check(ipAddressText(each), family));
        }
      }),
      runs(3_000),
    );
  });
});

describe("Keys of clients", () => {
  const keyOf = (text: string, bits = 56) => addressKey(parseIpAddress(text) ?? [], bits);

  it("of different IPv4 addresses are different", () => {
    fc.assert(
      fc.property(anyIpv4(), anyIpv4(), (one, other) => {
        expect(keyOf(one) === keyOf(other)).toBe(one === other);
      }),
      runs(1_000),
    );
  });

  it("of IPv6 addresses are the same if and only if the network is", () => {
    const anyBits = fc.oneof(fc.integer({ min: 32, max: 64 }), fc.constant(128));
    const bitsOf = (groups: readonly number[]) =>
      groups.map((group) => group.toString(2).padStart(16, "0")).join("");
    // Native addresses, more than a bit away from those that stand for IPv4.
    const anyNative = anyGroups().map((groups) => [
      0x2a00 + ((groups[0] ?? 0) & 3),
      ...groups.slice(1),
    ]);
    fc.assert(
      fc.property(anyNative, fc.nat(127), anyBits, (groups, flipped, bits) => {
        const near = groups.map((group, index) => {
          return Math.floor(flipped / 16) === index ? group ^ (1 << (15 - (flipped % 16))) : group;
        });
        const isSame = bitsOf(groups).slice(0, bits) === bitsOf(near).slice(0, bits);
        expect(addressKey(groups, bits) === addressKey(near, bits)).toBe(isSame);
      }),
      runs(2_000),
    );
  });

  it("are addresses or networks in their canonical text", () => {
    fc.assert(
      fc.property(fc.oneof(anyIpv4(), anyIpv6()), (text) => {
        const [address = "", bits] = keyOf(text).split("/");
        expect(isIP(address)).toBe(bits === undefined ? 4 : 6);
        expect(canonical(address)).toBe(address);
      }),
      runs(1_000),
    );
  });
});
