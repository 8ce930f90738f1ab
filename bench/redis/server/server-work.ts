import type { RedisServer } from "../../../tools/redis/redis-server";

/** What a server has done since its start. */
export interface ServerWork {
  /** Processor time of the server, with reading and writing of sockets. */
  readonly processorMs: number;
  /** Microseconds by its own clock inside a command, as `INFO commandstats` counts them. */
  commandUs(command: string): number;
}

/** Asks the server itself. */
export async function workOf(server: RedisServer): Promise<ServerWork> {
  const info = String(await server.command("INFO", "cpu", "commandstats"));
  const numberAt = (pattern: RegExp) => Number(pattern.exec(info)?.[1] ?? 0);
  const seconds = numberAt(/^used_cpu_user:([\d.]+)/m) + numberAt(/^used_cpu_sys:([\d.]+)/m);
  return {
    processorMs: seconds * 1000,
    commandUs: (command) => numberAt(new RegExp(`^cmdstat_${command}:.*\\busec=(\\d+)`, "m")),
  };
}
