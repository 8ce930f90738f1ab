import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerParent, readArgument, tellParent } from "../../process/answer-parent";
import type { ServerName } from "../server-name";
import { listenerOf } from "./listener";

/**
 * Answers every question of the parent with the processor time that this process has used, in ms.
 */
async function processorMs(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const server = createServer(listenerOf(readArgument<ServerName>()));
// Connections stay open while other servers are measured.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => tellParent((server.address() as AddressInfo).port));
answerParent(processorMs);
