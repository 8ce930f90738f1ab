import { createServer } from "node:http";
import { pipeline } from "node:stream";
import {
  type AdapterMount,
  type AdapterScenario,
  type AnswerBehaviour,
  bodyLength,
  type RunningAdapter,
  runningAdapter,
} from "@sluice/testing";
import type express from "express";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { expressGate, expressLimits, expressRejections } from "../../src/index";

/** An Express application for a scenario of the conformance suite. */
export function startExpress(
  create: typeof express,
  scenario: AdapterScenario,
): Promise<RunningAdapter> {
  const app = create();
  // Express prints every error elsewhere.
  app.set("env", "test");
  for (const mount of scenario.mounts) {
    const middleware = middlewareOf(mount);
    for (let i = 0; i < mount.times; i += 1) app.use(mount.at, middleware);
  }
  app.all(/^(\/api)?\/do\//, (req, res, next) => route(scenario, req, res, next));
  const { rejections = "answer" } = scenario.mounts.at(-1)?.options ?? {};
  app.use(expressRejections({ rejections }));
  app.use((error: unknown, _req: Request, _res: Response, next: NextFunction) => {
    scenario.heard(error);
    next(error);
  });
  return runningAdapter(createServer(app));
}

function middlewareOf(mount: AdapterMount): RequestHandler {
  return mount.kind === "gate"
    ? expressGate({ gate: mount.gate, ...mount.options })
    : expressLimits({ limiter: mount.limiter, ...mount.options });
}

function route(scenario: AdapterScenario, req: Request, res: Response, next: NextFunction): void {
  const { method, originalUrl: url, verdict } = req;
  const behaviour = scenario.behave({ method, url, verdict });
  switch (behaviour.does) {
    case "answer":
      if (behaviour.after || behaviour.reads) answerLater(behaviour, req, res).catch(next);
      else answer(behaviour, res);
      return;
    case "stream":
      pipeline(behaviour.source, res, () => {});
      return;
    case "take":
      behaviour.write(res);
      return;
    case "throw":
      if (behaviour.hasBegun) res.write("begun");
      throw behaviour.error;
    case "reject":
      // Express 4 does not look at what a handler returns.
      behaviour.after.then(() => Promise.reject(behaviour.error)).catch(next);
      return;
    case "redirect":
      res.redirect(behaviour.to);
  }
}

async function answerLater(behaviour: AnswerBehaviour, req: Request, res: Response): Promise<void> {
  if (behaviour.reads) behaviour.onRead?.(await bodyLength(req));
  await behaviour.after;
  answer(behaviour, res);
}

function answer({ status, headers, body }: AnswerBehaviour, res: Response): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.status(status).send(body);
}
