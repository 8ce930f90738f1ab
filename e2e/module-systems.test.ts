import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandResult } from "../tools/run-command";
import { ConsumerProject, compile, runFile } from "./consumer-project";
import { nodeOfMajor } from "./node-version";

const project = new ConsumerProject();
const nodes: string[] = [];

beforeAll(async () => {
  await project.install();
  for (const major of [20, 22, 24] as const) nodes.push(await nodeOfMajor(major));
});

afterAll(() => project.remove());

function expectSuccess(result: CommandResult): void {
  expect({ code: result.code, output: result.output }).toEqual({ code: 0, output: "" });
}

/** On every line of Node.js that the packages are for. */
async function expectToRun(part: string, file: string): Promise<void> {
  expect(nodes).toHaveLength(3);
  for (const node of nodes) expectSuccess(await runFile(part, file, node));
}

describe("the packed packages, installed from their tarballs, on Node.js 20, 22 and 24", () => {
  it("R068: work in ES modules, imported by name, as a namespace and dynamically", async () => {
    const part = project.addPart("esm", "module", ["entry-points.mjs"]);
    await expectToRun(part, "entry-points.mjs");
  });

  it("R068: work in a CommonJS project, required", async () => {
    const part = project.addPart("cjs", "commonjs", ["entry-points.cjs"]);
    await expectToRun(part, "entry-points.cjs");
  });

  it("R068: recognise errors, limits and clocks across the ESM and the CommonJS copy", async () => {
    const part = project.addPart("both", "module", ["class-identity.mjs"]);
    await expectToRun(part, "class-identity.mjs");
  });

  it("stand before each framework, started and called from ES modules", async () => {
    const part = project.addPart("frameworks-esm", "module", [
      "frameworks.mjs",
      "call-frameworks.cjs",
    ]);
    await expectToRun(part, "frameworks.mjs");
  });

  it("stand before each framework, started and called from CommonJS", async () => {
    const part = project.addPart("frameworks-cjs", "commonjs", [
      "frameworks.cjs",
      "call-frameworks.cjs",
    ]);
    await expectToRun(part, "frameworks.cjs");
  });
});

// Without esModuleInterop the frameworks themselves have no default import.
const consumers = ["consumer.ts"];
const all = [...consumers, "frameworks.ts"];
const settings = [
  { module: "nodenext", type: "module", esModuleInterop: true, files: all },
  { module: "nodenext", type: "commonjs", esModuleInterop: true, files: all },
  { module: "node16", type: "module", esModuleInterop: false, files: consumers },
  { module: "node16", type: "commonjs", esModuleInterop: false, files: consumers },
] as const;

// Compiling is most of it, and takes one processor each.
describe.concurrent("a TypeScript project with the packed packages", () => {
  for (const { module, type, esModuleInterop, files } of settings) {
    const interop = esModuleInterop ? "with" : "without";
    it(`R068: compiles and runs as ${module}, ${type}, ${interop} esModuleInterop`, async () => {
      const part = project.addPart(`ts-${module}-${type}`, type, files);
      const options = { module, moduleResolution: module, esModuleInterop };
      expectSuccess(await compile(part, files, options));
      for (const file of files) await expectToRun(part, file.replace(".ts", ".js"));
    });
  }

  it("R068: compiles for a bundler", async () => {
    const part = project.addPart("ts-bundler", "module", all);
    const options = { module: "esnext", moduleResolution: "bundler", noEmit: true };
    expectSuccess(await compile(part, all, options));
  });

  it("R068: compiles as commonjs of old, which knows no exports of packages", async () => {
    const part = project.addPart("ts-node10", "commonjs", all);
    const options = { module: "commonjs", moduleResolution: "node10", skipLibCheck: true };
    expectSuccess(await compile(part, all, { ...options, esModuleInterop: true, noEmit: true }));
  });
});
