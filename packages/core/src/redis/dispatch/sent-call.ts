import type { CallOnNode } from "../node/node-health";
import type { Pending, SentTo } from "./pending";

/** One call of a script under way, and the commands in it. */
export class SentCall implements SentTo {
  readonly chunk: readonly Pending[];
  readonly node: string;
  readonly onNode: CallOnNode;

  constructor(chunk: readonly Pending[], node: string, onNode: CallOnNode) {
    this.chunk = chunk;
    this.node = node;
    this.onNode = onNode;
  }
}
