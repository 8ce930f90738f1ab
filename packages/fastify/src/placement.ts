import type { OptionsReader, Policy } from "@sluice/core";
import type { FastifyRequest } from "fastify";

const hooks = ["onRequest", "preParsing", "preValidation", "preHandler"] as const;

/** Options that gate and limits have in common. */
export interface FastifyPlacement {
  /**
   * The hook in which requests are judged. A later one knows more (the body from `preValidation`
   * on) and has spent more.
   *
   * @defaultValue `"onRequest"`
   */
  readonly hook?: (typeof hooks)[number];
  /**
   * By what name `config.sluice` of a route speaks of it: 1 to 64 of `[A-Za-z0-9_-]`.
   *
   * @defaultValue `"gate"` or `"limits"`
   */
  readonly name?: string;
  /**
   * Whether it applies to all routes of its scope, or to those only whose `config.sluice` names it.
   *
   * @defaultValue `"all"`
   */
  readonly routes?: "all" | "named";
}

/** What is in force until options have been read. */
export const defaultPlacement: Required<FastifyPlacement> = {
  hook: "onRequest",
  name: "",
  routes: "all",
};

/** The names of the options of {@link FastifyPlacement}. */
export const placementOptions: readonly string[] = ["hook", "name", "routes"];

/** Reads a {@link FastifyPlacement}. Never throws; problems are left at the reader. */
export function readPlacement(reader: OptionsReader, name: string): Required<FastifyPlacement> {
  return {
    hook: reader.oneOf("hook", hooks, "onRequest"),
    name: reader.text("name", /^[A-Za-z0-9_-]{1,64}$/, "1 to 64 of A-Z a-z 0-9 _ -", name),
    routes: reader.oneOf("routes", ["all", "named"], "all"),
  };
}

/**
 * What gates and limits do at one route, by their `name` (`gate` and `limits` by default): `false`
 * leaves it out, `true` applies one that is registered with `routes: "named"`, and a policy takes
 * the place of the one that limits were registered with.
 */
export type SluiceRouteConfig = Readonly<Record<string, boolean | Policy<FastifyRequest>>>;

/** What the route of a request says of gates and limits. */
export function saidByRoute(request: FastifyRequest): SluiceRouteConfig | undefined {
  // A request that no route was found for may have no options.
  return request.routeOptions?.config?.sluice;
}
