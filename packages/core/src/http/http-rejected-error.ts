import { hasBrand } from "../error/brand";
import type { AnyRejected } from "./body/rejection-body";
import { rejectionText } from "./body/rejection-text";
import type { RenderedAnswer } from "./rendered-answer";

const brand = Symbol.for("sluice.HttpRejectedError");

/**
 * A rejection on its way through the error handling of a framework, with `rejections: "error"`.
 * Carries what the error handling of Express, Koa and Fastify reads of an error, so that each
 * answers with the right status and headers; its message is for the client too.
 */
export class HttpRejectedError extends Error {
  override readonly name = "HttpRejectedError";
  readonly code = "SLUICE_HTTP_REJECTED";
  /** 400 to 599. */
  readonly status: number;
  /** The same as `status`. */
  readonly statusCode: number;
  /** The fields of the answer but for its content type: whoever renders the error has a body. */
  readonly headers: Readonly<Record<string, string>>;
  /** That the message may be shown to the client. */
  readonly expose = true;
  /** The whole answer, as it is sent with `rejections: "answer"`. */
  readonly answer: RenderedAnswer;
  readonly verdict: AnyRejected;
  readonly [brand] = true;

  constructor(verdict: AnyRejected, answer: RenderedAnswer) {
    super(rejectionText(verdict));
    this.status = answer.status;
    this.statusCode = answer.status;
    const fields = Object.entries(answer.headers);
    this.headers = Object.fromEntries(fields.filter(([name]) => !isOfBody(name)));
    this.answer = answer;
    this.verdict = verdict;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(value, brand);
  }
}

/** Own answers of gates may spell names as they like, and tell a length. */
function isOfBody(name: string): boolean {
  return /^content-(?:type|length|encoding)$/i.test(name);
}
