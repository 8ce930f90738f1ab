import { type AdaptiveLimit, type Clock, OptionsReader, Problems, systemClock } from "@sluice/core";
import type { AdmissionEvent } from "./admission-event";
import { type AdmissionFacts, type AllowedNames, type NameField, nameFields } from "./facts";

/** What {@link createAdmissionLog} takes. */
export interface AdmissionLogOptions<Req> {
  /**
   * Gets each event; what it throws, or rejects with, is dropped. Quick: it runs at the end of
   * responses.
   */
  readonly sink: (event: AdmissionEvent) => void;
  /** Names the running version in every event: 1 to 64 of `[A-Za-z0-9_.+-]`. */
  readonly controllerVersion: string;
  /**
   * Says of a request what only the server knows, when its response has ended. What it throws is
   * dropped, and the event is without it.
   *
   * @defaultValue nothing
   */
  readonly describe?: (request: Req) => AdmissionFacts;
  /**
   * The names that may be written, by field: up to 1000 each, of 1 to 128 characters. Any other
   * name is `redacted`.
   *
   * @defaultValue none
   */
  readonly allow?: Readonly<Partial<Record<NameField, readonly string[]>>>;
  /** The adaptive limit of the gate, for `baselineMs`. @defaultValue none */
  readonly adaptiveLimit?: Pick<AdaptiveLimit, "limit" | "baselineMs">;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
}

/** {@link AdmissionLogOptions}, checked and complete. */
export interface AdmissionLogConfig<Req> {
  readonly sink: (event: AdmissionEvent) => unknown;
  readonly controllerVersion: string;
  readonly describe: ((request: Req) => unknown) | undefined;
  readonly allowed: AllowedNames;
  readonly adaptiveLimit: Pick<AdaptiveLimit, "baselineMs"> | undefined;
  readonly clock: Clock;
}

const known = ["sink", "controllerVersion", "describe", "allow", "adaptiveLimit", "clock"];
const VERSION = /^[A-Za-z0-9_.+-]{1,64}$/;
const NAMES_MAX = 1000;
const NAME_LENGTH_MAX = 128;

/** @throws InvalidOptionsError listing every problem. */
export function parseAdmissionLogOptions<Req>(
  options: AdmissionLogOptions<Req>,
): AdmissionLogConfig<Req> {
  const problems = new Problems("createAdmissionLog options");
  const read = new OptionsReader(options, known, problems);
  const expected = "1 to 64 characters of [A-Za-z0-9_.+-]";
  const sink = read.optionalFunction<AdmissionLogConfig<Req>["sink"]>("sink");
  if (!read.isGiven("sink")) read.problem("sink", "a function that takes events");
  const controllerVersion = read.text("controllerVersion", VERSION, expected, "");
  if (!read.isGiven("controllerVersion")) read.problem("controllerVersion", expected);
  const config = {
    sink: sink as AdmissionLogConfig<Req>["sink"],
    controllerVersion,
    describe: read.optionalFunction<(request: Req) => unknown>("describe"),
    allowed: readAllowed(read, problems),
    adaptiveLimit: read.optionalPort<AdaptiveLimit>("adaptiveLimit", ["onSample"]),
    clock: read.optionalPort<Clock>("clock", ["nowMs", "after"]) ?? systemClock(),
  };
  problems.throwIfAny();
  return Object.freeze(config);
}

function readAllowed(read: OptionsReader, problems: Problems): AllowedNames {
  const allowed = new Map<NameField, ReadonlySet<string>>();
  if (!read.isGiven("allow")) return allowed;
  const lists = new OptionsReader(read.raw("allow"), nameFields, problems, "allow");
  for (const field of nameFields) {
    const given = lists.raw(field);
    if (given === undefined) continue;
    if (isListOfNames(given)) allowed.set(field, new Set(given));
    else {
      const length = `1 to ${NAME_LENGTH_MAX} characters`;
      lists.problem(field, `a list of up to ${NAMES_MAX} texts of ${length}`);
    }
  }
  return allowed;
}

function isListOfNames(given: unknown): given is readonly string[] {
  return (
    Array.isArray(given) &&
    given.length <= NAMES_MAX &&
    [...given].every(
      (name) => typeof name === "string" && name.length >= 1 && name.length <= NAME_LENGTH_MAX,
    )
  );
}
