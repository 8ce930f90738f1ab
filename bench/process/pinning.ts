import { spawnSync } from "node:child_process";
import { cpus } from "node:os";

/** Whether processes can be kept to one core each: needs `taskset` and two cores. */
export function canPin(): boolean {
  return cpus().length > 1 && spawnSync("taskset", ["-c", "0", "true"]).status === 0;
}

/** The program and its first arguments that start Node.js on this core only. */
export function pinned(core: number): { readonly command: string; readonly args: string[] } {
  return { command: "taskset", args: ["-c", String(core), process.execPath] };
}
