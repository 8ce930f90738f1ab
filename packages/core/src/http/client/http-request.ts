/**
 * What the requests of node:http, node:http2, Express, Koa (its `Context`) and Fastify have in
 * common, as far as client identity and the policies of this package read it.
 */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Without both addresses, and not destroyed, it is taken for a Unix socket. */
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly localAddress?: string | undefined;
    readonly destroyed?: boolean | undefined;
  };
}

/**
 * Whether who sent a request has no address because its connection has ended. Who resets a TCP
 * connection right after a request takes its address away before the request is read.
 */
export function hasGone({ socket }: HttpRequest): boolean {
  if (socket === undefined || socket.remoteAddress !== undefined) return false;
  return socket.destroyed === true || socket.localAddress !== undefined;
}

/** A header field as one text: repeated lines joined in their order. */
export function headerText(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "object" ? value.join(",") : value;
}
