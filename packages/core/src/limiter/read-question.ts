import { charactersOf, consistsOf } from "../descriptor/characters";
import type { Descriptor } from "../descriptor/descriptor";
import { idText } from "../descriptor/key";
import type { FullCost, LimitsTarget } from "../engine/command";
import type { DescriptorLimit, Milliseconds } from "../limit/limit";
import { DURATION_MAX_MS, isLimit } from "../limit/limit-options";
import { Problems } from "../options/problems";
import { isIntegerWithin } from "../options/read";
import type { Units } from "./full-cost";
import { type CheckedLimits, KnownLimits, limitsFor } from "./known-limits";
import type { Question } from "./question";

/** Bounds the work of one question, and the keys of one script call where the store is shared. */
const DESCRIPTORS_MAX = 16;
const LIMITS_MAX = 16;

/** Parts of one id; more is a mistake in the policy. */
const ID_PARTS_MAX = 16;

const KIND_LENGTH_MAX = 64;
const KIND_CHARACTERS = charactersOf("_.-");
const LETTER = /^[A-Za-z]/;

/** Equal to nothing that a caller can send. */
const NONE_YET = Symbol("none yet");

/** A checked question, as a command needs it. */
export interface ReadQuestion {
  readonly targets: readonly LimitsTarget[];
  readonly cost: FullCost;
  /** Whether any limit counts slots. */
  readonly asksForSlots: boolean;
  /** 0 if it does not wait. */
  readonly maxWaitMs: Milliseconds;
}

/** Checks the questions of one limiter. */
export class QuestionReader {
  readonly #units: Units;
  readonly #known = new KnownLimits();
  /** Empty between two questions. */
  #problems = newProblems();
  /** The good kind seen last: most limiters see one or two. */
  #kind: unknown = NONE_YET;

  constructor(units: Units) {
    this.#units = units;
  }

  /**
   * Checks a question and finds the ids of its descriptors.
   *
   * @throws InvalidOptionsError listing every problem: an id that is missing must never become a
   * bucket that all callers share.
   */
  read(question: Question): ReadQuestion {
    // Something is left only if a getter of the question before threw.
    if (this.#problems.count > 0) this.#problems = newProblems();
    const problems = this.#problems;
    if (typeof question !== "object" || question === null) {
      problems.add("question", "an object with descriptors", question);
      this.#refuse(problems);
    }
    for (const field in question) {
      if (field === "descriptors" || field === "cost" || field === "signal") continue;
      if (field === "priority" || field === "maxWaitMs") continue;
      const expected = "no such field (known: descriptors, cost, priority, maxWaitMs, signal)";
      problems.add(field, expected, question[field as keyof Question]);
    }
    if (!isSignal(question.signal)) problems.add("signal", "an AbortSignal", question.signal);
    const { priority } = question;
    if (priority !== undefined && typeof priority !== "string") {
      problems.add("priority", "the name of a class", priority);
    }
    const { maxWaitMs } = question;
    if (maxWaitMs !== undefined && !isIntegerWithin(maxWaitMs, 0, DURATION_MAX_MS)) {
      problems.add("maxWaitMs", `an integer from 0 to ${DURATION_MAX_MS}`, maxWaitMs);
    }
    const cost =
      question.cost === undefined
        ? this.#units.defaultCost
        : this.#units.complete(question.cost, problems);
    const { targets, asksForSlots } = this.#readDescriptors(
      question.descriptors,
      priority,
      problems,
    );
    if (problems.count > 0) this.#refuse(problems);
    return { targets, cost, asksForSlots, maxWaitMs: maxWaitMs ?? 0 };
  }

