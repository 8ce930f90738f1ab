import type { LimiterPermit, Verdict } from "@sluice/core";
import {
  createGateJudge,
  createLimitsJudge,
  type GateAdapterOptions,
  type Judge,
  type LimitsAdapterOptions,
  parseRejectionsOptions,
  type RejectionsOptions,
  sendAnswer,
  setHeaders,
  thrownRejection,
  verdictOf,
} from "@sluice/node";
import type { ErrorRequestHandler, Request, RequestHandler } from "express";

export * from "@sluice/core";
export * from "@sluice/core/http";
export {
  type AdmissionEvent,
  type AdmissionFacts,
  type AdmissionLog,
  type AdmissionLogOptions,
  type Backlog,
  backlogHandler,
  backlogOf,
  createAdmissionLog,
  defaultExemptPaths,
  type Ended,
  markDropped,
  markIgnored,
  type OfRequest,
  type OutcomeOf,
  permitOf,
  type RefundWhen,
  type RejectionsMode,
  type RejectionsOptions,
  verdictOf,
} from "@sluice/node";

declare global {
  // biome-ignore lint/style/noNamespace: where Express has its users extend its request.
  namespace Express {
    interface Request {
      /** The verdict of the limits that were asked last; undefined if none applied. */
      verdict?: Verdict<LimiterPermit> | undefined;
    }
  }
}

/** What {@link expressGate} takes. Exempt paths are compared with `req.originalUrl`. */
export type ExpressGateOptions = GateAdapterOptions<Request>;

/** What {@link expressLimits} takes. */
export type ExpressLimitsOptions = LimitsAdapterOptions<Request>;

/**
 * A middleware that puts a gate in front of what is mounted after it. Mount it first. Refusals are
 * answered by itself; what `class` or `fairnessKey` throws goes to `next`.
 *
 * Mounted twice, or in a router that runs twice for one request, it counts the request once.
 *
 * @throws InvalidOptionsError listing every problem.
 *
 * @example
 * ```ts
 * app.use(expressGate({ gate: createGate({ maxInFlight: 100 }) }));
 * ```
 */
export function expressGate(options: ExpressGateOptions): RequestHandler {
  const urlOf = (req: Request) => req.originalUrl;
  return middleware(createGateJudge(options, { factory: "expressGate", urlOf }));
}

/**
 * A middleware that puts limits in front of what is mounted after it, with `app.use` or per route.
 * Mount it where the caller is known. Rejections are answered by itself; what the policy throws
 * goes to `next`. The verdict is `req.verdict`, also of a rejected request.
 *
 * Mounted twice, or in a router that runs twice for one request, it charges the request once.
 *
 * @throws InvalidOptionsError listing every problem.
 *
 * @example
 * ```ts
 * app.use(expressLimits({ limiter, policy: (req) => questionFor(req.user) }));
 * ```
 */
export function expressLimits(options: ExpressLimitsOptions): RequestHandler {
  return middleware(createLimitsJudge(options, { factory: "expressLimits" }));
}

/**
 * An error middleware that answers what handlers throw when `limiter.run` has rejected, a
 * `RejectedError`, as limits answer their rejections. Mount it after the routes and before other
 * error middlewares, which get all other errors.
 *
 * @throws InvalidOptionsError listing every problem.
 *
 * @example
 * ```ts
 * app.use(expressRejections());
 * ```
 */
export function expressRejections(options: RejectionsOptions = {}): ErrorRequestHandler {
  const config = parseRejectionsOptions(options, "expressRejections");
  // Express knows it for an error middleware by its four parameters.
  return (error, req, res, next) => {
    const step = thrownRejection(error, config, req, res);
    if (step?.type === "answer") sendAnswer(res, step.answer);
    else next(step?.type === "fail" ? step.error : error);
  };
}

function middleware(judge: Judge<Request>): RequestHandler {
  return (req, res, next) => {
    judge.judge(req, req, res, (step) => {
      const verdict = verdictOf(req);
      if (verdict !== undefined) req.verdict = verdict;
      switch (step.type) {
        case "proceed":
          if (step.headers !== null) setHeaders(res, step.headers);
          next();
          return;
        case "answer":
          sendAnswer(res, step.answer);
          return;
        case "fail":
          next(step.error);
      }
    });
  };
}
