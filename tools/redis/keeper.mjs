// Kills the processes of its parent and removes their folder as soon as its standard input ends,
// which it does however the parent ends, also by SIGKILL. Lines: "keep PID", "drop PID".
//
//   node keeper.mjs FOLDER

import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

const [folder] = process.argv.slice(2);
const pids = new Set();

function onLine(line) {
  const [verb, pid] = line.split(" ");
  if (verb === "keep") pids.add(Number(pid));
  else pids.delete(Number(pid));
}

function onEnd() {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  // A server that is being killed may still write a file.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

createInterface({ input: process.stdin }).on("line", onLine).on("close", onEnd);
