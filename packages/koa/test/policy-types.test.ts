import { createGate, createLimiter, fixedWindow, type Policy, type Question } from "@sluice/core";
import { clientAddress, type HttpRequest, limitBy } from "@sluice/core/http";
import Koa, { type DefaultContext, type Middleware, type ParameterizedContext } from "koa";
import { describe, expectTypeOf, it } from "vitest";
import { koaGate, koaLimits } from "../src/index";

const limiter = createLimiter();
const limit = fixedWindow({ max: 1, windowMs: 1000 });
const question: Question = { descriptors: [] };

interface State {
  readonly user: { readonly id: string };
}

describe("the types of koaLimits and koaGate", () => {
  it("are plain middlewares with a policy that is typed by structure", () => {
    const structural: Policy<HttpRequest> = () => question;
    expectTypeOf(koaLimits({ limiter, policy: structural })).toEqualTypeOf<Middleware>();
    const byAddress = limitBy({ kind: "client", id: clientAddress(), limits: [limit] });
    expectTypeOf(koaLimits({ limiter, policy: byAddress })).toEqualTypeOf<Middleware>();
    expectTypeOf(koaLimits({ limiter, policy: () => null })).toEqualTypeOf<Middleware>();
    const gate = createGate({ maxInFlight: 1 });
    const byKey = (request: HttpRequest) => String(request.headers["x-key"]);
    expectTypeOf(koaGate({ gate, fairnessKey: byKey })).toEqualTypeOf<Middleware>();
  });

  it("fit an application with a state of its own", () => {
    const app = new Koa<State>();
    app.use(koaLimits({ limiter, policy: (_request: HttpRequest) => question }));
    const policy: Policy<ParameterizedContext<State>> = (ctx) => {
      expectTypeOf(ctx.state.user.id).toEqualTypeOf<string>();
      return question;
    };
    app.use(koaLimits({ limiter, policy }));
    const typed = koaLimits<State>({
      limiter,
      policy: (ctx) => {
        expectTypeOf(ctx.state).toEqualTypeOf<State>();
        return question;
      },
      refundWhen: ({ request }) => request.state.user.id === "",
    });
    expectTypeOf(typed).toEqualTypeOf<Middleware<State, DefaultContext>>();
    app.use(typed);
  });
});
