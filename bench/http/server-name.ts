/** The servers that are compared. All answer the same; what stands before the handler differs. */
export const serverNames = [
  "bare node:http",
  "bare, reads the key",
  "gate + limits, no headers",
  "gate + limits, ietf headers",
  "gate only",
  "limits only, no headers",
] as const;

export type ServerName = (typeof serverNames)[number];
