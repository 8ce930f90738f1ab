import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the workspace, without a slash at its end. */
export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

/** The part of a package.json that the tools read. */
export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly packageManager?: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface WorkspacePackage {
  /** Relative to the root: `packages/core`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** A file of the workspace as text; `path` is relative to the root. */
export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readText(join(folder, "package.json")));
}

/** The packages under `packages/` that are published, in the order of their folders. */
export function publishedPackages(): readonly WorkspacePackage[] {
  return readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => ({ folder, manifest: readManifest(folder) }))
    .filter(({ manifest }) => manifest.private !== true);
}

/**
 * What git tracks or would track, relative to the root; files deleted in the work tree are left
 * out.
 */
export function trackedFiles(): readonly string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0");
  return listed.filter((path) => path !== "" && existsSync(join(root, path)));
}
