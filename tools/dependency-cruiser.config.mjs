// The direction of imports (see ARCHITECTURE.md), for `npm run check -- direction`.

/** What every folder of the core may import besides itself; a folder not named here is an error. */
const foundation = [
  "clock",
  "random",
  "options",
  "error",
  "descriptor",
  "limit",
  "verdict",
  "event",
];
const coreLayers = {
  ...Object.fromEntries(foundation.map((folder) => [folder, foundation])),
  engine: foundation,
  store: [...foundation, "engine"],
  // Who waits, and whose turn it is: used by the gate and by the limiter.
  queue: foundation,
  limiter: [...foundation, "engine", "store", "queue"],
  redis: [...foundation, "engine", "store"],
  adaptive: foundation,
  gate: [...foundation, "queue", "adaptive"],
  outbound: [...foundation, "queue", "adaptive", "gate"],
  // Of gate and limiter only their types: rendering verdicts and writing policies pull in neither.
  http: ["options", "error", "descriptor", "limit", "verdict", "gate", "limiter"],
};

const tests = "\\.test\\.ts$";
const core = "^packages/core/src";

const layerRules = Object.entries(coreLayers).map(([folder, targets]) => ({
  name: `core-${folder}`,
  comment: `core/${folder} may import only: ${targets.join(", ")}`,
  severity: "error",
  from: { path: `${core}/${folder}/`, pathNot: tests },
  to: { path: `${core}/`, pathNot: `${core}/(${[folder, ...targets].join("|")})/` },
}));

export default {
  forbidden: [
    ...layerRules,
    {
      name: "core-folder-has-a-layer",
      comment: "A new folder of the core needs its place in the table of layers.",
      severity: "error",
      from: {
        path: `${core}/[^/]+/`,
        pathNot: [`${core}/(${Object.keys(coreLayers).join("|")})/`, tests],
      },
      to: {},
    },
    {
      name: "http-takes-only-types-of-gate-and-limiter",
      severity: "error",
      from: { path: `${core}/http/`, pathNot: tests },
      to: { path: `${core}/(gate|limiter)/`, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "core-runs-anywhere",
      comment: "The core imports nothing of Node.js; it has ports for what it needs.",
      severity: "error",
      from: { path: core, pathNot: tests },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "core-has-no-runtime-dependency",
      comment: "Only the digest, which is bundled.",
      severity: "error",
      from: { path: core, pathNot: tests },
      to: { path: "node_modules", pathNot: "node_modules/@noble/hashes" },
    },
    {
      name: "adapters-know-no-store",
      severity: "error",
      from: {
        path: "^packages/(?!core/|testing/)[^/]+/src/",
        // The entry that passes the Redis store on, so that one installed package is enough.
        pathNot: [tests, "^packages/(express|koa|fastify)/src/redis\\.ts$"],
      },
      to: { path: `${core}/(store|redis|engine)/` },
    },
    {
      name: "frameworks-are-known-by-type",
      comment: "An adapter runs with the framework that its user has installed.",
      severity: "error",
      from: { path: "^packages/(express|koa|fastify)/src/", pathNot: tests },
      to: {
        path: "node_modules/(@types/)?(express|koa|fastify)/",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "packages-meet-by-public-name",
      comment: "Another package is imported by its name, never by a path into its folder.",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^packages/", pathNot: "^packages/$1/", dependencyTypesNot: ["aliased"] },
    },
    {
      name: "users-of-the-packages-meet-them-by-public-name",
      severity: "error",
      from: { path: "^(examples|bench|e2e)/" },
      to: { path: "^packages/", dependencyTypesNot: ["aliased"] },
    },
    {
      name: "packages-stand-alone",
      comment: "Published code imports neither tools nor examples nor benchmarks.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: tests },
      to: { path: "^(examples|bench|e2e|tools)/" },
    },
    {
      name: "sources-import-no-tests",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: tests },
      to: { path: ["^packages/[^/]+/test/", tests] },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: ["/dist/", "^e2e/fixtures/"] },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      extensions: [".ts", ".mjs", ".js", ".cjs", ".json"],
    },
  },
};
