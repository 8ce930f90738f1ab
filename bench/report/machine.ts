import { cpus, release, totalmem, type } from "node:os";

/** Where and how the figures came about; without it they mean nothing. */
export function machineLines(command: string): string {
  const cores = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return [
    `command  ${command}`,
    `machine  ${cores.length} x ${cores[0]?.model.trim()}, ${memory} GiB, ${type()} ${release()}`,
    `node     ${process.version} (V8 ${process.versions.v8})`,
    `date     ${new Date().toISOString().slice(0, 10)}`,
  ].join("\n");
}
