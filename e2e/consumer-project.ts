import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packPackages } from "../tools/pack";
import { type CommandResult, runCommand, runOrThrow } from "../tools/run-command";
import { publishedPackages, root } from "../tools/workspace";

const fixtures = join(root, "e2e", "fixtures");

/**
 * npm passes its own settings to what it starts, and the test runner asks for colours: an
 * installation elsewhere must see neither.
 */
const freshEnvironment = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => /^npm_|^(NO|FORCE)_COLOR$/i.test(name))
    .map((name) => [name, undefined]),
);

/** A folder outside the repository in which the packed packages are installed by npm. */
export class ConsumerProject {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), "sluice-e2e-")));

  /** Packs the published packages and installs the tarballs, without asking any registry. */
  async install(): Promise<void> {
    const folder = this.#folder;
    const tarballs = join(folder, "tarballs");
    mkdirSync(tarballs);
    const packed = await packPackages(tarballs);
    const dependencies = Object.fromEntries([
      ...packed.map(({ name, tarball }) => [name, `file:${tarball}`]),
      ...foreignDependencies().map(({ name, path }) => [name, `file:${path}`]),
    ]);
    writeJson(join(folder, "package.json"), { name: "consumer", private: true, dependencies });
    const options = [
      "--offline",
      "--legacy-peer-deps",
      "--install-links",
      "--no-audit",
      "--no-fund",
    ];
    await runOrThrow("npm", ["install", ...options], { cwd: folder, env: freshEnvironment });
    // npm would fetch the peers; those of the workspace are there already.
    for (const { name, path } of peers()) {
      const link = join(folder, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(path, link);
    }
  }

  /** Makes a part of the project with a module system of its own; returns its folder. */
  addPart(name: string, type: "module" | "commonjs", files: readonly string[]): string {
    const part = join(this.#folder, name);
    mkdirSync(part, { recursive: true });
    writeJson(join(part, "package.json"), { name, private: true, type });
    for (const file of files) cpSync(join(fixtures, file), join(part, file));
    return part;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Runs a file of a part, with the Node.js of the tests unless another one is named. */
export function runFile(
  part: string,
  file: string,
  node: string = process.execPath,
): Promise<CommandResult> {
  return runCommand(node, [file], { cwd: part, env: freshEnvironment, timeoutMs: 60_000 });
}

/**
 * Compiles files of a part to JavaScript beside them, strictly and with our declarations checked.
 */
export function compile(
  part: string,
  files: readonly string[],
  options: Readonly<Record<string, string | boolean>>,
): Promise<CommandResult> {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    ...options,
  };
  writeJson(join(part, "tsconfig.json"), { compilerOptions, files });
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  return runCommand(process.execPath, [compiler, "-p", "tsconfig.json"], {
    cwd: part,
    env: freshEnvironment,
  });
}

interface InstalledPackage {
  readonly name: string;
  /** Where it is installed, with what it depends on beside it. */
  readonly path: string;
}

/**
 * What our packages expect their user to have, with its types: the frameworks and libraries they
 * are for, and Node.js. Client libraries of Redis are optional, and not there.
 */
function peers(): readonly InstalledPackage[] {
  const besides = publishedPackages().flatMap(({ folder, manifest }) => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
    const needed = Object.keys(peerDependencies).filter(
      (name) => peerDependenciesMeta[name]?.optional !== true,
    );
    const types = needed.map((name) => `@types/${name}`).filter((name) => isIn(folder, name));
    return [...needed, ...types].map((name) => installedIn(folder, name));
  });
  return [...besides, installedIn(".", "@types/node")];
}

/** What our packages bring along that is not ours. */
function foreignDependencies(): readonly InstalledPackage[] {
  return publishedPackages().flatMap(({ folder, manifest }) =>
    Object.keys(manifest.dependencies ?? {})
      .filter((name) => !name.startsWith("@sluice/"))
      .map((name) => installedIn(folder, name)),
  );
}

function isIn(folder: string, name: string): boolean {
  return existsSync(join(root, folder, "node_modules", name));
}

function installedIn(folder: string, name: string): InstalledPackage {
  return { name, path: realpathSync(join(root, folder, "node_modules", name)) };
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
