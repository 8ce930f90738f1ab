import { OptionsReader, Problems } from "@sluice/core";
import { phaseMeasures } from "../measure/phase-measures";
import type { Phase } from "./phase";
import { listOf } from "./read-list";
import { checkClient, checkServer } from "./read-server";
import { checkSource } from "./read-source";
import type { Scenario } from "./scenario";

const names = [
  "name",
  "title",
  "durationMs",
  "sources",
  "server",
  "client",
  "phases",
  "expectations",
  "heldUntil",
  "sampledAt",
];
const SOURCES_MAX = 100;
const PHASES_MAX = 100;
/** A week: levels are kept for each second. */
const DURATION_MAX_MS = 604_800_000;

/**
 * Checks a scenario from anywhere, such as a JSON file, and returns it typed. Strict: unknown names
 * and bad values are errors, nothing is filled in.
 *
 * @throws InvalidOptionsError listing every problem with its path.
 */
export function readScenario(given: unknown): Scenario {
  const problems = new Problems("scenario");
  const reader = new OptionsReader(given, names, problems);
  const anyText = "a text of 1 to 500 characters";
  for (const name of ["name", "title"]) {
    if (!reader.isGiven(name)) reader.problem(name, anyText);
    reader.text(name, /^.{1,500}$/s, anyText, "");
  }
  const durationMs = wholeSeconds(reader, "durationMs", { min: 1_000, max: DURATION_MAX_MS });
  const sources = { min: 1, max: SOURCES_MAX, of: "sources" };
  for (const [source, path] of listOf(reader, problems, "sources", sources)) {
    checkSource(source, problems, path);
  }
  checkServer(reader.raw("server"), problems);
  checkClient(reader.raw("client"), problems);
  for (const name of ["heldUntil", "sampledAt"]) reader.oneOf(name, ["first-byte", "end"], "end");
  const known = checkPhases(reader, problems, durationMs);
  const expectations = { max: PHASES_MAX * 10, of: "expectations" };
  for (const [each, path] of listOf(reader, problems, "expectations", expectations)) {
    checkExpectation(each, problems, path, known);
  }
  problems.throwIfAny();
  return given as Scenario;
}

/** @returns the names of the phases. */
function checkPhases(reader: OptionsReader, problems: Problems, durationMs: number) {
  const bounds = { min: 1, max: PHASES_MAX, of: "phases" };
  return listOf(reader, problems, "phases", bounds).map(([given, path]) => {
    const phase = new OptionsReader(given, ["name", "fromMs", "toMs"], problems, path);
    const fromMs = wholeSeconds(phase, "fromMs", { min: 0, max: durationMs });
    wholeSeconds(phase, "toMs", { min: fromMs + 1_000, max: durationMs });
    if (!phase.isGiven("name")) phase.problem("name", "a text of 1 to 64 characters");
    return phase.text("name", /^.{1,64}$/s, "a text of 1 to 64 characters", "");
  });
}

function wholeSeconds(
  reader: OptionsReader,
  name: keyof Phase | "durationMs",
  range: { readonly min: number; readonly max: number },
): number {
  const value = reader.integer(name, range);
  if (value % 1_000 !== 0) reader.problem(name, "whole seconds, in milliseconds");
  return value;
}

const expectationNames = ["phase", "measure", "atMost", "atLeast", "slack", "over"];

function checkExpectation(
  given: unknown,
  problems: Problems,
  path: string,
  phases: readonly string[],
): void {
  const reader = new OptionsReader(given, expectationNames, problems, path);
  const phase = reader.raw("phase");
  if (!phases.includes(phase as string)) {
    reader.problem("phase", `one of the phases: ${phases.join(", ")}`);
  }
  const measure = reader.raw("measure");
  if (!phaseMeasures.includes(measure as never)) {
    reader.problem("measure", `one of ${phaseMeasures.join(", ")}`);
  }
  const largest = Number.MAX_SAFE_INTEGER;
  reader.number("atMost", { min: 0, max: largest, fallback: 0 });
  reader.number("atLeast", { min: 0, max: largest, fallback: 0 });
  if (reader.isGiven("atMost") === reader.isGiven("atLeast")) {
    reader.problem("atMost", "either atMost or atLeast");
  }
  reader.number("slack", { min: 0, max: 1, fallback: 0 });
  reader.oneOf("over", ["mean", "each"], "mean");
}
