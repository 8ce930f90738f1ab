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
 * compatible, NAT64, 6to4) is IPv4, and IPv6 is counted by network.
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
  const find = (request: HttpRequest) => findClient(request, config);
  return Object.assign((request: HttpRequest) => find(request).key, { find });
}

function findClient(request: HttpRequest, config: ClientAddressConfig): FoundClient {
  // Who can take its address away must not pass for a proxy behind a Unix socket.
  if (hasGone(request)) return found(undefined, 0, "client", config);
  const peer = parseNode(request.socket?.remoteAddress ?? "");
  if (!config.trusts(peer, 0)) {
    if (!config.isTrustGiven) warnOfHeader(request, config);
    return found(peer, 0, "client", config);
  }
  const text = headerText(request, config.header);
  if (text === undefined) warnOfOtherHeader(request, config);
  const hops = config.header === "forwarded" ? forwardedHops(text ?? "") : listHops(text ?? "");
  return walk(peer, hops, config);
}

/** From the peer, which is trusted, to the first address that is not. */
function walk(
  peer: IpAddress | undefined,
  hops: HeaderHops,
  config: ClientAddressConfig,
): FoundClient {
  let last = peer;
  for (let hop = 1; hop <= HOPS_MAX; hop += 1) {
    const entry = hops.next();
    if (entry === undefined) return found(last, hop - 1, "end", config);
    const address = parseNode(entry);
    if (address === undefined) {
      config.warn(unreadable);
      return found(last, hop - 1, "unreadable", config);
    }
    last = address;
    if (!config.trusts(address, hop)) return found(last, hop, "client", config);
  }
  return found(last, HOPS_MAX, "bound", config);
}

/** `hop` is that of the address: 0 for the peer. */
function found(
  address: IpAddress | undefined,
  hop: number,
  stoppedAt: FoundClient["stoppedAt"],
  { ipv6Prefix }: ClientAddressConfig,
): FoundClient {
  return {
    key: address === undefined ? undefined : addressKey(address, ipv6Prefix),
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
