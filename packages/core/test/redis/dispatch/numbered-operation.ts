import type { DescriptorKey } from "../../../src/engine/command";
import { admitScript } from "../../../src/redis/script/scripts";
import { LATE, type Operation } from "../../../src/redis/wire/operation";

/** A command that is nothing but a number, and how heavy it is. */
export interface NumberedCommand {
  readonly number: number;
  readonly weight: number;
  readonly targets: readonly DescriptorKey[];
}

/** In the place of the number in a reply. */
const LATE_NUMBER = -1;

/** An operation whose reply to a command is the command's number. */
export function numberedOperation(name: string): Operation<NumberedCommand, number> {
  return {
    name,
    script: { ...admitScript, name },
    weight: ({ weight }) => weight,
    write(writer, { number }, deadlineMs) {
      writer.number(number);
      writer.number(deadlineMs);
      writer.endCommand();
    },
    read(reader) {
      const number = reader.number();
      return number === LATE_NUMBER ? LATE : number;
    },
  };
}

export function numberedCommand(number: number, weight = 1): NumberedCommand {
  return { number, weight, targets: [{ kind: "k", id: `${number}` }] };
}

/** What one call carries: the numbers of its commands, and the deadline of each. */
export interface Carried {
  readonly numbers: readonly number[];
  readonly deadlinesMs: readonly number[];
}

export function carriedBy({ argument }: { readonly argument: string }): Carried {
  const [, ...commands] = JSON.parse(argument) as [unknown, ...(readonly [number, number])[]];
  return {
    numbers: commands.map(([number]) => number),
    deadlinesMs: commands.map(([, deadlineMs]) => deadlineMs),
  };
}

/** The reply to a call at an instant of the server, with LATE for some of its commands. */
export function replyTo(
  call: { readonly argument: string },
  serverNowMs: number,
  isLate: (number: number) => boolean = () => false,
): readonly number[] {
  const { numbers } = carriedBy(call);
  return [serverNowMs, ...numbers.map((number) => (isLate(number) ? LATE_NUMBER : number))];
}
