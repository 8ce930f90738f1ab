import { describe, expect, it, vi } from "vitest";
import { problemPathsOf } from "../../../test/problem-paths";
import { clientAddress } from "./client-address";
import type { ClientAddressOptions } from "./client-address-options";
import type { HttpRequest } from "./http-request";
import type { ClientAddressWarning } from "./warning";

describe("clientAddress options", () => {
  it.each([
    [{ trust: -1 }, ["trust"]],
    [{ trust: 1.5 }, ["trust"]],
    [{ trust: 17 }, ["trust"]],
    [{ trust: Number.NaN }, ["trust"]],
    [{ trust: null }, ["trust"]],
    [{ trust: [] }, ["trust"]],
    [{ trust: {} }, ["trust"]],
    [{ trust: ["10.0.0.1/8"] }, ["trust[0]"]],
    [
      { trust: ["loopback", "10.0.0.0/33", "x", "", 5, "10.0.0.0/"] },
      [1, 2, 3, 4, 5].map((index) => `trust[${index}]`),
    ],
    [{ trust: ["10.0.0.0/08"] }, ["trust[0]"]],
    [{ trust: ["2001:db8::/129"] }, ["trust[0]"]],
    [{ trust: ["::ffff:10.0.0.0/95"] }, ["trust[0]"]],
    [{ trust: ["10.0.0.1:80"] }, ["trust[0]"]],
    [{ trust: new Array(2) }, ["trust[0]", "trust[1]"]],
    [{ trust: ["unix", "nobody"] }, ["trust[1]"]],
    [{ trust: new Array(1_001).fill("10.0.0.1") }, ["trust"]],
    [{ header: "X-Forwarded-For" }, ["header"]],
    [{ header: "" }, ["header"]],
    [{ header: 5 }, ["header"]],
    [{ ipv6Prefix: 31 }, ["ipv6Prefix"]],
    [{ ipv6Prefix: 65 }, ["ipv6Prefix"]],
    [{ ipv6Prefix: 48.5 }, ["ipv6Prefix"]],
    [{ ipv6Prefix: false }, ["ipv6Prefix"]],
    [{ ipv6Prefix: 127 }, ["ipv6Prefix"]],
    [{ onWarning: "log" }, ["onWarning"]],
    [{ ipv6Subnet: 56 }, ["ipv6Subnet"]],
    [{ trust: -1, header: "", ipv6Prefix: 1 }, ["trust", "header", "ipv6Prefix"]],
  ])("E-38: of %j are refused at %j", (options, paths) => {
    expect(problemPathsOf(() => clientAddress(options as ClientAddressOptions))).toEqual(paths);
  });

  it.each([32, 48, 56, 64, 128])("take an IPv6 prefix of %d", (ipv6Prefix) => {
    expect(problemPathsOf(() => clientAddress({ ipv6Prefix }))).toEqual([]);
  });

  it.each([0, 1, 16])("take %d proxies", (trust) => {
    expect(problemPathsOf(() => clientAddress({ trust }))).toEqual([]);
  });
});

describe("E-36: warnings", () => {
  const from = (headers: HttpRequest["headers"]): HttpRequest => ({
    headers,
    socket: { remoteAddress: "10.0.0.1" },
  });
  const forwardings = [
    { "x-forwarded-for": "203.0.113.9" },
    { forwarded: "for=203.0.113.9" },
    { "x-forwarded-for": "" },
  ];

  it.each(forwardings)("come once when nobody is trusted: %j", (headers) => {
    const onWarning = vi.fn();
    const client = clientAddress({ onWarning });
    client(from({ host: "example.com" }));
    expect(onWarning).not.toHaveBeenCalled();
    for (let request = 0; request < 3; request += 1) {
      expect(client(from(headers))).toBe("10.0.0.1");
    }
    expect(onWarning).toHaveBeenCalledTimes(1);
    expect(onWarning.mock.calls[0]).toMatchObject([{ code: "SLUICE_FORWARDING_IGNORED" }]);
    clientAddress({ onWarning })(from(headers));
    expect(onWarning).toHaveBeenCalledTimes(2);
  });

  it.each([
    { trust: 0 },
    { trust: 1 },
    { trust: ["192.0.2.1"] },
    { trust: () => false },
  ] as ClientAddressOptions[])("do not come when it was said whom to trust: %j", (options) => {
    const onWarning = vi.fn();
    const client = clientAddress({ ...options, onWarning });
    client(from({ "x-forwarded-for": "203.0.113.9" }));
    expect(onWarning).not.toHaveBeenCalled();
  });

  it("come when a trusted proxy writes another header than the one that is read", () => {
    const warnings: ClientAddressWarning[] = [];
    const client = clientAddress({ trust: 1, onWarning: (warning) => void warnings.push(warning) });
    client(from({}));
    expect(warnings).toEqual([]);
    expect(client(from({ forwarded: "for=203.0.113.9" }))).toBe("10.0.0.1");
    expect(warnings).toMatchObject([{ code: "SLUICE_FORWARDING_IGNORED" }]);
    expect(warnings[0]?.message).toContain("forwarded");
  });

  it("name nothing that came from outside", () => {
    const texts: string[] = [];
    const onWarning = ({ message }: ClientAddressWarning) => void texts.push(message);
    clientAddress({ onWarning })(from({ "x-forwarded-for": "secret" }));
    clientAddress({ trust: 1, onWarning })(from({ "x-forwarded-for": "secret" }));
    expect(texts).toHaveLength(2);
    for (const text of texts) expect(text).not.toMatch(/secret|10\.0\.0\.1/);
  });

  it("cannot turn a request into an error", () => {
    const onWarning = () => {
      throw new Error("logger is gone");
    };
    const client = clientAddress({ onWarning });
    expect(client(from({ "x-forwarded-for": "203.0.113.9" }))).toBe("10.0.0.1");
  });

  it("are warnings of the process where nobody listens", () => {
    const emitWarning = vi.spyOn(process, "emitWarning").mockReturnValue(undefined);
    try {
      clientAddress()(from({ "x-forwarded-for": "203.0.113.9" }));
      expect(emitWarning).toHaveBeenCalledWith(expect.stringContaining("forwarding header"), {
        type: "SluiceWarning",
        code: "SLUICE_FORWARDING_IGNORED",
      });
    } finally {
      emitWarning.mockRestore();
    }
  });

  it("are nothing where there is no process", () => {
    vi.stubGlobal("process", undefined);
    try {
      expect(clientAddress()(from({ "x-forwarded-for": "a" }))).toBe("10.0.0.1");
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
