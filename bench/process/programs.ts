import { fileURLToPath } from "node:url";
import { build } from "tsup";

const folder = fileURLToPath(new URL("..", import.meta.url));

/** The programs that measure, each run as a process of its own. */
const sources = {
  speed: "memory/speed/program.ts",
  bytes: "memory/bytes/program.ts",
  turns: "memory/turns/program.ts",
  gate: "gate/program.ts",
  "http-server": "http/server/program.ts",
  "http-client": "http/client/program.ts",
  "redis-load": "redis/load/program.ts",
} as const;

export type ProgramName = keyof typeof sources;

/** The file to run, after {@link buildPrograms}. */
export function programPath(name: ProgramName): string {
  return `${folder}dist/${name}.js`;
}

/**
 * Turns the measuring programs into plain JavaScript, so that the processes run without a loader
 * that rewrites code. Packages stay outside: they are met by name, built, as their users meet them.
 */
export async function buildPrograms(): Promise<void> {
  const entry = Object.entries(sources).map(([name, path]) => [name, `${folder}${path}`]);
  await build({
    entry: Object.fromEntries(entry),
    outDir: `${folder}dist`,
    config: false,
    // Without the paths that lead from package names to their sources.
    tsconfig: "tsconfig.base.json",
    format: "esm",
    target: "node20",
    skipNodeModulesBundle: true,
    // One file per program, so that a second benchmark may build while the first one runs.
    splitting: false,
    silent: true,
  });
}
