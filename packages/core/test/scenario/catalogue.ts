import {
  concurrency,
  fixedWindow,
  type Limit,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";

/** How a question asks for a limit of the catalogue. */
export interface LimitChoice {
  /** Position among the limits of the scenario; taken modulo their number. */
  readonly pick: number;
  readonly max: number;
  readonly isShadow?: boolean;
  /** Asks for another window or rate under the same name, so that the state starts fresh. */
  readonly isReshaped?: boolean;
  /** Asks with the other anchor, another rate or another lease, which are no part of the shape. */
  readonly isBent?: boolean;
}

type Make = (options: Common, unitMs: number, choice: LimitChoice) => Limit;

interface Common {
  readonly name: string;
  readonly max: number;
  readonly mode: "enforce" | "shadow";
}

/** The limits that scenarios draw from. Windows share divisors, so that boundaries coincide. */
const catalogue = {
  "fixed-requests": (options, unitMs, { isReshaped, isBent }) =>
    fixedWindow({
      ...options,
      unit: "requests",
      windowMs: unitMs * (isReshaped ? 6 : 10),
      anchor: isBent ? "epoch" : "first-request",
    }),
  "fixed-tokens": (options, unitMs, { isReshaped, isBent }) =>
    fixedWindow({
      ...options,
      unit: "tokens",
      windowMs: unitMs * (isReshaped ? 5 : 7),
      anchor: isBent ? "first-request" : "epoch",
    }),
  "sliding-requests": (options, unitMs, { isReshaped }) =>
    slidingWindow({
      ...options,
      unit: "requests",
      windowMs: unitMs * 12,
      buckets: isReshaped ? 2 : 4,
    }),
  "sliding-tokens": (options, unitMs, { isReshaped }) =>
    slidingWindow({ ...options, unit: "tokens", windowMs: unitMs * (isReshaped ? 20 : 10) }),
  "one-bucket": (options, unitMs, { isReshaped }) =>
    slidingWindow({
      ...options,
      unit: "requests",
      windowMs: unitMs * (isReshaped ? 4 : 5),
      buckets: 1,
    }),
  "log-requests": (options, unitMs, { isReshaped }) =>
    slidingLog({ ...options, unit: "requests", windowMs: unitMs * (isReshaped ? 5 : 9) }),
  "log-tokens": (options, unitMs, { isReshaped }) =>
    slidingLog({ ...options, unit: "tokens", windowMs: unitMs * (isReshaped ? 10 : 5) }),
  "bucket-requests": (options, unitMs, { isReshaped, isBent }) =>
    tokenBucket({
      ...capacityOf(options),
      unit: "requests",
      refill: isBent ? 5 : 3,
      perMs: unitMs * 7 + (isReshaped ? 1 : 0),
    }),
  "bucket-tokens": (options, unitMs, { isReshaped, isBent }) =>
    tokenBucket({
      ...capacityOf(options),
      unit: "tokens",
      refill: isBent ? 1 : 2,
      perMs: unitMs * (isReshaped ? 4 : 5),
    }),
  slots: (options, unitMs, { isBent }) =>
    concurrency({ ...options, leaseMs: unitMs * (isBent ? 30 : 20), maxHoldMs: 10 ** 9 }),
} as const satisfies Record<string, Make>;

/** The names of all limits of the catalogue. */
export const catalogueNames = Object.keys(catalogue) as (keyof typeof catalogue)[];

/** A limit of the catalogue. `unitMs` is the common divisor of all windows. */
export function makeLimit(
  name: keyof typeof catalogue,
  unitMs: number,
  choice: Omit<LimitChoice, "pick">,
): Limit {
  const mode = choice.isShadow ? "shadow" : "enforce";
  const make: Make = catalogue[name];
  return make({ name, max: choice.max, mode }, unitMs, { pick: 0, ...choice });
}

function capacityOf({ max, ...rest }: Common) {
  return { ...rest, capacity: max };
}
