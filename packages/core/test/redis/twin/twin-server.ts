import { RespConnection } from "../../../../../tools/redis/resp-connection";
import type { DescriptorKey } from "../../../src/engine/command";
import { KeyTexts } from "../../../src/redis/key/key-texts";
import { CallWriter } from "../../../src/redis/wire/call-writer";
import type { LATE, Operation } from "../../../src/redis/wire/operation";
import { ReplyReader } from "../../../src/redis/wire/reply-reader";
import { givenTimeScript } from "../given-time/given-time-script";

/** The scripts with the clock that a test sets, on a real server. */
export class TwinServer {
  readonly #connection: RespConnection;
  readonly #texts: KeyTexts;

  private constructor(connection: RespConnection, prefix: string) {
    this.#connection = connection;
    this.#texts = new KeyTexts(prefix, undefined);
  }

  static async open(port: number, prefix: string): Promise<TwinServer> {
    return new TwinServer(await RespConnection.open(port), prefix);
  }

  close(): void {
    this.#connection.close();
  }

  command(...args: readonly (string | number)[]) {
    return this.#connection.command(...args);
  }

  /** The key of a descriptor's counters. */
  chainKey(descriptor: DescriptorKey): string {
    return this.#texts.chain(descriptor);
  }

  recordKey(descriptor: DescriptorKey, operationId: string): string {
    return this.#texts.record(this.chainKey(descriptor), operationId);
  }

  leasesKey(descriptor: DescriptorKey, limitName: string): string {
    return this.#texts.leases(this.chainKey(descriptor), limitName);
  }

  /** Several commands in one call of their script, at an instant that the test names. */
  async run<C extends { readonly targets: readonly DescriptorKey[] }, R>(
    operation: Operation<C, R>,
    commands: readonly C[],
    nowMs: number,
    deadlineMs = 0,
  ): Promise<readonly (R | typeof LATE)[]> {
    const writer = new CallWriter(this.#texts);
    for (const command of commands) {
      operation.write(writer, command, deadlineMs);
    }
    await this.command("SET", "sluice-test-now", String(nowMs));
    const script = givenTimeScript(operation.name);
    const { keys } = writer;
    const { argument } = writer;
    const reply = await this.command("EVAL", script, keys.length, ...keys, argument);
    const reader = new ReplyReader(reply);
    if (reader.serverNowMs !== nowMs) throw new Error(`now is ${reader.serverNowMs}`);
    return commands.map((command) => operation.read(reader, command));
  }
}
