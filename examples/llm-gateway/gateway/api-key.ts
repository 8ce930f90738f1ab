import type { IncomingMessage } from "node:http";

/** The key in `authorization: Bearer <key>`, or undefined. */
export function apiKeyOf(req: IncomingMessage): string | undefined {
  return /^Bearer (\S+)$/i.exec(req.headers.authorization ?? "")?.[1];
}
