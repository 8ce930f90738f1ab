import { type IpAddress, parseIpAddress } from "./ip-address";

/** An IPv6 address in brackets with a zone and a port fits; what is longer is no address. */
const TEXT_LENGTH_MAX = 128;

/** A colon and a number, or a name that hides the number (RFC 7239, section 6.3). */
const PORT = /^:(?:[0-9]{1,5}|_[A-Za-z0-9._-]+)$/;

/**
 * The address in what a socket or a proxy writes: `1.2.3.4`, `1.2.3.4:5678`, `2001:db8::1`,
 * `[2001:db8::1]:443`, `fe80::1%eth0`. Ports and zones are dropped. `undefined` for anything else,
 * such as `unknown`.
 */
export function parseNode(text: string): IpAddress | undefined {
  if (text.length > TEXT_LENGTH_MAX) return undefined;
  if (text.startsWith("[")) {
    const close = text.indexOf("]");
    const rest = text.slice(close + 1);
    if (close === -1 || (rest !== "" && !PORT.test(rest))) return undefined;
    const inside = text.slice(1, close);
    return inside.includes(":") ? parseIpAddress(withoutZone(inside)) : undefined;
  }
  const colon = text.indexOf(":");
  if (colon === -1) return parseIpAddress(text);
  if (colon !== text.lastIndexOf(":")) return parseIpAddress(withoutZone(text));
  // One colon: an IPv4 address with a port.
  return PORT.test(text.slice(colon)) ? parseIpAddress(text.slice(0, colon)) : undefined;
}

function withoutZone(text: string): string {
  const percent = text.indexOf("%");
  return percent === -1 ? text : text.slice(0, percent);
}
