import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandResult } from "../tools/run-command";
import { ConsumerProject, compile, runFile } from "./consumer-project";

const project = new ConsumerProject();

beforeAll(() => project.install());

afterAll(() => project.remove());

function expectSuccess(result: CommandResult): void {
  expect({ code: result.code, output: result.output }).toEqual({ code: 0, output: "" });
}

describe("the packed packages, installed from their tarballs", () => {
  it("R068: work in ES modules, imported by name, as a namespace and dynamically", async () => {
    const part = project.addPart("esm", "module", ["entry-points.mjs"]);
    expectSuccess(await runFile(part, "entry-points.mjs"));
  });

  it("R068: work in a CommonJS project, required", async () => {
    const part = project.addPart("cjs", "commonjs", ["entry-points.cjs"]);
    expectSuccess(await runFile(part, "entry-points.cjs"));
  });

  it("R068: recognise errors, limits and clocks across the ESM and the CommonJS copy", async () => {
    const part = project.addPart("both", "module", ["class-identity.mjs"]);
    expectSuccess(await runFile(part, "class-identity.mjs"));
  });
});

const settings = [
  { module: "nodenext", type: "module", esModuleInterop: true },
  { module: "nodenext", type: "commonjs", esModuleInterop: true },
  { module: "node16", type: "module", esModuleInterop: false },
  { module: "node16", type: "commonjs", esModuleInterop: false },
] as const;

describe("a TypeScript project with the packed packages", () => {
  for (const { module, type, esModuleInterop } of settings) {
    const interop = esModuleInterop ? "with" : "without";
    it(`R068: compiles and runs as ${module}, ${type}, ${interop} esModuleInterop`, async () => {
      const part = project.addPart(`ts-${module}-${type}`, type, ["consumer.ts"]);
      const options = { module, moduleResolution: module, esModuleInterop };
      expectSuccess(await compile(part, "consumer.ts", options));
      expectSuccess(await runFile(part, "consumer.js"));
    });
  }

  it("R068: compiles for a bundler", async () => {
    const part = project.addPart("ts-bundler", "module", ["consumer.ts"]);
    const options = { module: "esnext", moduleResolution: "bundler", noEmit: true };
    expectSuccess(await compile(part, "consumer.ts", options));
  });
});
