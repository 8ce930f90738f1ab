import { OptionsReader, type Problems } from "@sluice/core";
import { checkDistribution } from "./read-distribution";
import { listOf } from "./read-list";
import { requiredNumber } from "./required-number";

const SLOTS_MAX = 1_000_000;
const STEPS_MAX = 1_000;
const serverNames = ["slots", "discipline", "service", "firstByte", "steps", "abandoned"];
const stepNames = ["atMs", "slots", "service", "firstByte", "isHanging"];

/** Adds to `problems` what is wrong with a server. */
export function checkServer(given: unknown, problems: Problems): void {
  const reader = new OptionsReader(given, serverNames, problems, "server");
  reader.integer("slots", { min: 1, max: SLOTS_MAX });
  const discipline = reader.oneOf("discipline", ["fifo", "processor-sharing"], "fifo");
  reader.oneOf("abandoned", ["finish", "skip", "cancel"], "finish");
  checkDistribution(reader.raw("service"), problems, "server.service");
  const isStream = reader.isGiven("firstByte");
  if (isStream) checkDistribution(reader.raw("firstByte"), problems, "server.firstByte");
  if (isStream && discipline === "processor-sharing") {
    reader.problem("firstByte", "none with the discipline processor-sharing");
  }
  const bounds = { max: STEPS_MAX, of: "steps" };
  for (const [step, path] of listOf(reader, problems, "server.steps", bounds)) {
    checkStep(step, problems, path, isStream);
  }
}

function checkStep(given: unknown, problems: Problems, path: string, isStream: boolean): void {
  const reader = new OptionsReader(given, stepNames, problems, path);
  reader.integer("atMs", { min: 0 });
  reader.integer("slots", { min: 1, max: SLOTS_MAX, fallback: 1 });
  const isHanging = reader.raw("isHanging");
  if (isHanging !== undefined && typeof isHanging !== "boolean") {
    reader.problem("isHanging", "true or false");
  }
  for (const name of ["service", "firstByte"]) {
    if (reader.isGiven(name)) checkDistribution(reader.raw(name), problems, `${path}.${name}`);
  }
  if (reader.isGiven("firstByte") && !isStream) {
    reader.problem("firstByte", "none where the server itself has none");
  }
}

const retryNames = ["max", "delayMinMs", "delayMaxMs", "backoff", "after"];
const causes = ["rejected", "timeout"];

/** Adds to `problems` what is wrong with the clients; none are described if it is absent. */
export function checkClient(given: unknown, problems: Problems): void {
  if (given === undefined) return;
  const reader = new OptionsReader(given, ["timeoutMs", "retries"], problems, "client");
  reader.integer("timeoutMs", { min: 1, fallback: 1 });
  if (!reader.isGiven("retries")) return;
  const path = "client.retries";
  const retries = new OptionsReader(reader.raw("retries"), retryNames, problems, path);
  retries.integer("max", { min: 1, max: 1_000 });
  const delayMinMs = requiredNumber(retries, "delayMinMs", { min: 0, max: 86_400_000 });
  requiredNumber(retries, "delayMaxMs", { min: delayMinMs, max: 86_400_000 });
  retries.number("backoff", { min: 1, max: 10, fallback: 1 });
  for (const [cause, causePath] of listOf(retries, problems, `${path}.after`, {
    max: causes.length,
    of: "causes",
  })) {
    if (!causes.includes(cause as string)) {
      problems.add(causePath, `one of ${causes.join(", ")}`, cause);
    }
  }
}
