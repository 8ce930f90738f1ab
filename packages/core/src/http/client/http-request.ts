/**
 * What the requests of node:http, node:http2, Express, Koa (its `Context`) and Fastify have in
 * common, as far as client identity and the policies of this package read it.
 */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** A header field as one text: repeated lines joined in their order. */
export function headerText(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "object" ? value.join(",") : value;
}
