import type { Problems } from "../../options/problems";
import type { OptionsReader } from "../../options/read";
import { strictBoolean } from "../strict-boolean";
import { AddressList } from "./address-list";
import { type IpAddress, ipAddressText, parseIpAddress } from "./ip-address";

/**
 * Whether the node at an address is a proxy that writes honestly from whom it got the request.
 * `hop` is 0 for the peer of the socket, 1 for who connected to it, and so on. The address is
 * `undefined` where the peer has none, as behind a Unix socket.
 */
export type TrustTest = (address: string | undefined, hop: number) => boolean;

/** Whom to believe: a number of proxies, a list of addresses and networks, or a function. */
export type TrustOption = number | readonly string[] | TrustTest;

/** {@link TrustOption}, ready to be asked. */
export type Trusts = (address: IpAddress | undefined, hop: number) => boolean;

/** More proxies in a row than any deployment has. */
const COUNT_MAX = 16;
/** How many entries of a header are looked at, whatever is trusted. */
export const HOPS_MAX = 64;

/** Addresses that are nobody's (RFC 5737, RFC 3849, RFC 9637), so that no list has all of them. */
const nobodys = [
  ["192.0.2.1", "198.51.100.1", "203.0.113.1"],
  ["2001:db8::1", "3fff::1"],
].map((texts) => texts.map((text) => parseIpAddress(text)));

/** Reads `trust`. Never throws by itself; what is wrong is added to `problems`. */
export function readTrust(reader: OptionsReader, problems: Problems): Trusts {
  const value = reader.raw("trust") ?? 0;
  const trusts = trustsOf(value, reader, problems);
  const isBlind = nobodys.some((family) => family.every((address) => trusts(address, HOPS_MAX)));
  if (isBlind) reader.problem("trust", "not to trust every address of IPv4 or IPv6");
  return trusts;
}

function trustsOf(value: unknown, reader: OptionsReader, problems: Problems): Trusts {
  if (typeof value === "number") {
    const count = reader.integer("trust", { min: 0, max: COUNT_MAX, fallback: 0 });
    return (_address, hop) => hop < count;
  }
  if (Array.isArray(value)) return trustsOfList(value, problems);
  if (typeof value === "function") {
    return (address, hop) => {
      const text = address === undefined ? undefined : ipAddressText(address);
      return strictBoolean((value as TrustTest)(text, hop), "answer of trust");
    };
  }
  const expected = `a number of proxies from 0 to ${COUNT_MAX}, a list of addresses, or a function`;
  reader.problem("trust", expected);
  return () => false;
}

/** `"unix"` stands for a peer that has no address. */
function trustsOfList(value: readonly unknown[], problems: Problems): Trusts {
  const trustsUnix = value.includes("unix");
  const list = AddressList.read(value, "trust", problems, ["unix"]);
  return (address) => (address === undefined ? trustsUnix : list.has(address));
}
