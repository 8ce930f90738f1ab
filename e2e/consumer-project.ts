import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { packPackages } from "../tools/pack";
import { type CommandResult, runCommand, runOrThrow } from "../tools/run-command";
import { readManifest, root } from "../tools/workspace";

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
    const dependencies = Object.fromEntries(
      packed.map(({ name, tarball }) => [name, `file:${tarball}`]),
    );
    writeJson(join(folder, "package.json"), { name: "consumer", private: true, dependencies });
    // npm would fetch the peers; they are copied from the workspace instead.
    const install = ["install", "--offline", "--legacy-peer-deps", "--no-audit", "--no-fund"];
    await runOrThrow("npm", install, { cwd: folder, env: freshEnvironment });
    for (const { name, path } of peers()) {
      cpSync(path, join(folder, "node_modules", name), { recursive: true, dereference: true });
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

/** Runs a file of a part with the Node.js of the tests. */
export function runFile(part: string, file: string): Promise<CommandResult> {
  return runCommand(process.execPath, [file], { cwd: part, env: freshEnvironment });
}

/**
 * Compiles `file` of a part to JavaScript beside it, strictly and with our declarations checked.
 */
export function compile(
  part: string,
  file: string,
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
  writeJson(join(part, "tsconfig.json"), { compilerOptions, files: [file] });
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  return runCommand(process.execPath, [compiler, "-p", "tsconfig.json"], {
    cwd: part,
    env: freshEnvironment,
  });
}

interface InstalledPackage {
  readonly name: string;
  readonly path: string;
}

/** What our packages expect their user to have: the peer of @sluice/testing and Node.js types. */
function peers(): readonly InstalledPackage[] {
  return ["packages/testing/node_modules/fast-check", "node_modules/@types/node"].flatMap((path) =>
    withDependencies(join(root, path)),
  );
}

/** An installed package and all that it depends on: pnpm puts those beside it. */
function withDependencies(link: string): readonly InstalledPackage[] {
  const path = realpathSync(link);
  const { name, dependencies = {} } = readManifest(relative(root, path));
  const besides = path.slice(0, -name.length);
  const below = Object.keys(dependencies).flatMap((each) => withDependencies(besides + each));
  return [{ name, path }, ...below];
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
