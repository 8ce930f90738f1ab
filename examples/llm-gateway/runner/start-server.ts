import type { ChildProcess } from "node:child_process";
import { type GatewaySettings, writeSettings } from "../gateway/gateway-settings";
import type { Children } from "../process/children";
import type { ListeningMessage } from "../process/serve-as-child";

/** A server and the process that it runs in. */
export interface RunningServer {
  readonly child: ChildProcess;
  readonly port: number;
}

/** Starts the local stand-in for a model provider. */
export async function startUpstream(
  children: Children,
  args: readonly string[] = [],
): Promise<RunningServer> {
  const [upstream] = await start(children, "../upstream/main.ts", args);
  return upstream as RunningServer;
}

/** Starts gateways in one process. */
export function startGateways(
  children: Children,
  settings: readonly Partial<GatewaySettings>[],
): Promise<readonly RunningServer[]> {
  return start(children, "../gateway/main.ts", [writeSettings(settings)]);
}

async function start(
  children: Children,
  file: string,
  args: readonly string[],
): Promise<readonly RunningServer[]> {
  const url = new URL(file, import.meta.url);
  const { child, message } = await children.start<ListeningMessage>(url, args);
  return message.ports.map((port) => ({ child, port }));
}
