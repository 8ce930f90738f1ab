import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const alias = {
  "@sluice/core/http": source("packages/core/src/http/index.ts"),
  "@sluice/core": source("packages/core/src/index.ts"),
  "@sluice/node": source("packages/node/src/index.ts"),
  "@sluice/testing": source("packages/testing/src/index.ts"),
};

const project = (name: string, include: string[], exclude: string[] = []) => ({
  resolve: { alias },
  test: { name, include, exclude: ["**/node_modules/**", "**/dist/**", ...exclude] },
});

export default defineConfig({
  test: {
    projects: [
      project(
        "unit",
        ["packages/*/{src,test}/**/*.test.ts", "tools/**/*.test.ts"],
        ["**/*.property.test.ts", "**/*.model.test.ts", "**/*.http.test.ts"],
      ),
      project("property", ["packages/*/{src,test}/**/*.{property,model}.test.ts"]),
      project("http", ["packages/*/{src,test}/**/*.http.test.ts"]),
      project("e2e", ["e2e/**/*.test.ts"]),
    ],
  },
});
