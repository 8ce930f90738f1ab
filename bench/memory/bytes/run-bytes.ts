import type { Headline } from "../../report/headline";
import { decimal } from "../../report/number-text";
import { type Column, tableHead, tableRow } from "../../report/table";
import type { ContenderName } from "../contender/contenders";
import { measureBytes } from "./measure-bytes";
import type { BytesOrder } from "./order";

const TARGET_BYTES = 150;
const MILLION = 1_000_000;

const columns: readonly Column[] = [
  { heading: "  limiter", width: 38, side: "left" },
  { heading: "keys", width: 9, side: "right" },
  { heading: "limits", width: 6, side: "right" },
  { heading: "bytes/key", width: 9, side: "right" },
  { heading: "of that, key text", width: 17, side: "right" },
  { heading: "without it", width: 10, side: "right" },
];

const contenders: readonly ContenderName[] = [
  "sluice",
  "rate-limiter-flexible",
  "express-rate-limit",
  "limiter",
  "floor",
];

/**
 * Every contender with a million keys and one limit; ours with more limits and other numbers too.
 */
const orders: readonly BytesOrder[] = [
  ...contenders.map((contender) => ({ contender, keys: MILLION, limits: 1 })),
  { contender: "sluice", keys: MILLION, limits: 3 },
  { contender: "sluice", keys: MILLION, limits: 6 },
  { contender: "sluice", keys: 700_000, limits: 1 },
  { contender: "sluice", keys: 10_000, limits: 1 },
];

/** Bytes per key: prints a table, returns the figure that has a target. */
export async function runBytes(): Promise<Headline[]> {
  const headlines: Headline[] = [];
  console.log("Bytes per key, by the memory in use after a forced collection");
  console.log(tableHead(columns));
  for (const order of orders) {
    const { contender, keys, limits } = order;
    const { all, text } = await measureBytes(order);
    const own = all - text;
    const cells = [decimal(keys), String(limits), decimal(all), decimal(text), decimal(own)];
    console.log(tableRow(columns, [`  ${contender}`, ...cells]));
    if (contender === "sluice" && keys === MILLION && limits === 1) {
      headlines.push({
        what: "bytes per key, fixed window, 1 000 000 keys, text not counted",
        measured: `${own.toFixed(1)} bytes`,
        target: `<= ${TARGET_BYTES}`,
        isMet: own <= TARGET_BYTES,
      });
    }
  }
  console.log("");
  return headlines;
}
