import { readdirSync } from "node:fs";
import { runCommand } from "../run-command";
import { publishedPackages, readText, type WorkspacePackage } from "../workspace";
import type { Gate } from "./gate";

/** Every package whose sources changed since its last release is named by a pending changeset. */
export const changesetsGate: Gate = {
  name: "changesets",
  title: "changed packages are named by a changeset",
  async run() {
    const pending = pendingChangesets();
    const published = publishedPackages();
    const known = new Set(published.map(({ manifest }) => manifest.name));
    const strangers = pending.flatMap(({ path, names }) =>
      names
        .filter((name) => !known.has(name))
        .map((name) => `${path} names ${name}, which is not a published package`),
    );
    const named = new Set(pending.flatMap(({ names }) => names));
    const changed = await Promise.all(
      published.map(async (each) => ({ ...each, isChanged: await isChangedSinceRelease(each) })),
    );
    const missing = changed
      .filter(({ manifest, isChanged }) => isChanged && !named.has(manifest.name))
      .map(({ manifest }) => `${manifest.name} changed: add a changeset (\`npx changeset\`)`);
    return [...strangers, ...missing];
  },
};

interface PendingChangeset {
  readonly path: string;
  /** The packages in its front matter. */
  readonly names: readonly string[];
}

function pendingChangesets(): readonly PendingChangeset[] {
  return readdirSync(".changeset")
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .map((file) => {
      const path = `.changeset/${file}`;
      const frontMatter = /^---\n(.*?)\n---/s.exec(readText(path))?.[1] ?? "";
      const names = [...frontMatter.matchAll(/^["'](.+?)["']:\s*(?:major|minor|patch)$/gm)];
      return { path, names: names.map(([, name = ""]) => name) };
    });
}

async function isChangedSinceRelease({ folder, manifest }: WorkspacePackage): Promise<boolean> {
  const tag = `${manifest.name}@${manifest.version}`;
  const released = await runCommand("git", ["rev-parse", "--verify", "--quiet", `${tag}^{commit}`]);
  // Never released under this version: all of it is new.
  if (released.code !== 0) return true;
  const paths = [`${folder}/src`, `${folder}/package.json`];
  const changes = await runCommand("git", ["diff", "--quiet", tag, "--", ...paths]);
  return changes.code !== 0;
}
