import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { EnterOptions } from "./gate";

const names = ["class", "fairnessKey", "signal", "deadlineMs"] as const;

/** The classes of a gate by their names; empty if it has none. */
type Classes = ReadonlyMap<string, unknown>;

/**
 * Refuses bad options of one `enter`: a misspelt or NaN deadline must not silently become "no
 * deadline", nor a misspelt class another one.
 *
 * @throws InvalidOptionsError listing every problem.
 */
export function requireEnterOptions(options: EnterOptions, classes: Classes): void {
  // Every request passes here, so sound options are recognised without making anything.
  if (isSound(options, classes)) return;
  const problems = new Problems("enter options");
  const reader = new OptionsReader(options, names, problems);
  if (!isClass(reader.raw("class"), classes)) {
    const known = [...classes.keys()].map((name) => JSON.stringify(name)).join(", ");
    reader.problem("class", classes.size > 0 ? `one of ${known}` : "nothing without classes");
  }
  if (!isKey(reader.raw("fairnessKey"))) reader.problem("fairnessKey", "a text");
  if (!isDeadline(reader.raw("deadlineMs"))) {
    reader.problem("deadlineMs", "a number (0 or less: no time is left), not NaN");
  }
  if (!isSignal(reader.raw("signal"))) reader.problem("signal", "an AbortSignal");
  problems.throwIfAny();
}

function isSound(options: EnterOptions, classes: Classes): boolean {
  if (typeof options !== "object" || options === null || Array.isArray(options)) return false;
  for (const name in options) {
    if (!names.includes(name as (typeof names)[number])) return false;
  }
  return (
    isClass(options.class, classes) &&
    isKey(options.fairnessKey) &&
    isDeadline(options.deadlineMs) &&
    isSignal(options.signal)
  );
}

function isClass(value: unknown, classes: Classes): boolean {
  return value === undefined || (typeof value === "string" && classes.has(value));
}

function isKey(value: unknown): boolean {
  return value === undefined || typeof value === "string";
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
