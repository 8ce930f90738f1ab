import { type ShownLimit, secondsLeft } from "../shown-limits";
import { decimal } from "./decimal";
import type { HeaderFields, HeaderPresetWriter } from "./header-preset";

/**
 * `RateLimit-Policy` and `RateLimit` as two lists of named policies.
 *
 * @remarks draft-ietf-httpapi-ratelimit-headers-08 to -11, over RFC 9651. The draft still moves
 * (proposed: other parameter letters, names as Tokens), so everything that spells it is in this
 * file. `t` is the exact wait of an exhausted policy without the jitter that the draft suggests,
 * because Retry-After must not be earlier than `t`. No partition key is sent: it could reveal one.
 */
export const ietfPreset: HeaderPresetWriter = { writeLimits };

function writeLimits(fields: HeaderFields, shown: readonly ShownLimit[]): void {
  let policies = "";
  let states = "";
  for (const each of shown) {
    const separator = policies === "" ? "" : ", ";
    const name = structuredString(each.policyName);
    policies += separator + name + policyParameters(each);
    states += separator + name + stateParameters(each);
  }
  // An empty list is sent by leaving the field out (RFC 9651, section 3.1).
  if (policies === "") return;
  fields["ratelimit-policy"] = policies;
  fields.ratelimit = states;
}

function policyParameters({ status, windowMs }: ShownLimit): string {
  const unit = quotaUnit(status.unit);
  const qu = unit === "requests" ? "" : `;qu=${structuredString(unit)}`;
  // The window is a whole number of seconds above 0: a shorter one is announced as longer than it
  // is.
  const w = windowMs === undefined ? "" : `;w=${structuredInteger(Math.ceil(windowMs / 1000))}`;
  return `;q=${structuredInteger(status.max)}${qu}${w}`;
}

function stateParameters({ status }: ShownLimit): string {
  const t = isWaitKnown(status) ? `;t=${structuredInteger(secondsLeft(status))}` : "";
  return `;r=${structuredInteger(status.remaining)}${t}`;
}

/** A policy that refused without a wait of its own would else say its reset, after Retry-After. */
function isWaitKnown({ unit, admitted, retryAfterMs }: ShownLimit["status"]): boolean {
  return unit !== "slots" && (admitted || retryAfterMs !== undefined);
}

function quotaUnit(unit: string): string {
  return unit === "slots" ? "concurrent-requests" : unit;
}

const structuredIntegerMax = 999_999_999_999_999;

/** An Integer of RFC 9651, section 3.3.1: at most 15 digits, so a larger number is cut to that. */
function structuredInteger(value: number): string {
  return decimal(value, structuredIntegerMax);
}

const isPlain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** A String of RFC 9651, section 3.3.3: printable ASCII only; anything else is written as `?`. */
function structuredString(text: string): string {
  if (isPlain.test(text)) return `"${text}"`;
  return `"${text.replace(/[^\x20-\x7e]/g, "?").replace(/["\\]/g, "\\$&")}"`;
}
