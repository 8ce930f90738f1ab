import { type Headline, headlineTable } from "../report/headline";
import { runBytes } from "./bytes/run-bytes";
import { runSpeed } from "./speed/run-speed";
import { runTurns } from "./turns/run-turns";

const parts: Readonly<Record<string, () => Promise<Headline[]>>> = {
  speed: runSpeed,
  bytes: runBytes,
  turns: runTurns,
};

/** Names of the parts of this benchmark. */
export const memoryParts: readonly string[] = Object.keys(parts);

/** What a verdict from memory costs in time, bytes and turns of the event loop. */
export async function runMemory(chosen: readonly string[]): Promise<void> {
  const headlines: Headline[] = [];
  for (const name of chosen) headlines.push(...((await parts[name]?.()) ?? []));
  console.log(headlineTable(headlines));
}
