import { keyTexts } from "../../key/key-text";
import { readArgument, tellParent } from "../../process/answer-parent";
import { prepare } from "../contender/contenders";
import type { BytesOrder, BytesResult } from "./order";

const WINDOW_MS = 3_600_000;

/**
 * Memory in use after everything that can go has gone: the heap, and what typed arrays hold outside
 * of it.
 */
function memoryUsed(): number {
  // A second pass frees what the first one only found.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What the texts take, each a flat string of its own. */
function textBytes(keys: readonly string[], storedText: (key: string) => string): number {
  const first = keys[0] as string;
  if (storedText(first) === first) return 0;
  const texts = new Array<string>(keys.length).fill("");
  const before = memoryUsed();
  for (let index = 0; index < keys.length; index += 1) {
    texts[index] = Buffer.from(storedText(keys[index] as string), "latin1").toString("latin1");
  }
  const bytes = memoryUsed() - before;
  if (texts.at(-1) === "") throw new Error("The texts were collected.");
  return bytes;
}

async function main(): Promise<void> {
  const order = readArgument<BytesOrder>();
  const { limits } = order;
  const keys = keyTexts(0, order.keys);
  // A limiter that is thrown away compiles the code that the measured one runs.
  const setting = { limits, windowMs: WINDOW_MS } as const;
  await prepare(order.contender, setting).fill(keys.slice(0, 1000));
  const subject = prepare(order.contender, setting);
  const before = memoryUsed();
  await subject.fill(keys);
  const all = memoryUsed() - before;
  const size = subject.size?.() ?? keys.length;
  if (size !== keys.length) throw new Error(`It keeps ${size} keys of ${keys.length}.`);
  const text = textBytes(keys, (key) => subject.storedText(key));
  const result: BytesResult = { all: all / keys.length, text: text / keys.length };
  tellParent(result);
}

await main();
