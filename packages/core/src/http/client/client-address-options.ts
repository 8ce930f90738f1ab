import { Problems } from "../../options/problems";
import { isIntegerWithin, OptionsReader } from "../../options/read";
import { readTrust, type TrustOption, type Trusts } from "./trust";
import { type OnClientAddressWarning, warnByProcess, warnOnce } from "./warning";

/** What {@link clientAddress} takes. */
export interface ClientAddressOptions {
  /**
   * Which proxies are believed about whom they got a request from. A number (0 to 16): so many of
   * the nearest hops. A list: addresses, networks (`10.0.0.0/8`), and the groups `"loopback"`,
   * `"link-local"`, `"private"` and `"unix"` (a peer without an address). Or a function.
   *
   * Too many: clients write into the header who they are, so that no limit holds. Too few: all
   * clients of a proxy are one.
   *
   * @defaultValue nobody; `0` says the same and means it, so that a forwarding header is no warning
   */
  readonly trust?: TrustOption;
  /**
   * The header in which proxies write it, in lower case. `"forwarded"` is read by RFC 7239, any
   * other as a list of addresses, such as `"cf-connecting-ip"` of a CDN.
   *
   * @defaultValue `"x-forwarded-for"`
   */
  readonly header?: string;
  /**
   * How many bits of an IPv6 address count, 32 to 64, or 128 for all. Providers give a customer a
   * network of 48 to 64 bits. Fewer bits: neighbours share a limit. More: a customer has many.
   * With 128 a single host has more addresses than it can use, so it is for networks in which
   * hosts cannot choose theirs.
   *
   * @defaultValue 56
   */
  readonly ipv6Prefix?: number;
  /**
   * Hears of settings that look wrong, each at most once.
   *
   * @defaultValue a warning of the process, where there is one
   */
  readonly onWarning?: OnClientAddressWarning;
}

/** {@link ClientAddressOptions}, checked and complete. */
export interface ClientAddressConfig {
  readonly trusts: Trusts;
  /** Whether somebody said whom to trust, and be it nobody. */
  readonly isTrustGiven: boolean;
  readonly header: string;
  readonly ipv6Prefix: number;
  readonly warn: OnClientAddressWarning;
}

const known = ["trust", "header", "ipv6Prefix", "onWarning"];

/** @throws InvalidOptionsError listing every problem. */
export function parseClientAddressOptions(options: ClientAddressOptions): ClientAddressConfig {
  const problems = new Problems("clientAddress options");
  const reader = new OptionsReader(options, known, problems);
  const headerText = "a header name in lower case: 1 to 64 characters of a-z, 0-9, _ and -";
  const config = {
    trusts: readTrust(reader, problems),
    isTrustGiven: reader.isGiven("trust"),
    header: reader.text("header", /^[a-z0-9_-]{1,64}$/, headerText, "x-forwarded-for"),
    ipv6Prefix: readIpv6Prefix(reader),
    warn: warnOnce(reader.optionalFunction<OnClientAddressWarning>("onWarning") ?? warnByProcess),
  };
  problems.throwIfAny();
  return Object.freeze(config);
}

function readIpv6Prefix(reader: OptionsReader): number {
  const value = reader.raw("ipv6Prefix");
  if (value === undefined) return 56;
  if (value === 128 || isIntegerWithin(value, 32, 64)) return value;
  reader.problem("ipv6Prefix", "an integer from 32 to 64, or 128");
  return 56;
}
