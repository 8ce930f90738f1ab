import { InvalidOptionsError } from "@sluice/core";
import type { NodeRequest } from "./message";

/**
 * Whether an error of a policy only says that its client has gone. Who resets a TCP connection
 * right after a request, or leaves while a policy waits, has no address by which it could be known.
 * That is no fault of the policy, and strangers must not be able to fill logs with it.
 */
export function isAboutGoneClient(error: unknown, { socket }: NodeRequest): boolean {
  if (!(error instanceof InvalidOptionsError) || socket.remoteAddress !== undefined) return false;
  // A Unix socket has neither address.
  return socket.destroyed || socket.localAddress !== undefined;
}
