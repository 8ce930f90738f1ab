import fc from "fast-check";

/** Groups of an IPv6 address, with many zeros, so that runs of them come in all places. */
export const anyGroups = () =>
  fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff), fc.constantFrom(1, 0xffff)), {
    minLength: 8,
    maxLength: 8,
  });

/** The last two groups as a dotted IPv4 address. */
export const dotted = ([high = 0, low = 0]: readonly number[]) =>
  [high >>> 8, high & 255, low >>> 8, low & 255].join(".");

export const anyIpv4 = () => fc.tuple(fc.nat(0xffff), fc.nat(0xffff)).map(dotted);

/** One of the many texts of an IPv6 address: case, padding, gap and dotted ending vary. */
export const anySpelling = (groups: readonly number[]) =>
  fc
    .record({
      isPadded: fc.boolean(),
      isUpper: fc.boolean(),
      isDotted: fc.boolean(),
      gap: fc.nat(8),
      gapLength: fc.integer({ min: 0, max: 8 }),
    })
    .map(({ isPadded, isUpper, isDotted, gap, gapLength }) => {
      const parts = groups.map((group) => {
        const text = group.toString(16).padStart(isPadded ? 4 : 1, "0");
        return isUpper ? text.toUpperCase() : text;
      });
      const texts = isDotted ? [...parts.slice(0, 6), dotted(groups.slice(6))] : parts;
      const size = isDotted ? 6 : 8;
      const end = Math.min(gap + gapLength, size);
      const canElide = end > gap && groups.slice(gap, end).every((group) => group === 0);
      if (!canElide) return texts.join(":");
      return `${texts.slice(0, gap).join(":")}::${texts.slice(end).join(":")}`;
    });

export const anyIpv6 = () => anyGroups().chain(anySpelling);

/** Texts made of the characters of addresses, so that many are nearly one. */
export const anyNearAddress = () =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom(..."0123456789abcdefF:::...".split("")), maxLength: 46 }),
    fc
      .tuple(fc.oneof(anyIpv4(), anyIpv6()), fc.nat(45), fc.constantFrom("", ":", ".", "0", "f"))
      .map(([text, at, inserted]) => text.slice(0, at) + inserted + text.slice(at + 1)),
    anyIpv4(),
    anyIpv6(),
  );
