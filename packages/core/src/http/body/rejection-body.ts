import type { GateRejected } from "../../gate/gate";
import type { Rejected } from "../../verdict/verdict";

/** The body of an answer with its media type. */
export interface RenderedBody {
  /** A media type, as a Content-Type field value. */
  readonly contentType: string;
  readonly text: string;
}

/** A refusal by a limiter or by a gate. */
export type AnyRejected = Rejected | GateRejected;

/** Writes the body of a rejection that is answered with the given status. Must be synchronous. */
export type RejectionBody = (rejected: AnyRejected, status: number) => RenderedBody;
