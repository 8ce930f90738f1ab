import { describe, expect, it } from "vitest";
import { slotOf } from "./slot";

describe("slotOf", () => {
  // The check value of CRC-16/XMODEM, and slots that CLUSTER KEYSLOT of Redis 7.0 returned.
  it.each([
    { key: "123456789", slot: 0x31c3 },
    { key: "foo", slot: 12182 },
    { key: "bar", slot: 5061 },
    { key: "", slot: 0 },
  ])("is $slot for '$key'", ({ key, slot }) => {
    expect(slotOf(key)).toBe(slot);
  });

  it("counts only the hash tag", () => {
    expect(slotOf("a{foo}b")).toBe(slotOf("foo"));
    expect(slotOf("{foo}{bar}")).toBe(slotOf("foo"));
    expect(slotOf("}{foo}")).toBe(slotOf("foo"));
  });

  it("takes the whole key where the tag is empty or does not end", () => {
    const whole = [slotOf("{}foo"), slotOf("{foo"), slotOf("foo}")];
    expect(whole).not.toContain(slotOf("foo"));
    expect(slotOf("{{foo}")).toBe(slotOf("{foo"));
  });
});
