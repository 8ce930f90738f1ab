import type { Problems } from "../../options/problems";
import { type IpAddress, isIpv4, networkOf, parseIpAddress } from "./ip-address";

/** Addresses that have a name. */
const named: ReadonlyMap<string, readonly string[]> = new Map([
  ["loopback", ["127.0.0.0/8", "::1"]],
  ["link-local", ["169.254.0.0/16", "fe80::/10"]],
  ["private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/** A list of more is a mistake: every request is compared with all of it. */
const LIST_LENGTH_MAX = 1_000;

const BITS = /^(?:0|[1-9][0-9]{0,2})$/;
const expected =
  "an address, a network such as 10.0.0.0/8 without bits after its prefix, " +
  `or one of ${[...named.keys()].map((name) => JSON.stringify(name)).join(", ")}`;

interface Network {
  readonly start: IpAddress;
  readonly bits: number;
}

/** Some addresses: single ones, networks in CIDR notation and named groups. */
export class AddressList {
  readonly #networks: readonly Network[];

  private constructor(networks: readonly Network[]) {
    this.#networks = networks;
  }

  /**
   * Reads a list; what is wrong is added to `problems` under `path`. Entries that are among
   * `others` are the caller's affair. Never throws.
   */
  static read(
    list: unknown,
    path: string,
    problems: Problems,
    others: readonly unknown[] = [],
  ): AddressList {
    if (!Array.isArray(list) || list.length === 0 || list.length > LIST_LENGTH_MAX) {
      problems.add(path, `a list of 1 to ${LIST_LENGTH_MAX} addresses and networks`, list);
      return new AddressList([]);
    }
    const networks: Network[] = [];
    for (let index = 0; index < list.length; index += 1) {
      const entry: unknown = list[index];
      if (others.includes(entry)) continue;
      const texts = typeof entry === "string" ? (named.get(entry) ?? [entry]) : [];
      const read = texts.map(parseNetwork).filter((network) => network !== undefined);
      if (read.length === 0) problems.add(`${path}[${index}]`, expected, entry);
      networks.push(...read);
    }
    return new AddressList(networks);
  }

  has(address: IpAddress): boolean {
    for (const network of this.#networks) if (contains(network, address)) return true;
    return false;
  }
}

function parseNetwork(text: string): Network | undefined {
  const slash = text.indexOf("/");
  const address = parseIpAddress(slash === -1 ? text : text.slice(0, slash));
  if (address === undefined) return undefined;
  const size = address.length * 16;
  if (slash === -1) return { start: address, bits: size };
  const given = text.slice(slash + 1);
  if (!BITS.test(given)) return undefined;
  // A network of mapped addresses, such as ::ffff:10.0.0.0/104, is one of IPv4 addresses.
  const isMapped = isIpv4(address) && text.includes(":");
  const bits = Number(given) - (isMapped ? 96 : 0);
  if (bits < 0 || bits > size) return undefined;
  const network = networkOf(address, bits);
  return network.every((group, index) => group === address[index])
    ? { start: address, bits }
    : undefined;
}

function contains({ start, bits }: Network, address: IpAddress): boolean {
  if (address.length !== start.length) return false;
  for (let index = 0; index * 16 < bits; index += 1) {
    const differing = (start[index] ?? 0) ^ (address[index] ?? 0);
    if (differing >>> Math.max(16 * (index + 1) - bits, 0) !== 0) return false;
  }
  return true;
}
