import { type IpAddress, ipAddressText, isIpv4, networkOf } from "./ip-address";

/**
 * The text by which a client is counted. IPv4 as it is. IPv6 by its network, since whoever has one
 * has all addresses in it: `2001:db8:1234:5600::/56`. An IPv6 address that stands for an IPv4 one
 * is counted as that.
 */
export function addressKey(address: IpAddress, ipv6Prefix: number): string {
  if (isIpv4(address)) return ipAddressText(address);
  const ipv4 = embeddedIpv4(address);
  if (ipv4 !== undefined) return ipAddressText(ipv4);
  if (ipv6Prefix === 128) return ipAddressText(address);
  return `${ipAddressText(networkOf(address, ipv6Prefix))}/${ipv6Prefix}`;
}

/**
 * The IPv4 address that an IPv6 address is made of: NAT64 (`64:ff9b::/96`, RFC 6052), 6to4
 * (`2002::/16`, RFC 3056, whose holder has 2^80 addresses), the translated form
 * (`::ffff:0:0:0/96`, RFC 2765) and the old IPv4-compatible form (`::/96`, RFC 4291; 0.0.0.0/8 are
 * no hosts, and `::1` is the loopback address).
 *
 * This is for counting only. Whether an address is trusted or on a list is asked of the address
 * itself: `64:ff9b::7f00:1` has not come over the loopback interface.
 */
function embeddedIpv4(address: IpAddress): IpAddress | undefined {
  const first = address[0] ?? 0;
  const second = address[1] ?? 0;
  if (first === 0x2002) return [second, address[2] ?? 0];
  if (address[2] !== 0 || address[3] !== 0 || address[5] !== 0) return undefined;
  const fifth = address[4];
  const isNat64 = first === 0x64 && second === 0xff9b && fifth === 0;
  const isTranslated = first === 0 && second === 0 && fifth === 0xffff;
  const isCompatible = first === 0 && second === 0 && fifth === 0 && (address[6] ?? 0) > 0xff;
  return isNat64 || isTranslated || isCompatible ? address.slice(6) : undefined;
}
