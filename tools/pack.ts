import { readdirSync } from "node:fs";
import { join } from "node:path";
import { runOrThrow } from "./run-command";
import { publishedPackages, readManifest, root } from "./workspace";

/** A published package and the tarball that a registry would get. */
export interface PackedPackage {
  readonly name: string;
  readonly folder: string;
  readonly tarball: string;
}

/** Builds what is stale and packs every published package into `destination`. */
export async function packPackages(destination: string): Promise<readonly PackedPackage[]> {
  await runOrThrow(process.execPath, [join(root, "tools", "bootstrap.mjs"), "build"]);
  const { packageManager = "pnpm" } = readManifest(".");
  const filters = publishedPackages().flatMap(({ folder }) => ["--filter", `./${folder}`]);
  const pack = [...filters, "--recursive", "pack", "--pack-destination", destination];
  await runOrThrow("npx", ["--yes", packageManager, ...pack]);
  const tarballs = readdirSync(destination).filter((file) => file.endsWith(".tgz"));
  return publishedPackages().map(({ folder, manifest }) => {
    const file = `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;
    if (!tarballs.includes(file)) throw new Error(`${manifest.name} was not packed to ${file}`);
    return { name: manifest.name, folder, tarball: join(destination, file) };
  });
}
