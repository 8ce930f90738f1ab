import { dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { root } from "../workspace";

/** Source text that a bundle gets instead of what a file holds. */
export interface Replacement {
  /** Relative to the root. */
  readonly path: string;
  readonly text: string;
}

export interface BundleOptions {
  /** Test files relative to the root, in the order in which they are to run. */
  readonly tests: readonly string[];
  readonly seed: number;
  readonly replacement?: Replacement;
  /** Where the program is written. */
  readonly outfile: string;
}

/**
 * Writes one program that runs tests against a source tree in which one file may be replaced.
 * Nothing else is written, and the tree itself is only read.
 */
export async function bundleTests({ tests, seed, replacement, outfile }: BundleOptions) {
  const imports = tests.map((path) => `import ${JSON.stringify(join(root, path))};`);
  const program = [
    'import fc from "fast-check";',
    'import { runAll } from "vitest";',
    ...imports,
    `fc.configureGlobal({ seed: ${seed} });`,
    "try { await runAll(); process.exit(0); } catch (error) {",
    "  process.stdout.write(String(error.message)); process.exit(1); }",
  ];
  await build({
    stdin: { contents: program.join("\n"), resolveDir: join(root, "packages/core/test") },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
    // The packages are free of side effects, but their tests are nothing else.
    ignoreAnnotations: true,
    tsconfig: join(root, "tsconfig.json"),
    banner: { js: requireForBundledCommonJs },
    plugins: [standIn, ...(replacement === undefined ? [] : [replacing(replacement)])],
    outfile,
  });
}

const requireForBundledCommonJs =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** Tests import `vitest`; in the bundle they get the stand-in. */
const standIn: Plugin = {
  name: "vitest-stand-in",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^vitest$/ }, () => ({
      path: join(root, "tools/mutation/vitest-stand-in.ts"),
    }));
  },
};

function replacing({ path, text }: Replacement): Plugin {
  const replaced = join(root, path);
  return {
    name: "replacement",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, ({ path: loaded }) =>
        loaded === replaced
          ? { contents: text, loader: "ts", resolveDir: dirname(loaded) }
          : undefined,
      );
    },
  };
}
