import {
  createLimiter,
  fixedWindow,
  type LimiterPermit,
  type Question,
  type Verdict,
} from "@sluice/core";
import { clientAddress, type HttpRequest, limitBy } from "@sluice/core/http";
import { type FastifyRequest, fastify } from "fastify";
import { describe, expectTypeOf, it } from "vitest";
import { fastifyLimits, fastifyRejections } from "../src/index";

const limiter = createLimiter();
const limit = fixedWindow({ max: 1, windowMs: 1000 });
const question: Question = { descriptors: [] };

type WithUser = FastifyRequest & { readonly account?: string };

describe("the types of fastifyLimits", () => {
  it("take policies that are typed by structure, by the request, and by what others have added", () => {
    const app = fastify();
    const byAddress = limitBy({ kind: "client", id: clientAddress(), limits: [limit] });
    app.register(fastifyLimits, { limiter, policy: byAddress });
    app.register(fastifyLimits, { limiter, policy: (_request: HttpRequest) => question });
    app.register(fastifyLimits, {
      limiter,
      policy: (request) => {
        expectTypeOf(request).toEqualTypeOf<FastifyRequest>();
        expectTypeOf(request.verdict).toEqualTypeOf<Verdict<LimiterPermit> | undefined>();
        return question;
      },
    });
    const policy = (request: WithUser) => (request.account === undefined ? null : question);
    app.register(fastifyLimits, { limiter, policy });
  });

  it("have an error handler beside them", () => {
    const app = fastify();
    app.setErrorHandler(fastifyRejections());
    app.get("/", { errorHandler: fastifyRejections(), handler: () => "ok" });
  });
});
