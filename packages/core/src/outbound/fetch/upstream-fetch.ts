import type { Clock } from "../../clock/clock";
import { systemClock } from "../../clock/system-clock";
import { RejectedError } from "../../error/rejected-error";
import { Problems } from "../../options/problems";
import { OptionsReader } from "../../options/read";
import type { Outcome } from "../../verdict/outcome";
import { retryAfterOf } from "../retry-after";
import type { Upstream, UpstreamEnterOptions, UpstreamPermit } from "../upstream";
import { isMistake, outcomeOfFailure, outcomeOfResponse } from "./call-outcome";
import { type FetchedResponse, type FetchLike, isFetchedBody } from "./fetch-like";
import type { BodyListener } from "./followed-body";
import { followedResponse } from "./followed-response";

/** What {@link upstreamFetch} takes besides the two things that it joins. */
export interface UpstreamFetchOptions<F extends FetchLike = FetchLike> {
  /**
   * What to say about a call when it enters: which attempt it is, its criticality, its deadline.
   * The signal of the call is used without being named here.
   *
   * @defaultValue nothing
   */
  readonly enter?: (...call: Parameters<F>) => UpstreamEnterOptions;
  /**
   * What a response says about the upstream's load.
   *
   * @defaultValue `dropped` for 429, 502, 503, 504 and 529, `success` below 500, else `ignored`
   */
  readonly outcomeOf?: (response: Awaited<ReturnType<F>>) => Outcome;
  /** From when a Retry-After that is a date counts if the response has no `Date`. */
  readonly clock?: Clock;
}

/**
 * A `fetch` whose calls pass an upstream's door. It takes and returns what the given `fetch` does.
 *
 * A call holds its slot until its response's body has arrived in full, is cancelled, or fails; a
 * response without a body ends with its headers. Up to 64 KiB are read ahead of the reader. A
 * longer body that nobody reads to its end holds its slot as it holds its connection: cancel it
 * (`response.body.cancel()`), else both come back when the garbage collector finds it.
 *
 * Of a 429 the Retry-After becomes a pause, and the limit is kept from growing for a while; of
 * other statuses of overload the Retry-After becomes a pause.
 *
 * @throws InvalidOptionsError on bad options. The function that is returned rejects with
 *   `RejectedError` when the call was refused and not made, with the reason of its signal when that
 *   aborts, and with whatever the given `fetch` rejects with.
 *
 * @example
 * ```ts
 * const upstreams = createUpstreams({ maxInFlight: 20 });
 * const call = upstreamFetch(fetch, upstreams.upstream({ route: "chat" }));
 * const answer = await call("http://upstream.example/", { signal: AbortSignal.timeout(30_000) });
 * ```
 */
export function upstreamFetch<F extends FetchLike>(
  fetch: F,
  upstream: Upstream | ((...call: Parameters<F>) => Upstream),
  options: UpstreamFetchOptions<F> = {},
): F {
  const problems = new Problems("upstreamFetch options");
  if (typeof fetch !== "function") problems.add("fetch", "a function like fetch", fetch);
  const isDoor = typeof (upstream as Partial<Upstream> | null)?.enter === "function";
  if (!isDoor && typeof upstream !== "function") {
    problems.add("upstream", "an upstream, or a function that finds the one of a call", upstream);
  }
  const read = new OptionsReader(options, ["enter", "outcomeOf", "clock"], problems);
  const enter = read.optionalFunction<NonNullable<UpstreamFetchOptions<F>["enter"]>>("enter");
  const outcomeOf = read.optionalFunction<(response: FetchedResponse) => Outcome>("outcomeOf");
  const clock = read.optionalPort<Clock>("clock", ["nowMs", "after"]) ?? systemClock();
  problems.throwIfAny();

  const call = async (...given: Parameters<F>): Promise<FetchedResponse> => {
    const to = typeof upstream === "function" ? upstream(...given) : upstream;
    const signal = signalOf(...given);
    const permit = await enterBy(to, { ...(signal && { signal }), ...enter?.(...given) });
    let response: FetchedResponse;
    try {
      response = await fetch(given[0], given[1]);
    } catch (error) {
      permit.end(isMistake(error, given) ? "ignored" : outcomeOfFailure(error, signal));
      throw error;
    }
    try {
      const outcome = (outcomeOf ?? outcomeOfResponse)(response);
      if (outcome === "dropped") noteRefusal(to, permit, response, clock.nowMs());
      return follow(response, { permit, outcome, signal });
    } catch (error) {
      permit.end("ignored");
      discard(response);
      throw error;
    }
  };
  return call as F;
}

/** @throws RejectedError, or the reason of an aborted signal as `fetch` itself does. */
async function enterBy(to: Upstream, options: UpstreamEnterOptions): Promise<UpstreamPermit> {
  const verdict = await to.enter(options);
  if (verdict.admitted) return verdict.permit;
  options.signal?.throwIfAborted();
  throw new RejectedError(verdict);
}

function noteRefusal(
  to: Upstream,
  permit: UpstreamPermit,
  { status, headers }: FetchedResponse,
  nowMs: number,
): void {
  const retryAfterMs = retryAfterOf(headers, nowMs);
  if (status === 429) permit.refused({ retryAfterMs });
  else if (retryAfterMs !== undefined) to.pause(retryAfterMs);
}

/** A call whose response has begun. */
interface BegunCall {
  readonly permit: UpstreamPermit;
  /** By its status. */
  readonly outcome: Outcome;
  readonly signal: AbortSignal | undefined;
}

/** The response to hand out; the permit ends with its body. */
function follow(response: FetchedResponse, { permit, outcome, signal }: BegunCall) {
  const { body } = response;
  const isReadElsewhere = (body as { locked?: boolean } | null)?.locked === true;
  if (body === null || body === undefined || isReadElsewhere) {
    permit.end(outcome);
    return response;
  }
  if (!isFetchedBody(body)) {
    const problems = new Problems("response");
    problems.add("body", "a ReadableStream of the web, or null", body);
    problems.throwIfAny();
    return response;
  }
  // What broke off says nothing more than its status, if that was one of overload.
  const endBroken = (how: Outcome) => permit.end(outcome === "dropped" ? outcome : how);
  const listener: BodyListener = {
    // The first byte of an error is no answer.
    onFirstByte: () => outcome === "success" && permit.firstByte(),
    onEnd: () => permit.end(outcome),
    onFailure: (error) => endBroken(outcomeOfFailure(error, signal)),
    onCancel: () => endBroken("ignored"),
  };
  return followedResponse(response, body, listener);
}

/** Gives back the connection of a response that nobody is going to get. */
function discard(response: FetchedResponse | undefined): void {
  const body = response?.body as { cancel?: () => Promise<void> } | null | undefined;
  // Who has begun to read it has to go on.
  void Promise.resolve(body?.cancel?.()).catch(() => {});
}

/** The signal of a call, where `fetch` looks for it: in its options, else in its request. */
function signalOf(input?: unknown, init?: unknown): AbortSignal | undefined {
  const own = (init as { signal?: AbortSignal | null } | undefined)?.signal;
  if (own !== undefined) return own ?? undefined;
  const ofRequest = (input as { signal?: unknown } | null | undefined)?.signal;
  const isSignal = typeof (ofRequest as Partial<AbortSignal> | undefined)?.aborted === "boolean";
  return isSignal ? (ofRequest as AbortSignal) : undefined;
}
