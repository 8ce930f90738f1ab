import type { AdmissionEvent } from "./admission-event";
import { sizeBucketOf } from "./size-bucket";

/** What only the server knows of a request. All optional; what is of a wrong type is left out. */
export interface AdmissionFacts {
  /**
   * A text of 1 to 64 of `[A-Za-z0-9_.-]`, made by this server. Written as it is: never something
   * that a caller may fill with what should not be in a log.
   */
  readonly requestId?: string | undefined;
  /** Names; each is written only if it is on the allow-list. */
  readonly route?: string | undefined;
  readonly provider?: string | undefined;
  readonly region?: string | undefined;
  readonly modelClass?: string | undefined;
  readonly trafficClass?: string | undefined;
  readonly streaming?: boolean | undefined;
  /**
   * 1 to 100; any other number is left out, since callers may say what they like in a header that
   * counts attempts.
   */
  readonly attempt?: number | undefined;
  /** How many tokens the request is expected to cost; written as a bucket. */
  readonly tokenEstimate?: number | undefined;
}

/** Fields of an event that hold names; each has a list of those that may be written. */
export const nameFields = [
  "route",
  "provider",
  "region",
  "modelClass",
  "trafficClass",
  "limitName",
  "kind",
] as const;

export type NameField = (typeof nameFields)[number];

/** The names that may be written, by field. */
export type AllowedNames = ReadonlyMap<NameField, ReadonlySet<string>>;

/** What is written in place of a name that is not allowed. */
const REDACTED = "redacted";

const ATTEMPT_MAX = 100;
const REQUEST_ID = /^[A-Za-z0-9_.-]{1,64}$/;

/** The name if it may be written; `undefined` if there is none. */
export function allowedName(
  allowed: AllowedNames,
  field: NameField,
  name: unknown,
): string | undefined {
  if (name === undefined || name === null) return undefined;
  return typeof name === "string" && allowed.get(field)?.has(name) ? name : REDACTED;
}

type WrittenFacts = Partial<
  Pick<
    AdmissionEvent,
    | "requestId"
    | "route"
    | "provider"
    | "region"
    | "modelClass"
    | "trafficClass"
    | "streaming"
    | "attempt"
    | "tokenEstimate"
  >
>;

/** Of what `describe` has said that which may be written. */
export function writtenFacts(said: unknown, allowed: AllowedNames): WrittenFacts {
  if (typeof said !== "object" || said === null) return {};
  const facts = said as Readonly<Record<keyof AdmissionFacts, unknown>>;
  const { requestId, streaming, attempt, tokenEstimate } = facts;
  const name = (field: NameField & keyof AdmissionFacts) =>
    allowedName(allowed, field, facts[field]);
  return {
    requestId: textOf(requestId),
    route: name("route"),
    provider: name("provider"),
    region: name("region"),
    modelClass: name("modelClass"),
    trafficClass: name("trafficClass"),
    streaming: typeof streaming === "boolean" ? streaming : undefined,
    attempt: isAttempt(attempt) ? attempt : undefined,
    tokenEstimate: sizeBucketOf(tokenEstimate),
  } as WrittenFacts;
}

function isAttempt(attempt: unknown): boolean {
  return Number.isInteger(attempt) && Number(attempt) >= 1 && Number(attempt) <= ATTEMPT_MAX;
}

function textOf(requestId: unknown): string | undefined {
  if (requestId === undefined || requestId === null) return undefined;
  return typeof requestId === "string" && REQUEST_ID.test(requestId) ? requestId : REDACTED;
}
