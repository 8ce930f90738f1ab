import { OptionsReader, type Problems } from "@sluice/core";
import { checkDistribution } from "./read-distribution";
import { listOf } from "./read-list";
import { requiredNumber } from "./required-number";

const kinds: Readonly<Record<string, readonly string[]>> = {
  poisson: ["perSecond", "steps"],
  even: ["perSecond", "steps"],
  burst: ["size", "atMs", "everyMs"],
  "closed-loop": ["clients", "think"],
};

/** More per second would be a run that does not end soon. */
const RATE_MAX = 100_000;
const CLIENTS_MAX = 100_000;
const STEPS_MAX = 1_000;
const TEXT = /^.{1,64}$/s;

/** Adds to `problems` what is wrong with a source of requests. */
export function checkSource(given: unknown, problems: Problems, path: string): void {
  const kind = (given as { readonly kind?: unknown } | null | undefined)?.kind;
  const names = typeof kind === "string" && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (names === undefined) {
    problems.add(`${path}.kind`, `one of ${Object.keys(kinds).join(", ")}`, kind ?? given);
    return;
  }
  const traits = ["kind", "name", "class", "fairnessKey", "service"];
  const reader = new OptionsReader(given, [...traits, ...names], problems, path);
  for (const name of ["name", "class", "fairnessKey"]) {
    reader.text(name, TEXT, "a text of 1 to 64 characters", "");
  }
  if (reader.isGiven("service")) {
    checkDistribution(reader.raw("service"), problems, `${path}.service`);
  }
  if (kind === "burst") checkBurst(reader);
  else if (kind === "closed-loop") checkClients(reader, problems, path);
  else checkRate(reader, problems, path);
}

function checkRate(reader: OptionsReader, problems: Problems, path: string): void {
  requiredNumber(reader, "perSecond", { min: 0, max: RATE_MAX });
  const bounds = { max: STEPS_MAX, of: "steps" };
  for (const [step, stepPath] of listOf(reader, problems, `${path}.steps`, bounds)) {
    const stepReader = new OptionsReader(step, ["atMs", "perSecond"], problems, stepPath);
    stepReader.integer("atMs", { min: 0 });
    requiredNumber(stepReader, "perSecond", { min: 0, max: RATE_MAX });
  }
}

function checkBurst(reader: OptionsReader): void {
  reader.integer("size", { min: 1, max: CLIENTS_MAX });
  reader.integer("atMs", { min: 0 });
  reader.integer("everyMs", { min: 1, fallback: 1 });
}

function checkClients(reader: OptionsReader, problems: Problems, path: string): void {
  reader.integer("clients", { min: 1, max: CLIENTS_MAX });
  checkDistribution(reader.raw("think"), problems, `${path}.think`);
}
