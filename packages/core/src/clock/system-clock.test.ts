import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { systemClock } from "./system-clock";

describe("systemClock", () => {
  it("shows integer Unix-epoch milliseconds", () => {
    const nowMs = systemClock().nowMs();
    expect(Number.isSafeInteger(nowMs)).toBe(true);
    // The wall may have been set since the first test of this process; an hour is a wide margin.
    expect(Math.abs(nowMs - Date.now())).toBeLessThan(3_600_000);
  });

  it("never goes backwards in 200 000 reads", () => {
    const clock = systemClock();
    let lastMs = clock.nowMs();
    let backwards = 0;
    for (let read = 0; read < 200_000; read++) {
      const nowMs = clock.nowMs();
      if (nowMs < lastMs) backwards += 1;
      lastMs = nowMs;
    }
    expect(backwards).toBe(0);
  });

  it("is one clock for the whole process", () => {
    expect(systemClock()).toBe(systemClock());
  });

  it("does not follow a wall clock that is set, neither forth nor back", () => {
    const clock = systemClock();
    const beforeMs = clock.nowMs();
    const wall = vi.spyOn(Date, "now");
    try {
      for (const wallMs of [0, 4_102_444_800_000]) {
        wall.mockReturnValue(wallMs);
        expect(clock.nowMs() - beforeMs).toBeGreaterThanOrEqual(0);
        expect(clock.nowMs() - beforeMs).toBeLessThan(3_600_000);
        expect(systemClock().nowMs() - beforeMs).toBeLessThan(3_600_000);
      }
    } finally {
      wall.mockRestore();
    }
  });

  it.each([
    { delayMs: Number.NaN, received: "NaN (number)" },
    { delayMs: -1, received: "-1 (number)" },
    { delayMs: Number.NEGATIVE_INFINITY, received: "-Infinity (number)" },
    { delayMs: "10", received: '"10" (string)' },
    { delayMs: undefined, received: "undefined" },
  ])("refuses a delay of $delayMs instead of firing at once", ({ delayMs, received }) => {
    const act = () => systemClock().after(delayMs as number, () => {});
    expect(act).toThrow(InvalidOptionsError);
    expect(act).toThrow(
      `Invalid timer: delayMs: expected a number of 0 or more (Infinity never fires), ` +
        `received ${received}`,
    );
  });
});

// The runtime's own timers are replaced here: the point is how the clock uses them over years. The
// replacement has the trap of the real ones, a delay above 2 147 483 647 ms fires after 1 ms.
describe("systemClock over long delays", () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }),
  );
  afterEach(() => void vi.useRealTimers());

  it.each([2_147_483_647, 2_147_483_648, 2_592_000_000, 31_536_000_000, 1_000_000_000_000])(
    "R061: a delay of %d ms fires once, after that time and not before",
    (delayMs) => {
      let runs = 0;
      systemClock().after(delayMs, () => runs++);
      vi.advanceTimersByTime(delayMs - 1);
      expect(runs).toBe(0);
      vi.advanceTimersByTime(2);
      expect(runs).toBe(1);
      vi.advanceTimersByTime(delayMs);
      expect(runs).toBe(1);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("R061: a delay of Infinity starts no timer at all", () => {
    let runs = 0;
    const cancel = systemClock().after(Number.POSITIVE_INFINITY, () => runs++);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(10_000_000_000);
    cancel();
    expect(runs).toBe(0);
  });

  it("waits on when the runtime wakes it a fraction of a millisecond early", () => {
    let runs = 0;
    const monotonic = vi.spyOn(performance, "now");
    const atMs = (ms: number) => void monotonic.mockReturnValue(ms);
    atMs(5_000.875);
    systemClock().after(10, () => runs++);
    atMs(5_010.25);
    vi.advanceTimersByTime(10);
    expect(runs).toBe(0);
    atMs(5_010.875);
    vi.advanceTimersByTime(1);
    expect(runs).toBe(1);
    monotonic.mockRestore();
  });

  it("cancels a timer in the middle of its chain, and cancelling again does nothing", () => {
    let runs = 0;
    const cancel = systemClock().after(5_000_000_000, () => runs++);
    vi.advanceTimersByTime(3_000_000_000);
    cancel();
    cancel();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(5_000_000_000);
    expect(runs).toBe(0);
  });

  it("does nothing when a timer is cancelled after it fired", () => {
    let runs = 0;
    const cancel = systemClock().after(10, () => runs++);
    vi.advanceTimersByTime(11);
    cancel();
    expect(runs).toBe(1);
  });
});

// Whether a timer holds a process open can only be seen on a process. Where it must not, the timer
// is an hour long, so that a process that waits for it runs into the time-out of `run`.
describe("systemClock in a process of its own", { timeout: 30_000 }, () => {
  it("lets the process exit at once while a timer is pending", async () => {
    const output = await run(`
      clock.after(3_600_000, () => console.log("fired"));
      clock.after(3_600_000_000, () => console.log("fired"));
      console.log("last line");
    `);
    expect(output).toEqual({ stdout: "last line\n", stderr: "" });
  });

  it("keeps the process alive for a timer that asks for it", async () => {
    const output = await run(`
      clock.after(50, () => console.log("fired"), { keepsProcessAlive: true });
      console.log("last line");
    `);
    expect(output).toEqual({ stdout: "last line\nfired\n", stderr: "" });
  });

  it("lets the process exit once such a timer is cancelled", async () => {
    const output = await run(`
      const fired = () => console.log("fired");
      const cancel = clock.after(3_600_000, fired, { keepsProcessAlive: true });
      clock.after(10, cancel, { keepsProcessAlive: true });
    `);
    expect(output).toEqual({ stdout: "", stderr: "" });
  });

  it("R061: long delays neither fire at once nor make the runtime warn", async () => {
    const output = await run(`
      for (const delayMs of [2_147_483_648, 2_592_000_000, 31_536_000_000, 1e12, 1e300, Infinity]) {
        clock.after(delayMs, () => console.log("fired", delayMs), { keepsProcessAlive: true });
      }
      clock.after(50, () => process.exit(), { keepsProcessAlive: true });
    `);
    expect(output).toEqual({ stdout: "", stderr: "" });
  });
});

/**
 * Runs a script that may use `clock`, a system clock, and waits for the process to exit by itself.
 */
async function run(script: string): Promise<{ stdout: string; stderr: string }> {
  const module = new URL("./system-clock.ts", import.meta.url).href;
  const source = `
    import { systemClock } from ${JSON.stringify(module)};
    const clock = systemClock();
    ${script}
  `;
  const args = ["--import", import.meta.resolve("tsx"), "--input-type=module", "--eval", source];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    timeout: 20_000,
    env: {},
  });
  return { stdout, stderr };
}
