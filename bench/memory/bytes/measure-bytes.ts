import { MeasuredProcess } from "../../process/measured-process";
import type { BytesOrder, BytesResult } from "./order";

/** Fills a limiter in a process of its own and tells what that took of its heap. */
export async function measureBytes(order: BytesOrder): Promise<BytesResult> {
  const process = new MeasuredProcess("bytes", order);
  try {
    return await process.answer<BytesResult>();
  } finally {
    await process.stop();
  }
}
