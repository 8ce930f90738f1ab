import { CallFailure } from "../../../src/redis/executor/call-failure";
import type { Executor, ScriptCall } from "../../../src/redis/executor/executor";

/** A call that was sent, and what ends it. */
export interface OpenCall extends ScriptCall {
  reply(reply: unknown): void;
  fail(failure: CallFailure): void;
}

/** An executor whose calls wait for what a test says. */
export class ScriptedExecutor implements Executor {
  isCluster = false;
  nodeOf: (slot: number) => string = () => "server";
  readonly sent: OpenCall[] = [];
  readonly troubles: string[] = [];

  run(call: ScriptCall): Promise<unknown> {
    return new Promise((reply, fail) => {
      this.sent.push({ ...call, reply, fail });
    });
  }

  reportTrouble(node: string): void {
    this.troubles.push(node);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const cause = new Error("as the test says");

/** Surely not executed: there was no connection. */
export const notSent = new CallFailure({
  code: "SLUICE_STORE_UNREACHABLE",
  isRetryable: true,
  cause,
});

/** May have been executed: the connection broke. */
export const connectionLost = new CallFailure({ code: "SLUICE_STORE_UNREACHABLE", cause });

/** Surely not executed: the server did not want to. */
export const refused = new CallFailure({ code: "SLUICE_STORE_REFUSED", isRetryable: true, cause });

/** Surely not executed, and another try may succeed. */
export const refusedForNow = new CallFailure({
  code: "SLUICE_STORE_REFUSED",
  isTransient: true,
  cause,
});
