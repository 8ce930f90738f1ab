import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { FleetAsk, FleetStart, FleetTally } from "./fleet-messages";

const PROGRAM = fileURLToPath(new URL("fleet-program.ts", import.meta.url));
const TSCONFIG = fileURLToPath(new URL("../../../../../tsconfig.json", import.meta.url));

/** Starting a process takes seconds where all processors are busy. */
const ANSWER_TIMEOUT_MS = 40_000;

const running = new Set<FleetProcess>();

/** For `afterEach`: ends what a test has left. */
export async function endFleet(): Promise<void> {
  await Promise.all([...running].map((each) => each.kill()));
}

/** A process of a fleet, of its own. */
export class FleetProcess {
  readonly #child: ChildProcess;

  constructor(start: FleetStart) {
    this.#child = fork(PROGRAM, [JSON.stringify(start)], {
      execArgv: ["--import", "tsx"],
      env: { ...process.env, TSX_TSCONFIG_PATH: TSCONFIG },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    running.add(this);
    this.#child.once("exit", () => running.delete(this));
  }

  /** Tells it something; resolves to what it answers. @throws Error if it does not. */
  async tell(
    type: FleetAsk["type"],
    more: Omit<FleetAsk, "type" | "descriptors"> & Partial<Pick<FleetAsk, "descriptors">> = {},
  ): Promise<FleetTally> {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const answer = once(this.#child, "message", { signal });
    this.#child.send({ type, descriptors: [], ...more } satisfies FleetAsk);
    const [tally] = await answer;
    return tally as FleetTally;
  }

  /** Waits until it has ended by itself; resolves to its exit code. @throws Error after 5 s. */
  async ended(): Promise<number | null> {
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    const [code] = await once(this.#child, "exit", { signal: AbortSignal.timeout(5_000) });
    return code as number | null;
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
