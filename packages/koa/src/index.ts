import type { Gate } from "@sluice/core";
import {
  backlogOf,
  createGateJudge,
  createLimitsJudge,
  type GateAdapterOptions,
  type Judge,
  type LimitsAdapterOptions,
  type Step,
  verdictOf,
} from "@sluice/node";
import type { DefaultContext, DefaultState, Middleware, ParameterizedContext } from "koa";
import { keepHeadersOfErrors } from "./keep-headers";

export * from "@sluice/core";
export * from "@sluice/core/http";
export {
  type AdmissionEvent,
  type AdmissionFacts,
  type AdmissionLog,
  type AdmissionLogOptions,
  type Backlog,
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

/** What {@link koaGate} takes. Exempt paths are compared with `ctx.originalUrl`. */
export type KoaGateOptions<State = DefaultState, Custom = DefaultContext> = GateAdapterOptions<
  ParameterizedContext<State, Custom>
>;

/** What {@link koaLimits} takes. */
export type KoaLimitsOptions<State = DefaultState, Custom = DefaultContext> = LimitsAdapterOptions<
  ParameterizedContext<State, Custom>
>;

/**
 * A middleware that puts a gate in front of what is used after it. Use it first. A refusal is set
 * as status, headers and body, so that those before it can still see and change it; what `class` or
 * `fairnessKey` throws is thrown.
 *
 * Used twice, it counts a request once.
 *
 * @throws InvalidOptionsError listing every problem.
 *
 * @example
 * ```ts
 * app.use(koaGate({ gate: createGate({ maxInFlight: 100 }) }));
 * ```
 */
export function koaGate<State = DefaultState, Custom = DefaultContext>(
  options: NoInfer<KoaGateOptions<State, Custom>>,
): Middleware<State, Custom> {
  const urlOf = (ctx: ParameterizedContext<State, Custom>) => ctx.originalUrl;
  return middleware(createGateJudge(options, { factory: "koaGate", urlOf }));
}

/**
 * A middleware that puts limits in front of what is used after it. Use it where the caller is
 * known. A rejection is set as status, headers and body, so that those before it can still see and
 * change it; what the policy throws is thrown. The verdict is `ctx.state.verdict`, also of a
 * rejected request.
 *
 * The rate-limit headers of an admitted request are still there when Koa renders an error that was
 * thrown after it, which has no other headers than the error's own. Used twice, it charges a
 * request once.
 *
 * @throws InvalidOptionsError listing every problem.
 *
 * @example
 * ```ts
 * app.use(koaLimits({ limiter, policy: (ctx) => questionFor(ctx.state.user) }));
 * ```
 */
export function koaLimits<State = DefaultState, Custom = DefaultContext>(
  options: NoInfer<KoaLimitsOptions<State, Custom>>,
): Middleware<State, Custom> {
  return middleware(
    createLimitsJudge(options, {
      factory: "koaLimits",
      onLateError: (error, ctx) => ctx.app.emit("error", error, ctx),
    }),
  );
}

/** A middleware that answers with the {@link Backlog} of the moment as JSON. */
export function backlogHandler(gate: Gate): Middleware {
  return (ctx) => {
    ctx.set("cache-control", "no-store");
    ctx.body = backlogOf(gate);
  };
}

function middleware<State, Custom>(
  judge: Judge<ParameterizedContext<State, Custom>>,
): Middleware<State, Custom> {
  return async (ctx, next) => {
    const step = await new Promise<Step>((resolve) => judge.judge(ctx, ctx.req, ctx.res, resolve));
    const verdict = verdictOf(ctx);
    if (verdict !== undefined) (ctx.state as { verdict?: unknown }).verdict = verdict;
    if (step.type !== "proceed") {
      follow(step, ctx);
      return;
    }
    if (step.headers !== null) {
      ctx.set(step.headers);
      keepHeadersOfErrors(ctx, step.headers);
    }
    try {
      return await next();
    } catch (thrown) {
      const rejection = judge.caught(thrown, ctx.req, ctx.res);
      if (rejection === null) throw thrown;
      follow(rejection, ctx);
    }
  };
}

/** Does what is to be done with a request that does not go on. */
function follow(step: Exclude<Step, { type: "proceed" }>, ctx: ParameterizedContext): void {
  switch (step.type) {
    case "answer":
      // Who was here before, or has thrown, may have taken the response from Koa.
      ctx.respond = true;
      ctx.status = step.answer.status;
      ctx.set(step.answer.headers);
      ctx.body = step.answer.body;
      return;
    case "over":
      ctx.respond = false;
      return;
    case "fail":
      throw step.error;
  }
}
