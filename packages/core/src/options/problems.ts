import { InvalidOptionsError, type OptionsProblem } from "../error/invalid-options-error";

/** Collects what is wrong with a caller's input, so that one error can list all of it. */
export class Problems {
  readonly #subject: string;
  /** Made when the first problem is found: every question is read with one of these. */
  #problems: OptionsProblem[] | undefined;

  /** `subject` names what is being read, for the message: `fixedWindow options`. */
  constructor(subject: string) {
    this.#subject = subject;
  }

  get count(): number {
    return this.#problems?.length ?? 0;
  }

  add(path: string, expected: string, received: unknown): void {
    this.#problems ??= [];
    this.#problems.push({ path, expected, received: describe(received) });
  }

  /** @throws InvalidOptionsError if anything was added. */
  throwIfAny(): void {
    if (this.#problems !== undefined) throw new InvalidOptionsError(this.#subject, this.#problems);
  }
}

const RECEIVED_TEXT_MAX = 60;

/** A value and its type for a message, bounded, whatever the caller sent: `"ten" (string)`. */
export function describe(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value === null) return "null";
  if (typeof value === "string") return `${JSON.stringify(shorten(value))} (string)`;
  if (typeof value === "symbol" || typeof value === "function") return `a ${typeof value}`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object") return "an object";
  return `${String(value)} (${typeof value})`;
}

function shorten(text: string): string {
  return text.length > RECEIVED_TEXT_MAX ? `${text.slice(0, RECEIVED_TEXT_MAX)}…` : text;
}
