import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { type PackedPackage, packPackages } from "../pack";
import { localTool, runCommand } from "../run-command";
import { type Manifest, publishedPackages, readText, root } from "../workspace";
import type { Gate } from "./gate";

/** Packs every published package and looks at the tarballs as a registry's user would meet them. */
export const packageShapeGate: Gate = {
  name: "package",
  title: "packed packages resolve from ESM, CommonJS and TypeScript",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "sluice-pack-"));
    try {
      const packed = await packPackages(folder);
      const fromTarballs = await Promise.all(packed.map(tarballProblems));
      return [...fromTarballs.flat(), ...publishedPackages().flatMap(builtPackageProblems)];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function tarballProblems({ tarball }: PackedPackage): Promise<readonly string[]> {
  // Profile node16: sub-paths such as /http need "exports", which no supported Node.js lacks.
  const attw = [tarball, "--profile", "node16", "--format", "ascii", "--no-emoji"];
  const runs = await Promise.all([
    runCommand(localTool("publint"), ["run", tarball, "--strict"]),
    runCommand(localTool("attw"), attw),
  ]);
  return runs.filter(({ code }) => code !== 0).map(({ output }) => output);
}

interface BuiltPackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Imports in the built files that a user's installation could not resolve. */
function builtPackageProblems({ folder, manifest }: BuiltPackage): readonly string[] {
  const built = readdirSync(join(root, folder, "dist")).filter((file) => !file.endsWith(".map"));
  return built.flatMap((file) => {
    const path = `${folder}/dist/${file}`;
    return importsOf(readText(path))
      .filter((specifier) => !isInstalledWith(manifest, specifier))
      .map((specifier) => `${path} imports "${specifier}", which its package.json does not bring`);
  });
}

function importsOf(text: string): readonly string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

function isInstalledWith(manifest: Manifest, specifier: string): boolean {
  if (specifier.startsWith(".")) return true;
  // The core runs anywhere: it brings everything it needs and asks nothing of Node.js.
  if (isBuiltin(specifier)) return manifest.name !== "@sluice/core";
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const { dependencies = {}, peerDependencies = {} } = manifest;
  return name in dependencies || name in peerDependencies;
}
