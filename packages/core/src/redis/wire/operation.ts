import type { DescriptorKey } from "../../engine/command";
import type { Milliseconds } from "../../limit/limit";
import type { Script } from "../executor/executor";
import type { CallWriter } from "./call-writer";
import type { ReplyReader } from "./reply-reader";

/** How one command of the store travels: many of a kind in one call of its script. */
export interface Operation<Command extends { readonly targets: readonly DescriptorKey[] }, Reply> {
  /** The name of the command. */
  readonly name: string;
  readonly script: Script;
  /**
   * What the command costs the server, in units of one counter judged and charged (a few
   * microseconds): bounds how many share a call.
   */
  weight(command: Command): number;
  /** `deadlineMs` is in server time, 0 for none; only a command that charges has one. */
  write(writer: CallWriter, command: Command, deadlineMs: Milliseconds): void;
  /** {@link LATE} if the command arrived after its deadline, and so did nothing. */
  read(reader: ReplyReader, command: Command): Reply | typeof LATE;
}

/** The command arrived after its deadline in server time: nothing was judged or charged. */
export const LATE = Symbol("late");
