import { type Library, libraries, type OpenClient } from "../client/open-client";
import { BareEvalSha } from "./bare-evalsha";
import { BareIncr } from "./bare-incr";
import { RateLimiterFlexible } from "./rate-limiter-flexible";
import { Sluice } from "./sluice";
import type { RedisSubject } from "./subject";

/** What is compared. */
export type SubjectName = "sluice" | "rate-limiter-flexible" | "bare INCR" | "bare EVALSHA";

/** One of them on one client library. */
export interface Contender {
  readonly subject: SubjectName;
  readonly library: Library;
}

/** By client library, ours first. */
export function contendersOf(subjects: readonly SubjectName[]): readonly Contender[] {
  return libraries.flatMap((library) => subjects.map((subject) => ({ subject, library })));
}

export function nameOf({ subject, library }: Contender): string {
  return `${subject}, ${library}`;
}

/** A fresh one, on a client of its library. */
export async function prepare(
  subject: SubjectName,
  client: OpenClient,
  limits: number,
): Promise<RedisSubject> {
  switch (subject) {
    case "sluice":
      return new Sluice({ client, limits });
    case "rate-limiter-flexible":
      return new RateLimiterFlexible({ client, limits });
    case "bare INCR":
      return new BareIncr(client);
    case "bare EVALSHA":
      return BareEvalSha.load(client);
  }
}

/** The command by which it asks, as `INFO commandstats` names it. */
export function commandOf({ subject, library }: Contender): string {
  if (subject === "bare INCR") return "incr";
  // On node-redis it sends the text of its script every time.
  return subject === "rate-limiter-flexible" && library === "redis" ? "eval" : "evalsha";
}
