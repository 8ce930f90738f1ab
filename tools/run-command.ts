import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./workspace";

export interface CommandResult {
  readonly code: number;
  /** Standard output alone. */
  readonly stdout: string;
  /** Standard output and standard error as they came. */
  readonly output: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** Added to the environment of this process; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Ends the program when it takes longer; its code is then not 0. */
  readonly timeoutMs?: number;
}

/** Runs a program without a shell and without standard input. Never throws: see `code`. */
export function runCommand(
  command: string,
  args: readonly string[],
  { cwd = root, env = {}, timeoutMs }: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
    });
    let stdout = "";
    let output = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", (error) => resolve({ code: 1, stdout, output: `${output}${error.message}` }));
    child.on("close", (code) => resolve({ code: code ?? 1, stdout, output }));
  });
}

/** Runs a program and returns what it printed. @throws Error with its output if it fails. */
export async function runOrThrow(
  command: string,
  args: readonly string[],
  options?: CommandOptions,
): Promise<string> {
  const { code, stdout, output } = await runCommand(command, args, options);
  if (code === 0) return stdout;
  throw new Error(`${command} ${args.join(" ")} ended with code ${code}\n${output}`);
}

/** The path of a tool that the workspace depends on. */
export function localTool(name: string): string {
  return join(root, "node_modules", ".bin", name);
}
