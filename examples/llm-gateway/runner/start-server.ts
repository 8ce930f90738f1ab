import type { ChildProcess } from "node:child_process";
import { type GatewaySettings, writeSettings } from "../gateway/gateway-settings";
import type { Children } from "../process/children";
import type { ListeningMessage } from "../process/serve-as-child";

/** A server process and the port that it took. */
export interface RunningServer {
  readonly child: ChildProcess;
  readonly port: number;
}

/** Starts the local stand-in for a model provider. */
export function startUpstream(
  children: Children,
  args: readonly string[] = [],
): Promise<RunningServer> {
  return start(children, "../upstream/main.ts", args);
}

/** Starts a gateway. */
export function startGateway(
  children: Children,
  settings: Partial<GatewaySettings>,
): Promise<RunningServer> {
  return start(children, "../gateway/main.ts", [writeSettings(settings)]);
}

async function start(
  children: Children,
  file: string,
  args: readonly string[],
): Promise<RunningServer> {
  const url = new URL(file, import.meta.url);
  const { child, message } = await children.start<ListeningMessage>(url, args);
  return { child, port: message.port };
}
