import { InvalidOptionsError } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { type ClientAddress, clientAddress } from "../client/client-address";
import type { HttpRequest } from "../client/http-request";
import { failed, serverFailed, succeeded } from "./ended-answer";
import { comesFrom, isPreflight } from "./request-tests";

describe("isPreflight", () => {
  const headers = { origin: "https://a.example", "access-control-request-method": "PUT" };
  const request = (more: Partial<HttpRequest>): HttpRequest => ({
    method: "OPTIONS",
    headers,
    socket: {},
    ...more,
  });

  it.each([
    ["a preflight", {}, true],
    ["another method", { method: "POST" }, false],
    ["no origin", { headers: { "access-control-request-method": "PUT" } }, false],
    ["no method asked for", { headers: { origin: "https://a.example" } }, false],
    ["a bare OPTIONS", { headers: {} }, false],
  ])("of %s", (_what, more, expected) => {
    expect(isPreflight(request(more))).toBe(expected);
  });
});

describe("comesFrom", () => {
  const from = (remoteAddress: string | undefined, forwardedFor?: string): HttpRequest => ({
    headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor },
    socket: { remoteAddress },
  });
  const client = clientAddress({ trust: ["loopback"], ipv6Prefix: 48 });
  const test = comesFrom(client, ["203.0.113.0/24", "2001:db8:1:2::/64", "private"]);

  it.each([
    ["203.0.113.7", undefined, true],
    ["::ffff:203.0.113.7", undefined, true],
    ["203.0.114.7", undefined, false],
    ["2001:db8:1:2::7", undefined, true],
    // Of the same key as the one before, and not on the list.
    ["2001:db8:1:3::7", undefined, false],
    ["10.1.1.1", undefined, true],
    ["127.0.0.1", "203.0.113.7", true],
    ["127.0.0.1", "203.0.113.7, 198.51.100.1", false],
    ["198.51.100.1", "203.0.113.7", false],
    ["64:ff9b::203.0.113.7", undefined, false],
    ["127.0.0.1", undefined, false],
    [undefined, undefined, false],
  ])("of %s with %s is %s", (address, forwardedFor, expected) => {
    expect(test(from(address, forwardedFor))).toBe(expected);
  });

  it("is false where the address is that of a proxy who could not name the client", () => {
    const silent = clientAddress({ trust: ["loopback"], onWarning: () => {} });
    const local = comesFrom(silent, ["loopback"]);
    for (const entry of ["unknown", "unix:", "_hidden", "203.0.113.7 x"]) {
      expect(local(from("127.0.0.1", `203.0.113.7, ${entry}`))).toBe(false);
    }
    expect(local(from("127.0.0.1", new Array(70).fill("127.0.0.2").join()))).toBe(false);
    expect(local(from("127.0.0.1", "127.0.0.2"))).toBe(true);
    expect(local(from("127.0.0.1"))).toBe(true);
  });

  it("refuses bad lists, and a client that is none", () => {
    expect(() => comesFrom(client, ["office"])).toThrow(/addresses\[0\]/);
    expect(() => comesFrom(client, [])).toThrow(InvalidOptionsError);
    expect(() => comesFrom(client, ["unix"])).toThrow(InvalidOptionsError);
    expect(() => comesFrom(client, ["::ffff:0:0/95"])).toThrow(InvalidOptionsError);
    const noClient = (() => "203.0.113.7") as unknown as ClientAddress;
    expect(() => comesFrom(noClient, ["private"])).toThrow(/client: expected/);
  });
});

describe("For refundWhen", () => {
  it.each([
    [200, true, "succeeded"],
    [204, true, "succeeded"],
    [304, true, "succeeded"],
    [399, true, "succeeded"],
    [400, true, "failed"],
    [429, true, "failed"],
    [499, true, "failed"],
    [500, true, "failed serverFailed"],
    [503, true, "failed serverFailed"],
    [200, false, "failed"],
    [500, false, "failed"],
  ])("%d that was sent whole (%s) is %s", (status, isComplete, expected) => {
    const holds = Object.entries({ succeeded, failed, serverFailed })
      .filter(([, test]) => test({ status, isComplete }))
      .map(([name]) => name);
    expect(holds.join(" ")).toBe(expected);
  });
});
