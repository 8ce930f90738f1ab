import type { Milliseconds } from "../limit/limit";

/** Header fields by lower-case or any name, as the `Headers` of a fetch give them. */
export interface ReadableHeaders {
  get(name: string): string | null;
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const DECIMAL = /^\d+(\.\d+)?$/;

/** The three forms of a date in HTTP, each with its groups in an order of its own. */
const IMF = /^[A-Za-z]{3}, (\d{2}) ([A-Za-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const RFC_850 = /^[A-Za-z]{6,9}, (\d{2})-([A-Za-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const ASCTIME = /^[A-Za-z]{3} ([A-Za-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/;

/**
 * How long an upstream asks to wait, in milliseconds from now: `retry-after-ms` if there is a sound
 * one, else `Retry-After` in seconds or as a date. A date is measured from the answer's own `Date`,
 * so that the clocks of the two sides need not agree; without one from `nowMs`. `undefined` if
 * nothing that can be read is there; 0 if the instant has passed. Pure; never throws.
 *
 * @remarks RFC 9110 sections 10.2.3 and 5.6.7. `retry-after-ms` is what OpenAI's and Azure's
 * services send, and their clients read first.
 */
export function retryAfterOf(headers: ReadableHeaders, nowMs: Milliseconds): number | undefined {
  const inMs = headers.get("retry-after-ms")?.trim();
  if (inMs !== undefined && DECIMAL.test(inMs)) return Math.ceil(Number(inMs));
  const given = headers.get("retry-after")?.trim();
  if (given === undefined) return undefined;
  // Fractions are not allowed, and are sent; the instant is what counts.
  if (DECIMAL.test(given)) return Math.ceil(Number(given) * 1000);
  const atMs = httpDateMs(given, nowMs);
  if (atMs === undefined) return undefined;
  const sentMs = httpDateMs(headers.get("date")?.trim() ?? "", nowMs) ?? nowMs;
  return Math.max(0, atMs - sentMs);
}

/** The instant of a date in HTTP; `nowMs` tells the century of the form that has none. */
export function httpDateMs(text: string, nowMs: Milliseconds): number | undefined {
  const imf = IMF.exec(text);
  if (imf !== null) return instantOf(imf, [3, 2, 1, 4, 5, 6]);
  const asctime = ASCTIME.exec(text);
  if (asctime !== null) return instantOf(asctime, [6, 1, 2, 3, 4, 5]);
  const rfc850 = RFC_850.exec(text);
  if (rfc850 === null) return undefined;
  const thisCentury = instantOf(rfc850, [3, 2, 1, 4, 5, 6], centuryOf(nowMs));
  if (thisCentury === undefined) return undefined;
  // RFC 9110: a date more than 50 years ahead is one of the century before.
  const isBefore = thisCentury - nowMs > 50 * 365.25 * 86_400_000;
  return isBefore ? instantOf(rfc850, [3, 2, 1, 4, 5, 6], centuryOf(nowMs) - 100) : thisCentury;
}

function centuryOf(nowMs: Milliseconds): number {
  const year = 1970 + nowMs / (365.2425 * 86_400_000);
  return Math.floor(year / 100) * 100;
}

/** `order`: which groups are year, month, day, hour, minute and second. */
function instantOf(
  groups: readonly (string | undefined)[],
  order: readonly number[],
  century = 0,
): number | undefined {
  const [year = "", month = "", day = "", hour = "", minute = "", second = ""] = order.map(
    (group) => groups[group] ?? "",
  );
  const place = MONTHS.indexOf(month);
  if (place < 0 || place % 3 !== 0) return undefined;
  const atMs = Date.UTC(
    century + Number(year),
    place / 3,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  return Number.isFinite(atMs) ? atMs : undefined;
}
