import type { FastifyInstance } from "fastify";

let named = 0;

/**
 * Gives a hook a name of its own, and has a warning come when the application is ready and no route
 * has this hook: it was registered in a scope without routes. The names of the functions are all
 * that Fastify tells of the hooks of a route.
 */
export function warnIfNotReached(app: FastifyInstance, hook: object, name: string): void {
  named += 1;
  const label = `sluice ${named}`;
  Object.defineProperty(hook, "name", { value: label });
  app.addHook("onReady", async () => {
    if (app.printRoutes({ includeHooks: true }).includes(`"${label}()"`)) return;
    const text =
      `No route is reached by what is registered as ${name}. Hooks act on the routes of their ` +
      "own scope and of scopes within it: register it there, or in the scope around them.";
    process.emitWarning(text, { type: "SluiceWarning", code: "SLUICE_WITHOUT_ROUTES" });
  });
}
