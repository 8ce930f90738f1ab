import { Problems } from "@sluice/core";
import type { Judge } from "@sluice/node";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { SluiceRouteConfig } from "./placement";

interface Registered {
  readonly judge: Judge<FastifyRequest>;
  readonly name: string;
  /** What it is made of: limiter and policy, or gate. */
  readonly sources: readonly unknown[];
}

/** What gates and limits are registered in the scopes of one application. */
export class Registry {
  readonly #registered: Registered[] = [];
  readonly #checked = new WeakSet<SluiceRouteConfig>();

  /**
   * The judge that was registered under the same name with the same sources before, wherever in the
   * application; else this one.
   */
  judgeOf(registered: Registered): Judge<FastifyRequest> {
    const same = this.#registered.find((other) => isSame(other, registered));
    if (same !== undefined) return same.judge;
    this.#registered.push(registered);
    return registered.judge;
  }

  /**
   * Checks what a route says of gates and limits, once if it is right. Asked with the requests of
   * the route: Fastify does not tell a plugin of routes that were added before it.
   *
   * @throws InvalidOptionsError
   */
  check(config: SluiceRouteConfig): void {
    if (this.#checked.has(config)) return;
    const names = [...new Set(this.#registered.map(({ name }) => name))];
    const problems = new Problems("route options");
    for (const [name, value] of Object.entries(config)) {
      const path = `config.sluice.${name}`;
      if (!names.includes(name)) {
        problems.add(path, `the name of a gate or of limits (known: ${names.join(", ")})`, value);
      } else if (typeof value !== "boolean" && typeof value !== "function") {
        problems.add(path, "true, false or a policy", value);
      }
    }
    problems.throwIfAny();
    this.#checked.add(config);
  }
}

function isSame(one: Registered, other: Registered): boolean {
  return (
    one.name === other.name &&
    one.sources.length === other.sources.length &&
    one.sources.every((each, index) => each === other.sources[index])
  );
}

const registries = new WeakMap<object, Registry>();

/** The registry of an application. */
export function registryOf(app: FastifyInstance): Registry {
  const registry = registries.get(app.server) ?? new Registry();
  registries.set(app.server, registry);
  return registry;
}
