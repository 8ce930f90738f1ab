import { MeasuredProcess } from "../../process/measured-process";
import type { TurnsOrder, TurnsResult } from "./order";

/** Fills a limiter key by key, and lets the keys expire if asked to, in a process of its own. */
export async function measureTurns(order: TurnsOrder): Promise<TurnsResult> {
  const process = new MeasuredProcess("turns", order);
  try {
    return await process.answer<TurnsResult>();
  } finally {
    await process.stop();
  }
}
