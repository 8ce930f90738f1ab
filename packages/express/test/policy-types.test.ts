import { createLimiter, fixedWindow, type Question } from "@sluice/core";
import { clientAddress, type HttpRequest, limitBy } from "@sluice/core/http";
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from "express";
import { describe, expectTypeOf, it } from "vitest";
import { expressLimits, expressRejections } from "../src/index";

const limiter = createLimiter();
const limit = fixedWindow({ max: 1, windowMs: 1000 });
const question: Question = { descriptors: [] };

type WithUser = Request & { readonly user?: { readonly id: string } };

describe("the types of expressLimits", () => {
  it("are plain middlewares with policies that are typed by structure", () => {
    const byAddress = limitBy({ kind: "client", id: clientAddress(), limits: [limit] });
    expectTypeOf(expressLimits({ limiter, policy: byAddress })).toEqualTypeOf<RequestHandler>();
    const policy = (_request: HttpRequest) => question;
    expectTypeOf(expressLimits({ limiter, policy })).toEqualTypeOf<RequestHandler>();
  });

  it("take a policy of a request that others have added something to", () => {
    const policy = (req: WithUser) => {
      expectTypeOf(req.user?.id).toEqualTypeOf<string | undefined>();
      return question;
    };
    const limits = expressLimits({ limiter, policy, refundWhen: ({ status }) => status < 400 });
    expectTypeOf(limits).toEqualTypeOf<RequestHandler>();
    express().use("/users/:id", limits).get("/users/:id", limits, limits);
  });

  it("have an error middleware beside them", () => {
    expectTypeOf(expressRejections()).toEqualTypeOf<ErrorRequestHandler>();
    express().use(expressRejections({ rejections: "error" }));
  });
});
