import { idText } from "../descriptor/key";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";

/**
 * What has a limit of its own upstream. Calls that differ in how long they take, or in what they
 * are served by, should not share one: a limit learns from latencies, and a mixture of fast and
 * slow models looks like congestion whenever the mixture changes. Each part is a text of 1 to 256
 * characters, or left out.
 */
export interface UpstreamKey {
  /** The endpoint or the provider: `chat`, `openai`. */
  readonly route?: string;
  readonly region?: string;
  readonly model?: string;
  /** How answers come: `stream`, `unary`, `batch`. */
  readonly mode?: string;
  /** A class of traffic that must not be held back by another. */
  readonly class?: string;
}

const parts = ["route", "region", "model", "mode", "class"] as const;
const PART_LENGTH_MAX = 256;

/**
 * The key as one text: no two different keys have the same one.
 *
 * @throws InvalidOptionsError listing every problem.
 */
export function upstreamKeyText(key: UpstreamKey): string {
  const problems = new Problems("upstream key");
  if (typeof key !== "object" || key === null) {
    problems.add("key", `an object of any of ${parts.join(", ")}`, key);
    problems.throwIfAny();
  }
  const read = new OptionsReader(key, parts, problems);
  const texts = parts.map((name) => {
    const value = read.raw(name);
    if (value === undefined) return "";
    const isText = typeof value === "string" && value.length > 0;
    if (isText && value.length <= PART_LENGTH_MAX) return value;
    read.problem(name, `a text of 1 to ${PART_LENGTH_MAX} characters`);
    return "";
  });
  problems.throwIfAny();
  return idText(texts);
}
