import { readManifest, readText } from "../workspace";

/** A package whose code is inside one of ours, because ours has no runtime dependency. */
interface BundledPackage {
  readonly into: string;
  readonly name: string;
}

/** What the builds bundle: the `noExternal` of their tsup.config.ts. */
const bundledPackages: readonly BundledPackage[] = [
  { into: "packages/core", name: "@noble/hashes" },
];

/** `THIRD-PARTY-NOTICES.md` of every package that contains code of others, with their licenses. */
export function thirdPartyNotices() {
  return bundledPackages.map(({ into, name }) => {
    const folder = `${into}/node_modules/${name}`;
    const { version } = readManifest(folder);
    const title = "# Third-party notices\n\nThe built files of this package contain code of:";
    const license = readText(`${folder}/LICENSE`).trim();
    const content = `${title}\n\n## ${name} ${version}\n\n\`\`\`text\n${license}\n\`\`\`\n`;
    return { path: `${into}/THIRD-PARTY-NOTICES.md`, content };
  });
}
