import type { Descriptor } from "../../descriptor/descriptor";
import type { DescriptorLimit, Milliseconds } from "../../limit/limit";
import type { Cost, Policy } from "../../limiter/question";
import { Problems } from "../../options/problems";
import { OptionsReader } from "../../options/read";
import type { HttpRequest } from "../client/http-request";
import { isMissing, type MaybeId } from "./missing-id";
import type { Soon } from "./when-known";

/** What {@link limitBy} takes. */
export interface LimitByOptions<Request> {
  /**
   * What sort of subject is limited: a name of 1 to 64 characters of `[A-Za-z0-9_.-]`, a letter
   * first. Policies of one kind and id share their counters.
   */
  readonly kind: string;
  /**
   * Who it is: the same text (or texts) for one subject, and for no other. A text that is fixed is
   * one subject for all requests.
   */
  readonly id: string | readonly string[] | ((request: Request) => Soon<MaybeId>);
  /**
   * The limits: a list, or a function for limits that depend on the request, such as those of a
   * plan. Null is no limits. A function is to return one of a few lists that are made once: the
   * limiter then checks each only once.
   */
  readonly limits:
    | readonly DescriptorLimit[]
    | ((request: Request) => Soon<readonly DescriptorLimit[] | null>);
  /**
   * What a request costs, by unit.
   *
   * @defaultValue 1 of `requests`
   */
  readonly cost?: Cost | ((request: Request) => Soon<Cost>);
  /**
   * The class of the request in priority pools.
   *
   * @defaultValue the class `default`
   */
  readonly priority?: string | ((request: Request) => Soon<string | undefined>);
  /**
   * How long to wait for a limit that is full.
   *
   * @defaultValue 0
   */
  readonly maxWaitMs?: Milliseconds;
  /**
   * Asked in place of this policy when the id is missing: `undefined`, `null`, empty, or a list
   * with such a part. `unlimited` lets such requests pass.
   *
   * @defaultValue an error, since requests without an id must not share one by accident
   */
  readonly otherwise?: Policy<NoInfer<Request>>;
}

/** {@link LimitByOptions}, with a function for each thing that may depend on the request. */
export interface LimitByConfig<Request> {
  readonly kind: string;
  readonly idOf: (request: Request) => Soon<MaybeId>;
  readonly limitsOf: (request: Request) => Soon<Descriptor["limits"] | null>;
  readonly costOf: (request: Request) => Soon<Cost | undefined>;
  readonly priorityOf: (request: Request) => Soon<string | undefined>;
  readonly maxWaitMs: Milliseconds | undefined;
  readonly otherwise: Policy<Request> | undefined;
}

const known = ["kind", "id", "limits", "cost", "priority", "maxWaitMs", "otherwise"];
const kindPattern = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const kindText = "a name of 1 to 64 characters of A-Z, a-z, 0-9, _, . and -, a letter first";

/** @throws InvalidOptionsError listing every problem that does not depend on a request. */
export function parseLimitByOptions<Request = HttpRequest>(
  options: LimitByOptions<Request>,
): LimitByConfig<Request> {
  const problems = new Problems("limitBy options");
  const reader = new OptionsReader(options, known, problems);
  const kind = reader.text("kind", kindPattern, kindText, "");
  if (!reader.isGiven("kind")) reader.problem("kind", kindText);
  if (!isPresent(reader.raw("id"))) {
    reader.problem("id", "a function from request to id, a text, or a list of texts");
  }
  if (!isListOrFunction(reader.raw("limits"))) {
    reader.problem("limits", "a list of limits, or a function from request to such a list");
  }
  const maxWaitMs = reader.isGiven("maxWaitMs")
    ? reader.integer("maxWaitMs", { min: 0 })
    : undefined;
  const otherwise = reader.optionalFunction<Policy<Request>>("otherwise", "a policy");
  problems.throwIfAny();
  const { id, limits, cost, priority } = options;
  return {
    kind,
    idOf: asFunction(id),
    limitsOf: asFunction(limits),
    costOf: asFunction(cost),
    priorityOf: asFunction(priority),
    maxWaitMs,
    otherwise,
  };
}

function asFunction<Request, T>(
  given: T | ((request: Request) => Soon<T>),
): (request: Request) => Soon<T> {
  return typeof given === "function" ? (given as (request: Request) => Soon<T>) : () => given;
}

function isPresent(id: unknown): boolean {
  return typeof id === "function" || (!isMissing(id) && (typeof id === "string" || isList(id)));
}

function isListOrFunction(value: unknown): boolean {
  return typeof value === "function" || (isList(value) && value.length > 0);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
