import { addressKey } from "./address-key";
import {
  type ClientAddressConfig,
  type ClientAddressOptions,
  parseClientAddressOptions,
} from "./client-address-options";
import { forwardedHops, type HeaderHops, listHops } from "./header-hops";
import { type HttpRequest, hasGone, headerText } from "./http-request";
import { type IpAddress, ipAddressText } from "./ip-address";
import { parseNode } from "./node-text";
import { HOPS_MAX } from "./trust";

/** Who sent a request, and how that was found. */
export interface FoundClient {
  /** By which the client is counted; `undefined` if no address is known. */
  readonly key: string | undefined;
  /** The whole address in its canonical form, without port and zone. */
  readonly address: string | undefined;
  /** Whether the address is that of the socket's peer or stood in the header. */
  readonly from: "socket" | "header";
  /** How many trusted proxies the request has passed before this process. */
  readonly proxies: number;
  /**
   * Why the search went no further: at a client that is not trusted, as it should; at the end of
   * the header; at an entry that is no address; or after 64 entries. In the last three cases the
   * client is the last address that could be read, and is a trusted one.
   */
  readonly stoppedAt: "client" | "end" | "unreadable" | "bound";
}

/** Tells who sent a request. Made by {@link clientAddress}. */
export interface ClientAddress {
  /**
   * The text by which the client is counted: an IPv4 address, or the network of an IPv6 address
   * (`2001:db8:1234:5600::/56`). `undefined` if no address is known, as behind a Unix socket that
   * is not trusted, or when the client has gone already; never a text that stands for that.
   */
  (request: HttpRequest): string | undefined;
  /** The same with what it was found from, for logs and tests. */
  find(request: HttpRequest): FoundClient;
}

/**
 * Makes a function that tells who sent a request: the peer of the socket, or, where that is a
 * trusted proxy, whom the proxy names in its header. The header is read from its end, past the
 * proxies that are trusted; what stands before the first address that is not trusted was sent by
 * the client and is not looked at. At most 64 entries are read.
 *
 * All spellings of an address are one: ports and zones are dropped, IPv4 in IPv6 (mapped,
 * compatible, translated, NAT64, 6to4) is IPv4, and IPv6 is counted by network.
 *
 * @throws InvalidOptionsError listing every problem, among them a `trust` in everybody.
 * @remarks The walk is that of Express's `trust proxy`; what is a key is stricter.
 *
 * @example
 * ```ts
 * const client = clientAddress({ trust: ["loopback", "10.0.0.0/8"] });
 * const policy = limitBy({ kind: "client", id: client, limits: [perMinute] });
 * ```
 */
export function clientAddress(options: ClientAddressOptions = {}): ClientAddress {
  const config = parseClientAddressOptions(options);
  return Object.assign((request: HttpRequest) => keyOf(locate(request, config), config), {
    find: (request: HttpRequest) => found(locate(request, config), config),
  });
}

/** Where the search for a client has ended. */
interface Located {
  readonly address: IpAddress | undefined;
  /** That of the address: 0 for the peer. */
  readonly hop: number;
  readonly stoppedAt: FoundClient["stoppedAt"];
}

function locate(request: HttpRequest, config: ClientAddressConfig): Located {
  // Who can take its address away must not pass for a proxy behind a Unix socket.
  if (hasGone(request)) return { address: undefined, hop: 0, stoppedAt: "client" };
  const peer = parseNode(request.socket?.remoteAddress ?? "");
  if (!config.trusts(peer, 0)) {
    if (!config.isTrustGiven) warnOfHeader(request, config);
    return { address: peer, hop: 0, stoppedAt: "client" };
  }
  const text = headerText(request, config.header);
  if (text === undefined) warnOfOtherHeader(request, config);
  const hops = config.header === "forwarded" ? forwardedHops(text ?? "") : listHops(text ?? "");
  return walk(peer, hops, config);
}

/** From the peer, which is trusted, to the first address that is not. */
function walk(peer: IpAddress | undefined, hops: HeaderHops, config: ClientAddressConfig): Located {
  let last = peer;
  for (let hop = 1; hop <= HOPS_MAX; hop += 1) {
    const entry = hops.next();
    if (entry === undefined) return { address: last, hop: hop - 1, stoppedAt: "end" };
    const address = parseNode(entry);
    if (address === undefined) {
      config.warn(unreadable);
      return { address: last, hop: hop - 1, stoppedAt: "unreadable" };
    }
    last = address;
    if (!config.trusts(address, hop)) return { address, hop, stoppedAt: "client" };
  }
  return { address: last, hop: HOPS_MAX, stoppedAt: "bound" };
}

function keyOf({ address }: Located, { ipv6Prefix }: ClientAddressConfig): string | undefined {
  return address === undefined ? undefined : addressKey(address, ipv6Prefix);
}

function found(located: Located, config: ClientAddressConfig): FoundClient {
  const { address, hop, stoppedAt } = located;
  return {
    key: keyOf(located, config),
    address: address === undefined ? undefined : ipAddressText(address),
    from: hop === 0 ? "socket" : "header",
    proxies: hop,
    stoppedAt,
  };
}

const usual = ["x-forwarded-for", "forwarded"];

const unreadable = {
  code: "SLUICE_FORWARDING_UNREADABLE",
  message:
    "A trusted proxy named a client by something that is no address. The client is taken to be " +
    "the proxy, so that all such clients share its limits.",
} as const;

function warnOfHeader(request: HttpRequest, { header, warn }: ClientAddressConfig): void {
  if (![header, ...usual].some((name) => request.headers[name] !== undefined)) return;
  warn({
    code: "SLUICE_FORWARDING_IGNORED",
    message:
      "A request has a forwarding header, and no proxy is trusted: all clients of a proxy share " +
      "its limits. Say in `trust` which proxies there are, or 0 if there are none.",
  });
}

function warnOfOtherHeader(request: HttpRequest, { header, warn }: ClientAddressConfig): void {
  const other = usual.find((name) => request.headers[name] !== undefined);
  if (other === undefined) return;
  warn({
    code: "SLUICE_FORWARDING_IGNORED",
    message:
      `A trusted proxy sent ${other} and no ${header}: all its clients share its limits. ` +
      "Say in `header` which one it writes.",
  });
}
