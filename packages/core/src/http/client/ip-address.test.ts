import { describe, expect, it } from "vitest";
import { ipAddressText, networkOf, parseIpAddress } from "./ip-address";

const canonical = (text: string) => {
  const address = parseIpAddress(text);
  return address === undefined ? undefined : ipAddressText(address);
};

describe("parseIpAddress", () => {
  it.each([
    ["1.2.3.4", "1.2.3.4"],
    ["0.0.0.0", "0.0.0.0"],
    ["255.255.255.255", "255.255.255.255"],
    ["::", "::"],
    ["::1", "::1"],
    ["1::", "1::"],
    ["2001:DB8::0001", "2001:db8::1"],
    ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
    ["::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:0:0:2:3:0:0:4", "1::2:3:0:0:4"],
    ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
    ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
    ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"],
  ])("reads %s as %s", (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  it.each([
    "::ffff:1.2.3.4",
    "::FFFF:1.2.3.4",
    "::ffff:102:304",
    "::FFFF:0102:0304",
    "0:0:0:0:0:ffff:102:304",
    "0000:0000:0000:0000:0000:ffff:0102:0304",
    "0::ffff:1.2.3.4",
    "::0:ffff:1.2.3.4",
    "0:0:0:0:0:ffff:1.2.3.4",
  ])("reads the mapped %s as 1.2.3.4", (text) => {
    expect(canonical(text)).toBe("1.2.3.4");
  });

  it.each([
    "",
    " ",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.",
    ".1.2.3",
    "1..2.3",
    "1.2.3.256",
    "1.2.3.1000",
    "01.2.3.4",
    "1.2.3.04",
    "00.0.0.0",
    "1.2.3.-4",
    "1.2.3.4 ",
    "0x1.2.3.4",
    "16909060",
    "１.2.3.4",
    ":",
    ":::",
    "1:::2",
    "::1::",
    "1::2::3",
    ":1",
    "1:",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1::2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7:8::",
    "12345::",
    "g::",
    "-1::",
    "::1.2.3",
    "::1.2.3.4:5",
    "1.2.3.4::",
    "1:2:3:4:5:6:7:1.2.3.4",
    "::ffff:1.2.3.4.5",
    "::ffff:01.2.3.4",
    "[::1]",
    "::1%eth0",
    `${"0".repeat(5)}::`,
    `::${" ".repeat(50)}1`,
  ])("reads nothing in %j", (text) => {
    expect(parseIpAddress(text)).toBeUndefined();
  });
});

describe("networkOf", () => {
  const network = (text: string, bits: number) =>
    ipAddressText(networkOf(parseIpAddress(text) ?? [], bits));

  it.each([
    ["255.255.255.255", 0, "0.0.0.0"],
    ["255.255.255.255", 1, "128.0.0.0"],
    ["255.255.255.255", 15, "255.254.0.0"],
    ["255.255.255.255", 16, "255.255.0.0"],
    ["255.255.255.255", 31, "255.255.255.254"],
    ["255.255.255.255", 32, "255.255.255.255"],
    ["2001:db8:ffff:ffff::1", 56, "2001:db8:ffff:ff00::"],
    ["2001:db8:ffff:ffff::1", 64, "2001:db8:ffff:ffff::"],
    ["2001:db8:ffff:ffff::1", 63, "2001:db8:ffff:fffe::"],
    ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 127, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe"],
    ["2001:db8::1", 128, "2001:db8::1"],
  ])("of %s keeps %d bits: %s", (text, bits, expected) => {
    expect(network(text, bits)).toBe(expected);
  });
});
