/** The part of koa-ratelimit that is measured; it comes without types. */
declare module "koa-ratelimit" {
  import type { Context, Middleware } from "koa";

  interface RatelimitOptions {
    readonly driver: "memory";
    readonly db: Map<string, unknown>;
    readonly duration: number;
    readonly max: number;
    readonly id: (ctx: Context) => string;
    readonly disableHeader: boolean;
  }

  function ratelimit(options: RatelimitOptions): Middleware;
  export = ratelimit;
}
