import type { Gate, LimiterPermit, Policy, Verdict } from "@sluice/core";
import { HttpRejectedError } from "@sluice/core/http";
import {
  backlogOf,
  createGateJudge,
  createLimitsJudge,
  type GateAdapterOptions,
  headersOfBodies,
  type Judge,
  type LimitsAdapterOptions,
  parseRejectionsOptions,
  type RejectionsOptions,
  type Step,
  thrownRejection,
  verdictOf,
} from "@sluice/node";
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  preParsingHookHandler,
  RouteHandlerMethod,
} from "fastify";
import fastifyPlugin from "fastify-plugin";
import {
  defaultPlacement,
  type FastifyPlacement,
  placementOptions,
  readPlacement,
  type SluiceRouteConfig,
  saidByRoute,
} from "./placement";
import { warnIfNotReached } from "./reach";
import { type Registry, registryOf } from "./registry";

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
export type { FastifyPlacement, SluiceRouteConfig } from "./placement";

declare module "fastify" {
  interface FastifyRequest {
    /** The verdict of the limits that were asked last; undefined if none applied. */
    readonly verdict: Verdict<LimiterPermit> | undefined;
  }
  interface FastifyContextConfig {
    /** What gates and limits do at this route, by their `name`. */
    sluice?: SluiceRouteConfig | undefined;
  }
}

/** What {@link fastifyGate} takes. Exempt paths are compared with `request.originalUrl`. */
export interface FastifyGateOptions extends GateAdapterOptions<FastifyRequest>, FastifyPlacement {}

/** What {@link fastifyLimits} takes. */
export interface FastifyLimitsOptions
  extends LimitsAdapterOptions<FastifyRequest>,
    FastifyPlacement {}

/**
 * A plugin that puts a gate in front of the routes of its scope and of the scopes within. Register
 * it first. Refusals are sent with `reply.send`, so that `onSend` hooks see them; what `class` or
 * `fairnessKey` throws goes to the error handler.
 *
 * @throws InvalidOptionsError listing every problem, when the application gets ready.
 *
 * @example
 * ```ts
 * await app.register(fastifyGate, { gate: createGate({ maxInFlight: 100 }) });
 * ```
 */
export const fastifyGate: FastifyPluginAsync<FastifyGateOptions> = fastifyPlugin(
  async (app: FastifyInstance, options: FastifyGateOptions) => {
    let placement = defaultPlacement;
    const judge = createGateJudge(options, {
      factory: "fastifyGate",
      urlOf: (request) => request.originalUrl,
      ownOptions: placementOptions,
      readOwn: (reader) => {
        placement = readPlacement(reader, "gate");
      },
    });
    place(app, placement, judge, [options.gate]);
  },
);

/**
 * A plugin that puts limits in front of the routes of its scope and of the scopes within.
 * Rejections are sent with `reply.send`, so that `onSend` hooks see them; what the policy throws
 * goes to the error handler. The verdict is `request.verdict`, also of a rejected request.
 *
 * @throws InvalidOptionsError listing every problem, when the application gets ready.
 *
 * @example
 * ```ts
 * await app.register(fastifyLimits, { limiter, policy: (request) => questionFor(request.user) });
 * ```
 */
export const fastifyLimits: FastifyPluginAsync<FastifyLimitsOptions> = fastifyPlugin(
  async (app: FastifyInstance, options: FastifyLimitsOptions) => {
    let placement = defaultPlacement;
    const policy: Policy<FastifyRequest> = (request) => {
      const own = saidByRoute(request)?.[placement.name];
      return typeof own === "function" ? own(request) : options.policy(request);
    };
    const isGiven = typeof options.policy === "function";
    const judge = createLimitsJudge(isGiven ? { ...options, policy } : options, {
      factory: "fastifyLimits",
      onLateError: (error, request) => request.log.error(error),
      ownOptions: placementOptions,
      readOwn: (reader) => {
        placement = readPlacement(reader, "limits");
      },
    });
    place(app, placement, judge, [options.limiter, options.policy]);
  },
);

/** A handler of a route that answers with the {@link Backlog} of the moment. */
export function backlogHandler(gate: Gate): RouteHandlerMethod {
  return (_request, reply) => reply.header("cache-control", "no-store").send(backlogOf(gate));
}

/**
 * An error handler that answers what handlers throw when `limiter.run` has rejected, a
 * `RejectedError`, as limits answer their rejections. All other errors go on to the error handler
 * of the scope around, at last to Fastify's own.
 *
 * @throws InvalidOptionsError listing every problem.
 *
 * @example
 * ```ts
 * app.setErrorHandler(fastifyRejections());
 * ```
 */
export function fastifyRejections(
  options: RejectionsOptions = {},
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => void {
  const config = parseRejectionsOptions(options, "fastifyRejections");
  return (error, request, reply) => {
    const step = thrownRejection(error, config, request.raw, reply.raw);
    if (step === null) throw thrownOn(error);
    follow(step, reply, (failed) => {
      throw failed;
    });
  };
}

/** What to throw on: Fastify takes what is no error, thrown by an error handler, for an answer. */
function thrownOn(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { statusCode } = Object(thrown) as { readonly statusCode?: unknown };
  const text = `Expected an error to be thrown, received ${typeof thrown}`;
  return Object.assign(new Error(text, { cause: thrown }), { statusCode });
}

/** Has a judge act in its hook, at the routes that it applies to. */
function place(
  app: FastifyInstance,
  placement: Required<FastifyPlacement>,
  made: Judge<FastifyRequest>,
  sources: readonly unknown[],
): void {
  if (!app.hasRequestDecorator("verdict")) {
    app.decorateRequest("verdict", {
      getter(this: FastifyRequest) {
        return verdictOf(this);
      },
    });
  }
  const registry = registryOf(app);
  const judge = registry.judgeOf({ judge: made, name: placement.name, sources });
  // Of `preParsing` the third argument is the body, and the fourth what is called when done.
  const hook: preParsingHookHandler = (request, reply, body, done) => {
    const next = (done ?? body) as (error?: Error) => void;
    try {
      if (!isInForce(request, placement, registry)) return next();
    } catch (error) {
      return next(error as Error);
    }
    judge.judge(request, request.raw, reply.raw, (step) => follow(step, reply, next));
  };
  warnIfNotReached(app, hook, placement.name);
  app.addHook(placement.hook as "preParsing", hook);
}

/**
 * Whether a placed judge applies to a request.
 *
 * @throws InvalidOptionsError if the route says what cannot be meant.
 */
function isInForce(
  request: FastifyRequest,
  { name, routes }: Required<FastifyPlacement>,
  registry: Registry,
): boolean {
  const said = saidByRoute(request);
  if (said === undefined) return routes === "all";
  registry.check(said);
  return said[name] === undefined ? routes === "all" : said[name] !== false;
}

function follow(step: Step, reply: FastifyReply, next: (error?: Error) => void): void {
  switch (step.type) {
    case "proceed":
      if (step.headers !== null) reply.headers(step.headers);
      next();
      return;
    case "answer": {
      const { status, headers, body } = step.answer;
      removeHeadersOfBodies(reply);
      // With a serializer the content type stays as it is.
      reply.code(status).headers(headers).serializer(asItIs).send(body);
      return;
    }
    case "fail":
      if (step.error instanceof HttpRejectedError) removeHeadersOfBodies(reply);
      next(step.error);
  }
}

/** Those that were said of the answer which a refusal takes the place of. */
function removeHeadersOfBodies(reply: FastifyReply): void {
  for (const name of headersOfBodies) reply.removeHeader(name);
}

function asItIs(body: unknown): string {
  return body as string;
}
