import { describe, expect, it } from "vitest";
import { forwardedHops, type HeaderHops, listHops } from "./header-hops";

function all(hops: HeaderHops): string[] {
  const entries: string[] = [];
  for (let entry = hops.next(); entry !== undefined; entry = hops.next()) entries.push(entry);
  return entries;
}

describe("listHops", () => {
  it.each([
    ["", []],
    [" ", []],
    [",,, ,", []],
    ["a", ["a"]],
    ["a, b,c", ["c", "b", "a"]],
    [" a ,\tb ", ["b", "a"]],
    [",a,,b,", ["b", "a"]],
    ['"a,b"', ['b"', '"a']],
  ])("of %j are %j", (text, entries) => {
    expect(all(listHops(text))).toEqual(entries);
  });
});

describe("forwardedHops", () => {
  it.each([
    ["", []],
    ["for=192.0.2.60", ["192.0.2.60"]],
    ["for=192.0.2.60;proto=http;by=203.0.113.43", ["192.0.2.60"]],
    ["proto=http; by=203.0.113.43; FOR=192.0.2.60", ["192.0.2.60"]],
    ["for=192.0.2.43, for=198.51.100.17", ["198.51.100.17", "192.0.2.43"]],
    ['For="[2001:db8:cafe::17]:4711"', ["[2001:db8:cafe::17]:4711"]],
    ['for=a;host="x,y;for=b",for=c', ["c", "a"]],
    ['for=a;host="x\\",y",for=c', ["c", "a"]],
    ['for="_gazonk"', ["_gazonk"]],
    ["for=unknown, for=1.2.3.4", ["1.2.3.4", "unknown"]],
    ["proto=https", ["unknown"]],
    ["for=1.2.3.4;for=5.6.7.8", ["unknown"]],
    ["xfor=1.2.3.4", ["unknown"]],
    // A proxy that copies a Host with a quote in it: what the client sent before must not be read.
    ['for=1.1.1.1;host=a"b,for=6.6.6.6;host=c"d', ["unknown"]],
    ['for=1.1.1.1;x=",for=6.6.6.6;host=""c"', ["unknown"]],
    ['for="1.1.1.1",for="6.6.6.6" ; host="a" ', ["6.6.6.6", "1.1.1.1"]],
    ["for=", [""]],
    ['for="', ['"']],
    ['for="a, for=1.2.3.4', ["1.2.3.4", "unknown"]],
    ['x", for="[::1]"', ["[::1]", "unknown"]],
  ])("of %j are %j", (text, entries) => {
    expect(all(forwardedHops(text))).toEqual(entries);
  });
});

describe("Reading a header of a mebibyte", () => {
  const size = 2 ** 20;

  it.each([
    ["blanks", " ".repeat(size)],
    ["commas", ",".repeat(size)],
    ["quotes", '"'.repeat(size)],
    ["backslashes", `${"\\".repeat(size)}"`],
    ["escaped quotes", '\\"'.repeat(size / 2)],
    ["semicolons", ";".repeat(size)],
    ["fors", "for=;".repeat(size / 8)],
  ])("of %s takes one pass", (_what, text) => {
    for (const hops of [listHops(text), forwardedHops(text)]) {
      let entries = 0;
      while (hops.next() !== undefined) entries += 1;
      expect(entries).toBeLessThanOrEqual(1);
    }
  });
});
