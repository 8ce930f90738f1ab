/** The part of a request that all frameworks have, and that says whose it is. */
export interface WithHeaders {
  readonly headers: { readonly authorization?: string | undefined };
}

/** The key in `authorization: Bearer <key>`, or undefined. */
export function apiKeyOf({ headers }: WithHeaders): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
}
