/** An IP address as groups of 16 bits, the first ones first: 2 for IPv4, 8 for IPv6. */
export type IpAddress = readonly number[];

const IPV4_GROUPS = 2;
const IPV6_GROUPS = 8;
/** The longest text of an address: six groups of four digits and a dotted IPv4 address. */
const TEXT_LENGTH_MAX = 45;

const MAPPED = "::ffff:";
const DOT = 46;
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

function parseIpv6(text: string): IpAddress | undefined {
  const [head = "", tail, more] = text.split("::", 3);
  if (more !== undefined) return undefined;
  if (tail === undefined) {
    const groups = parseGroups(head, true);
    return groups?.length === IPV6_GROUPS ? groups : undefined;
  }
  const before = parseGroups(head, false);
  const after = parseGroups(tail, true);
  if (before === undefined || after === undefined) return undefined;
  const missing = IPV6_GROUPS - before.length - after.length;
  if (missing < 1) return undefined;
  return [...before, ...new Array<number>(missing).fill(0), ...after];
}

/** Groups parted by colons; the last may be an IPv4 address where an address may end so. */
function parseGroups(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const groups: number[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? "";
    const group = parseGroup(part);
    if (group >= 0) {
      groups.push(group);
      continue;
    }
    const ipv4 = mayEndInIpv4 && index === parts.length - 1 ? parseIpv4(part) : undefined;
    if (ipv4 === undefined) return undefined;
    groups.push(...ipv4);
  }
  return groups;
}

/** One to four hexadecimal digits, or -1 for anything else; a pattern costs twice as much. */
function parseGroup(text: string): number {
  if (text.length === 0 || text.length > 4) return -1;
  let value = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    // Bit 5 makes small letters of capitals.
    const letter = (code | 32) - LETTER_A;
    const digit = code - DIGIT_0;
    if (digit >= 0 && digit <= 9) value = value * 16 + digit;
    else if (letter >= 0 && letter <= 5) value = value * 16 + letter + 10;
    else return -1;
  }
  return value;
}

/** The canonical text of an address (for IPv6 that of RFC 5952, without dotted endings). */
export function ipAddressText(address: IpAddress): string {
  if (isIpv4(address)) {
    const [high = 0, low = 0] = address;
    return `${high >>> 8}.${high & 255}.${low >>> 8}.${low & 255}`;
  }
  const { start, length } = longestZeros(address);
  const text = (groups: IpAddress) => groups.map((group) => group.toString(16)).join(":");
  if (length < 2) return text(address);
  return `${text(address.slice(0, start))}::${text(address.slice(start + length))}`;
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
