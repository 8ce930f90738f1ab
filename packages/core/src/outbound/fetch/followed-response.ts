import type { FetchedBody, FetchedResponse } from "./fetch-like";
import { type BodyListener, followedBody } from "./followed-body";

/**
 * The same response with a body that is followed: of the same class, so that everything that takes
 * a response takes it, with the `url`, `redirected` and `type` that a made response would not have.
 * Its clones have them, too; they read the same followed body.
 */
export function followedResponse<R extends FetchedResponse>(
  response: R,
  body: FetchedBody,
  listener: BodyListener,
): R {
  const { status, statusText, headers } = response as unknown as Response;
  const made = new (classOf(response))(followedBody(body, listener), {
    status,
    statusText,
    headers,
  });
  return dressed(made, response as unknown as Response) as unknown as R;
}

/** undici's own responses are not those of the runtime, and look the same. */
function classOf(response: FetchedResponse): typeof Response {
  const own = response.constructor as Partial<typeof Response>;
  return typeof own.error === "function" && typeof own.redirect === "function"
    ? (own as typeof Response)
    : Response;
}

function dressed(made: Response, { url, redirected, type }: Response): Response {
  const clone = made.clone;
  return Object.defineProperties(made, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: type },
    clone: { value: () => dressed(clone.call(made), { url, redirected, type } as Response) },
  });
}
