import type { Clock, MemoryStore, Store } from "@sluice/core";
import { scriptNames } from "../../../../../tools/generated/lua-scripts";
import type { DescriptorKey } from "../../../src/engine/command";
import { KeyTexts } from "../../../src/redis/key/key-texts";
import { admitOperation } from "../../../src/redis/wire/admit";
import { CallWriter } from "../../../src/redis/wire/call-writer";
import type { Operation } from "../../../src/redis/wire/operation";
import { peekOperation } from "../../../src/redis/wire/peek";
import { releaseOperation } from "../../../src/redis/wire/release";
import { renewOperation } from "../../../src/redis/wire/renew";
import { ReplyReader } from "../../../src/redis/wire/reply-reader";
import { resetOperation } from "../../../src/redis/wire/reset";
import { settleOperation } from "../../../src/redis/wire/settle";
import { undoOperation } from "../../../src/redis/wire/undo";
import type { BlockingConnection } from "./blocking-connection";
import { givenTimeScript } from "./given-time-script";

/**
 * The scripts on a real server as a store whose "now" is that of a clock which a test moves. Each
 * command is executed before its method returns.
 */
export class GivenTimeStore implements MemoryStore {
  readonly #connection: BlockingConnection;
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #texts: KeyTexts;
  readonly #keys = new Set<string>();
  readonly #shas = new Map<string, string>();

  constructor(connection: BlockingConnection, clock: Pick<Clock, "nowMs">, prefix: string) {
    this.#connection = connection;
    this.#clock = clock;
    this.#texts = new KeyTexts(prefix, undefined);
    for (const name of scriptNames()) this.#shas.set(name, this.#load(name));
  }

  /** Keys that are there. By the server's own clock they live for ten seconds and more. */
  get size(): number {
    return this.timesToLive.length;
  }

  /** Milliseconds; of every key that is there. -1 is for ever. */
  get timesToLive(): readonly number[] {
    const ttls = [...this.#keys].map((key) => this.#connection.command(["PTTL", key]) as number);
    return ttls.filter((ttl) => ttl !== -2);
  }

  admit: Store["admit"] = async (command) => this.#run(admitOperation, command);
  peek: Store["peek"] = async (command) => this.#run(peekOperation, command);
  settle: Store["settle"] = async (command) => this.#run(settleOperation, command);
  release: Store["release"] = async (command) => this.#run(releaseOperation, command);
  renew: Store["renew"] = async (command) => this.#run(renewOperation, command);
  undo: Store["undo"] = async (command) => this.#run(undoOperation, command);
  reset: Store["reset"] = async (command) => this.#run(resetOperation, command);

  async close(): Promise<void> {}

  #load(name: string): string {
    return this.#connection.command(["SCRIPT", "LOAD", givenTimeScript(name)]) as string;
  }

  #run<C extends { readonly targets: readonly DescriptorKey[] }, R>(
    operation: Operation<C, R>,
    command: C,
  ): R {
    if (command.targets.length === 0) throw new Error(`${operation.name} names no descriptor`);
    const writer = new CallWriter(this.#texts);
    operation.write(writer, command, 0);
    const { keys, argument } = writer;
    for (const key of keys) this.#keys.add(key);
    const sha = this.#shas.get(operation.name) as string;
    const reply = this.#connection.command(
      ["SET", "sluice-test-now", String(this.#clock.nowMs())],
      ["EVALSHA", sha, keys.length, ...keys, argument],
    );
    return operation.read(new ReplyReader(reply), command) as R;
  }
}
