import type { FetchedBody, FetchedResponse } from "./fetch-like";
import { type BodyListener, followedBody } from "./followed-body";

/** What a made response would not have, or not take: a status of 999, a text beyond Latin-1. */
const kept = ["url", "redirected", "type", "status", "statusText", "ok"] as const;

/**
 * The same response with a body that is followed: of the same class, so that everything that takes
 * a response takes it, with all that a made response would not have. Its clones have it, too; they
 * read the same followed body.
 */
export function followedResponse<R extends FetchedResponse>(
  response: R,
  body: FetchedBody,
  listener: BodyListener,
): R {
  const { status, headers } = response as unknown as Response;
  const isTaken = status >= 200 && status <= 599;
  const init = { status: isTaken ? status : 200, headers };
  const made = new (classOf(response))(followedBody(body, listener), init);
  return dressed(made, response as unknown as Response) as unknown as R;
}

/** undici's own responses are not those of the runtime, and look the same. */
function classOf(response: FetchedResponse): typeof Response {
  const own = response.constructor as Partial<typeof Response>;
  return typeof own.error === "function" && typeof own.redirect === "function"
    ? (own as typeof Response)
    : Response;
}

function dressed(made: Response, original: Response): Response {
  const clone = made.clone;
  for (const name of kept) Object.defineProperty(made, name, { value: original[name] });
  return Object.defineProperty(made, "clone", {
    value: () => dressed(clone.call(made), made),
  });
}