  /** @throws InvalidOptionsError */
  #refuse(problems: Problems): void {
    this.#problems = newProblems();
    problems.throwIfAny();
  }

  #readDescriptors(
    descriptors: readonly Descriptor[],
    priority: string | undefined,
    problems: Problems,
  ): Pick<ReadQuestion, "targets" | "asksForSlots"> {
    const isList = Array.isArray(descriptors);
    if (!isList || descriptors.length === 0 || descriptors.length > DESCRIPTORS_MAX) {
      problems.add("descriptors", `a list of 1 to ${DESCRIPTORS_MAX} descriptors`, descriptors);
      return { targets: [], asksForSlots: false };
    }
    // Of the exact size: an array that grows reserves several times what a question needs.
    const targets = new Array<LimitsTarget>(descriptors.length);
    let asksForSlots = false;
    for (let index = 0; index < descriptors.length; index += 1) {
      const descriptor = descriptors[index] as Descriptor;
      const limits = this.#checkDescriptor(descriptor, index, problems);
      if (limits === undefined) continue;
      asksForSlots ||= limits.hasSlots;
      const { kind } = descriptor;
      const id = idText(descriptor.id);
      if (index > 0) checkIsNew(targets, kind, id, index, problems);
      targets[index] = { kind, id, limits: limitsFor(limits, priority) };
    }
    return { targets, asksForSlots };
  }

  /** Its limits, or `undefined` if anything is wrong with it. */
  #checkDescriptor(
    descriptor: Descriptor,
    index: number,
    problems: Problems,
  ): CheckedLimits | undefined {
    if (typeof descriptor !== "object" || descriptor === null) {
      problems.add(`descriptors[${index}]`, "a descriptor: { kind, id, limits }", descriptor);
      return undefined;
    }
    const { kind, id, limits } = descriptor;
    const before = problems.count;
    if (kind !== this.#kind) {
      if (isKind(kind)) this.#kind = kind;
      else {
        const expected =
          "a name of 1 to 64 characters of A-Z, a-z, 0-9, _, . and -, a letter first";
        problems.add(`descriptors[${index}].kind`, expected, kind);
      }
    }
    if (!isId(id)) {
      const expected = `a text, or a list of 1 to ${ID_PARTS_MAX} texts, none empty`;
      problems.add(`descriptors[${index}].id`, expected, id);
    }
    const checked = this.#known.find(limits) ?? this.#checkLimits(limits, index, problems);
    return problems.count > before ? undefined : checked;
  }

  #checkLimits(
    limits: readonly DescriptorLimit[],
    index: number,
    problems: Problems,
  ): CheckedLimits | undefined {
    if (!Array.isArray(limits) || limits.length === 0 || limits.length > LIMITS_MAX) {
      problems.add(`descriptors[${index}].limits`, `a list of 1 to ${LIMITS_MAX} limits`, limits);
      return undefined;
    }
    const before = problems.count;
    for (let place = 0; place < limits.length; place += 1) {
      const path = `descriptors[${index}].limits[${place}]`;
      checkLimit(limits, place, path, this.#units, problems);
    }
    return problems.count > before ? undefined : this.#known.remember(limits);
  }
}

function newProblems(): Problems {
  return new Problems("question");
}

function isSignal(signal: unknown): boolean {
  if (signal === undefined) return true;
  if (typeof signal !== "object" || signal === null) return false;
  const { aborted, addEventListener } = signal as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}

function isKind(kind: unknown): boolean {
  if (typeof kind !== "string" || kind.length > KIND_LENGTH_MAX) return false;
  return consistsOf(kind, KIND_CHARACTERS) && LETTER.test(kind);
}

function isId(id: unknown): boolean {
  if (typeof id === "string") return id.length > 0;
  if (!Array.isArray(id) || id.length === 0 || id.length > ID_PARTS_MAX) return false;
  // Not `every`, which passes over the holes of a list: they would share one bucket.
  for (let index = 0; index < id.length; index += 1) {
    const part: unknown = id[index];
    if (typeof part !== "string" || part.length === 0) return false;
  }
  return true;
}

function checkIsNew(
  targets: readonly LimitsTarget[],
  kind: string,
  id: string,
  index: number,
  problems: Problems,
): void {
  for (let before = 0; before < index; before += 1) {
    const target = targets[before];
    if (target?.id !== id || target.kind !== kind) continue;
    const expected = "another kind or id than the descriptors before";
    problems.add(`descriptors[${index}]`, expected, `${kind}:${id}`);
  }
}

function checkLimit(
  limits: readonly DescriptorLimit[],
  place: number,
  path: string,
  units: Units,
  problems: Problems,
): void {
  const limit = limits[place] as DescriptorLimit;
  if (!isLimit(limit)) {
    problems.add(path, "a limit made by fixedWindow, slidingWindow, ...", limit);
    return;
  }
  const declared = `a declared unit (${units.names.join(", ")})`;
  if (limit.kind === "priority-pool") {
    for (const unit of Object.keys(limit.capacity)) {
      if (!units.has(unit)) problems.add(`${path}.capacity.${unit}`, declared, unit);
    }
  } else if (limit.kind !== "concurrency" && !units.has(limit.unit)) {
    problems.add(`${path}.unit`, declared, limit.unit);
  }
  for (let other = 0; other < place; other += 1) {
    if (limits[other]?.name === limit.name) {
      problems.add(`${path}.name`, "a name that no other limit of the descriptor has", limit.name);
    }
  }
}
