import type { Options } from "tsup";

/**
 * The one build configuration of every published package: ESM and CommonJS, with types for both.
 */
export function packageBuild(entry: Record<string, string>, extra: Options = {}): Options {
  return {
    entry,
    format: ["esm", "cjs"],
    dts: true,
    clean: true,
    sourcemap: true,
    target: "node20",
    splitting: true,
    treeshake: true,
    outDir: "dist",
    ...extra,
  };
}
