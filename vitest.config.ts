import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const alias = {
  "@sluice/core/http": source("packages/core/src/http/index.ts"),
  "@sluice/core/redis": source("packages/core/src/redis/index.ts"),
  "@sluice/core": source("packages/core/src/index.ts"),
  "@sluice/express": source("packages/express/src/index.ts"),
  "@sluice/fastify": source("packages/fastify/src/index.ts"),
  "@sluice/koa": source("packages/koa/src/index.ts"),
  "@sluice/node": source("packages/node/src/index.ts"),
  "@sluice/prometheus": source("packages/prometheus/src/index.ts"),
  "@sluice/testing": source("packages/testing/src/index.ts"),
};

/** Projects of one group run together, the groups one after the other. */
interface Project {
  readonly name: string;
  readonly group: number;
  readonly include: string[];
  readonly exclude?: string[];
  readonly test?: {
    readonly testTimeout?: number;
    readonly hookTimeout?: number;
    readonly globalSetup?: string;
  };
}

const project = ({ name, group, include, exclude = [], test = {} }: Project) => ({
  resolve: { alias },
  test: {
    name,
    include,
    exclude: ["**/node_modules/**", "**/dist/**", ...exclude],
    // Sockets and their time-outs must not share the processor with property tests.
    maxWorkers: group === 0 ? "100%" : 1,
    sequence: { groupOrder: group },
    ...test,
  },
});

/**
 * Left out with SLUICE_TESTS=brief, as CI sets it on the second version of Node.js: what takes
 * minutes, and depends on servers and processes more than on Node.js. What of it does depend on
 * Node.js (packed packages, clients) brings the versions that it is about by itself.
 */
const minutesLong =
  process.env.SLUICE_TESTS === "brief"
    ? [
        "e2e/**",
        "packages/core/test/redis/{faults,executor}/**",
        "packages/core/test/redis/{atomicity,keys}.redis.test.ts",
        "tools/redis/**",
      ]
    : [];

/** `npm run test:full` sets it, and names this project. */
const isFull = process.env.SLUICE_TESTS === "full";

/** Faults through all clients and for long: minutes more than one waits for after a change. */
const faultsFull = project({
  name: "faults-full",
  group: 2,
  include: ["packages/*/test/**/*.full.redis.test.ts"],
  test: {
    testTimeout: 900_000,
    hookTimeout: 60_000,
    globalSetup: "tools/redis/vitest-servers.ts",
  },
});

export default defineConfig({
  test: {
    projects: [
      project({
        name: "unit",
        group: 0,
        include: ["packages/*/{src,test}/**/*.test.ts", "tools/**/*.test.ts"],
        exclude: [
          "**/*.property.test.ts",
          "**/*.model.test.ts",
          "**/*.http.test.ts",
          "**/*.redis.test.ts",
        ],
        test: { testTimeout: 20_000 },
      }),
      project({
        name: "property",
        group: 0,
        include: ["packages/*/{src,test}/**/*.{property,model}.test.ts"],
        test: { testTimeout: 120_000 },
      }),
      project({
        name: "http",
        group: 1,
        include: ["packages/*/{src,test}/**/*.http.test.ts"],
        test: { testTimeout: 30_000 },
      }),
      project({
        name: "redis",
        group: 2,
        include: ["packages/*/{src,test}/**/*.redis.test.ts", "tools/redis/*.redis.test.ts"],
        exclude: ["**/*.full.redis.test.ts", ...minutesLong],
        test: {
          testTimeout: 60_000,
          hookTimeout: 30_000,
          globalSetup: "tools/redis/vitest-servers.ts",
        },
      }),
      ...(isFull ? [faultsFull] : []),
      project({
        name: "e2e",
        group: 3,
        include: ["e2e/**/*.test.ts"],
        exclude: minutesLong,
        test: { testTimeout: 120_000, hookTimeout: 300_000 },
      }),
    ],
  },
});
