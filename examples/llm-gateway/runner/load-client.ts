import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { ClosedLoopPlan, ClosedLoopResult } from "../client/closed-loop";
import type { LivenessPlan, LivenessSample } from "../client/liveness";
import type { Arrival, OpenLoopPlan } from "../client/open-loop";
import type { Order, Reply } from "../client/order";
import type { Answer, Shot } from "../client/shot";
import type { Children } from "../process/children";

/** A load client process as its runner sees it. It carries out one order at a time. */
export class LoadClient {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(children: Children): Promise<LoadClient> {
    const { child } = await children.start<Reply>(new URL("../client/main.ts", import.meta.url));
    return new LoadClient(child);
  }

  /** Opens connections to ports of this machine in turn, in place of those that it had. */
  async open(ports: number | readonly number[], connections: number): Promise<void> {
    await this.#order({ type: "close" });
    await this.#order({ type: "open", ports: [ports].flat(), connections });
  }

  /** Each shot at its time, on its own connection; the answers in the order of the shots. */
  burst(shots: readonly Shot[]): Promise<Answer[]> {
    return this.#order({ type: "burst", shots });
  }

  /** One shot, at once. */
  async send(shot: Shot): Promise<Answer> {
    const [answer] = await this.burst([shot]);
    return answer as Answer;
  }

  closedLoop(plan: ClosedLoopPlan): Promise<ClosedLoopResult> {
    return this.#order({ type: "closed-loop", plan });
  }

  openLoop(plan: OpenLoopPlan): Promise<Arrival[]> {
    return this.#order({ type: "open-loop", plan });
  }

  liveness(plan: LivenessPlan): Promise<LivenessSample[]> {
    return this.#order({ type: "liveness", plan });
  }

  async #order<Result>(order: Order): Promise<Result> {
    const ended = new AbortController();
    const gone = () => ended.abort(new Error("The load client ended."));
    this.#child.once("exit", gone);
    try {
      this.#child.send(order);
      const [reply] = (await once(this.#child, "message", ended)) as [Reply];
      if (reply.type === "failed") throw new Error(`${order.type}: ${reply.message}`);
      return (reply.type === "done" ? reply.result : undefined) as Result;
    } finally {
      this.#child.off("exit", gone);
    }
  }
}
