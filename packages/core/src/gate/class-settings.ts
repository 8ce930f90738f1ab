import type { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import { WEIGHT_MAX, WEIGHT_MIN } from "../queue/stride";
import type { GateClassOptions, GateClassSettings } from "./gate-class";
import { reservationsFit } from "./slots";

/** More classes than this are callers, and callers are for fairness keys and limits. */
const CLASSES_MAX = 64;

/** Not beginning with a digit: the order of the names is the order in which they were written. */
const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The classes of a gate, in the order in which they were named; none if it has no classes. */
export interface ClassesState {
  readonly classes: ReadonlyMap<string, GateClassSettings>;
  /** Whether turns go by weight: somebody gave one. Otherwise by rank. */
  readonly areWeighted: boolean;
}

const noClasses: ClassesState = Object.freeze({ classes: new Map(), areWeighted: false });

/** Reads the `classes` of a new gate. Problems go where the reader puts them. */
export function readClasses(options: OptionsReader, problems: Problems): ClassesState {
  if (!options.isGiven("classes")) return noClasses;
  const given = namesOf(options.raw("classes"));
  const names = given.filter((name) => namePattern.test(name));
  if (names.length < given.length || names.length === 0 || names.length > CLASSES_MAX) {
    options.problem(
      "classes",
      `an object of 1 to ${CLASSES_MAX} classes, each a letter and up to 63 of [A-Za-z0-9_-]`,
    );
    return noClasses;
  }
  return classesOf(names, options, problems, noClasses);
}

/** Reads the `classes` of a change: those named are changed in what is said of them. */
export function updatedClasses(
  options: OptionsReader,
  problems: Problems,
  current: ClassesState,
): ClassesState {
  if (!options.isGiven("classes")) return current;
  const known = [...current.classes.keys()];
  // Complains about what is no object, and about classes that there are not.
  new OptionsReader(options.raw("classes"), known, problems, "classes");
  return classesOf(known, options, problems, current);
}

function classesOf(
  names: readonly string[],
  options: OptionsReader,
  problems: Problems,
  current: ClassesState,
): ClassesState {
  const source = options.raw("classes") as Readonly<Record<string, GateClassOptions>>;
  let { areWeighted } = current;
  const classes = new Map<string, GateClassSettings>();
  for (const name of names) {
    const raw = Object.hasOwn(source, name) ? source[name] : {};
    const known = ["weight", "reserved", "rank"];
    const reader = new OptionsReader(raw, known, problems, `classes.${name}`);
    areWeighted ||= reader.isGiven("weight");
    classes.set(name, readClass(reader, current.classes.get(name)));
  }
  return { classes, areWeighted };
}

function readClass(reader: OptionsReader, before: GateClassSettings | undefined) {
  return Object.freeze({
    weight: reader.number("weight", {
      min: WEIGHT_MIN,
      max: WEIGHT_MAX,
      fallback: before?.weight ?? 1,
    }),
    reserved: reader.integer("reserved", { min: 0, fallback: before?.reserved ?? 0 }),
    rank: reader.integer("rank", { min: 0, max: 1000, fallback: before?.rank ?? 0 }),
  });
}

/**
 * Refuses reservations that a cap cannot keep, or that would keep a class out of an idle gate. (Of
 * an adaptive cap they may: they shrink with it, see `Slots`.)
 */
export function requireRoomForEach(
  { classes }: ClassesState,
  cap: number,
  problems: Problems,
): void {
  const reserved = [...classes.values()].map((each) => each.reserved);
  if (reservationsFit(reserved, cap)) return;
  const sum = reserved.reduce((total, each) => total + each, 0);
  const expected = `reserved slots that fit in ${cap} and leave one for each class without`;
  problems.add("classes", expected, sum);
}

function namesOf(raw: unknown): readonly string[] {
  const isObject = typeof raw === "object" && raw !== null && !Array.isArray(raw);
  return isObject ? Object.keys(raw) : [];
}
