/** An IP address as groups of 16 bits, the first ones first: 2 for IPv4, 8 for IPv6. */
export type IpAddress = readonly number[];

const IPV4_GROUPS = 2;
const IPV6_GROUPS = 8;
/** The longest text of an address: six groups of four digits and a dotted IPv4 address. */
const TEXT_LENGTH_MAX = 45;

const MAPPED = "::ffff:";
const DOT = 46;
const COLON = 58;
const DIGIT_0 = 48;
const LETTER_A = 97;

export function isIpv4(address: IpAddress): boolean {
  return address.length === IPV4_GROUPS;
}

/**
 * Reads the text of one address, or gives `undefined` for anything else. IPv4 is four decimal
 * numbers without leading zeros, which some readers take for octal. IPv4 that is mapped into IPv6
 * (`::ffff:1.2.3.4`, in any spelling) is that IPv4 address: a socket that listens on both families
 * writes its IPv4 clients so.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (text.length > TEXT_LENGTH_MAX) return undefined;
  if (!text.includes(":")) return parseIpv4(text);
  // The spelling of sockets that listen on both families, read without a list of groups.
  const mapped = text.startsWith(MAPPED) ? parseIpv4(text.slice(MAPPED.length)) : undefined;
  if (mapped !== undefined) return mapped;
  const address = parseIpv6(text);
  return address !== undefined && isMapped(address) ? address.slice(6) : address;
}

/** Whether an IPv6 address lies in `::ffff:0:0/96`. */
function isMapped(address: IpAddress): boolean {
  return address[5] === 0xffff && address.slice(0, 5).every((group) => group === 0);
}

/** One pass and no list of parts: this runs for every request. */
function parseIpv4(text: string): IpAddress | undefined {
  let value = 0;
  let octet = 0;
  let digits = 0;
  let dots = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === DOT) {
      if (digits === 0 || dots === 3) return undefined;
      value = value * 256 + octet;
      octet = 0;
      digits = 0;
      dots += 1;
      continue;
    }
    const digit = code - DIGIT_0;
    if (digit < 0 || digit > 9 || (digits > 0 && octet === 0)) return undefined;
    octet = octet * 10 + digit;
    digits += 1;
    if (octet > 255) return undefined;
  }
  if (digits === 0 || dots !== 3) return undefined;
  value = value * 256 + octet;
  return [value >>> 16, value & 0xffff];
}

/** One pass as well: groups are put down as they come, and those after a `::` moved to the end. */
function parseIpv6(text: string): IpAddress | undefined {
  const groups = [0, 0, 0, 0, 0, 0, 0, 0];
  const opensWithGap = text.startsWith("::");
  let gap = opensWithGap ? 0 : -1;
  let index = opensWithGap ? 2 : 0;
  let count = 0;
  while (index < text.length) {
    const end = endOfDigits(text, index);
    if (text.charCodeAt(end) === DOT) {
      // What is left is an IPv4 address, or this is none of IPv6.
      const ipv4 = count > 6 ? undefined : parseIpv4(text.slice(index));
      if (ipv4 === undefined) return undefined;
      groups[count] = ipv4[0] ?? 0;
      groups[count + 1] = ipv4[1] ?? 0;
      count += 2;
      break;
    }
    if (end === index || end > index + 4 || count === IPV6_GROUPS) return undefined;
    groups[count] = groupOf(text, index, end);
    count += 1;
    if (end === text.length) break;
    index = end + 1;
    if (text.charCodeAt(end) !== COLON || index === text.length) return undefined;
    if (text.charCodeAt(index) !== COLON) continue;
    if (gap >= 0) return undefined;
    gap = count;
    index += 1;
  }
  if (gap < 0) return count === IPV6_GROUPS ? groups : undefined;
  return count < IPV6_GROUPS ? moveToEnd(groups, gap, count) : undefined;
}

/** Moves the groups from `start` to `end` to the end of the list; where they were is zero. */
function moveToEnd(groups: number[], start: number, end: number): IpAddress {
  let to = IPV6_GROUPS - 1;
  for (let from = end - 1; from >= start; from -= 1) {
    groups[to] = groups[from] ?? 0;
    groups[from] = 0;
    to -= 1;
  }
  return groups;
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (hexDigit(text.charCodeAt(end)) >= 0) end += 1;
  return end;
}

function groupOf(text: string, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index += 1) {
    value = value * 16 + hexDigit(text.charCodeAt(index));
  }
  return value;
}

/** The value of a hexadecimal digit, or -1 for any other character and none. */
function hexDigit(code: number): number {
  const digit = code - DIGIT_0;
  if (digit >= 0 && digit <= 9) return digit;
  // Bit 5 makes small letters of capitals.
  const letter = (code | 32) - LETTER_A;
  return letter >= 0 && letter <= 5 ? letter + 10 : -1;
}

/** The canonical text of an address (for IPv6 that of RFC 5952, without dotted endings). */
export function ipAddressText(address: IpAddress): string {
  if (isIpv4(address)) {
    const [high = 0, low = 0] = address;
    return `${high >>> 8}.${high & 255}.${low >>> 8}.${low & 255}`;
  }
  const { start, length } = longestZeros(address);
  const gapEnd = length < 2 ? -1 : start + length;
  let text = "";
  for (let index = 0; index < address.length; index += 1) {
    if (gapEnd >= 0 && index === start) {
      text += "::";
      index = gapEnd - 1;
      continue;
    }
    if (index > 0 && index !== gapEnd) text += ":";
    text += (address[index] ?? 0).toString(16);
  }
  return text;
}

/** The longest run of zero groups, the first of equal ones. */
function longestZeros(address: IpAddress): { readonly start: number; readonly length: number } {
  let start = 0;
  let length = 0;
  let run = 0;
  for (let index = 0; index < address.length; index += 1) {
    run = address[index] === 0 ? run + 1 : 0;
    if (run <= length) continue;
    length = run;
    start = index - run + 1;
  }
  return { start, length };
}

/** The address with every bit after the first `bits` cleared. */
export function networkOf(address: IpAddress, bits: number): IpAddress {
  const network = new Array<number>(address.length);
  for (let index = 0; index < address.length; index += 1) {
    const kept = Math.min(Math.max(bits - index * 16, 0), 16);
    network[index] = (address[index] ?? 0) & (0xffff << (16 - kept)) & 0xffff;
  }
  return network;
}
