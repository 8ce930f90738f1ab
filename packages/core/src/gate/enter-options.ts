import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { EnterOptions } from "./gate";

const names = ["signal", "deadlineMs"] as const;

/**
 * Refuses bad options of one `enter`: a misspelt or NaN deadline must not silently become "no
 * deadline".
 *
 * @throws InvalidOptionsError listing every problem.
 */
export function requireEnterOptions(options: EnterOptions): void {
  // Every request passes here, so sound options are recognised without making anything.
  if (isSound(options)) return;
  const problems = new Problems("enter options");
  const reader = new OptionsReader(options, names, problems);
  if (!isDeadline(reader.raw("deadlineMs"))) {
    reader.problem("deadlineMs", "a number (0 or less: no time is left), not NaN");
  }
  if (!isSignal(reader.raw("signal"))) reader.problem("signal", "an AbortSignal");
  problems.throwIfAny();
}

function isSound(options: EnterOptions): boolean {
  if (typeof options !== "object" || options === null || Array.isArray(options)) return false;
  for (const name in options) {
    if (name !== "signal" && name !== "deadlineMs") return false;
  }
  return isDeadline(options.deadlineMs) && isSignal(options.signal);
}

function isDeadline(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && !Number.isNaN(value));
}

function isSignal(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return false;
  const signal = value as Partial<AbortSignal>;
  return (
    typeof signal.aborted === "boolean" &&
    typeof signal.addEventListener === "function" &&
    typeof signal.removeEventListener === "function"
  );
}
