import { localTool, runCommand } from "../run-command";

/** One check of the workspace that passes or fails as a whole. */
export interface Gate {
  /** One word, for the command line. */
  readonly name: string;
  /** What it makes sure of. */
  readonly title: string;
  /** Everything that is wrong; empty when the gate passes. */
  readonly run: () => Promise<readonly string[]>;
}

/** A gate that is one run of a tool: its exit code decides. */
export function toolGate(name: string, title: string, tool: string, args: string[]): Gate {
  const run = async () => {
    const { code, output } = await runCommand(localTool(tool), args);
    return code === 0 ? [] : [output];
  };
  return { name, title, run };
}
