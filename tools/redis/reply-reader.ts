/** What a server answers, decoded; maps of RESP3 are lists of keys and values in turn. */
export type Reply = string | number | boolean | null | ReplyError | readonly Reply[];

/** An error of the server: `WRONGTYPE Operation against a key ...`. */
export class ReplyError extends Error {
  override readonly name = "ReplyError";
}

/** One message of a server. */
export interface Frame {
  /** As it came. */
  readonly bytes: Buffer;
  readonly value: Reply;
  /** True for what RESP3 sends without being asked. */
  readonly isPush: boolean;
}

interface Part {
  readonly value: Reply;
  /** Where the next part begins. */
  readonly end: number;
}

const CRLF = "\r\n";

/** How many parts each element of an aggregate has. */
const AGGREGATES: Readonly<Record<string, number>> = { "*": 1, "~": 1, ">": 1, "%": 2, "|": 2 };

/** Cuts what a server sends into messages, by the Redis protocol, versions 2 and 3. */
export class ReplyReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The messages that are complete now. @throws Error for what is not the Redis protocol. */
  push(chunk: Buffer): readonly Frame[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Frame[] = [];
    let start = 0;
    for (let part = partAt(bytes, 0); part !== undefined; part = partAt(bytes, start)) {
      const isPush = bytes.toString("latin1", start, start + 1) === ">";
      frames.push({ bytes: bytes.subarray(start, part.end), value: part.value, isPush });
      start = part.end;
    }
    this.#rest = bytes.subarray(start);
    return frames;
  }
}

function partAt(bytes: Buffer, start: number): Part | undefined {
  const lineEnd = bytes.indexOf(CRLF, start, "latin1");
  if (lineEnd === -1) return undefined;
  const type = bytes.toString("latin1", start, start + 1);
  const text = bytes.toString("utf8", start + 1, lineEnd);
  const end = lineEnd + CRLF.length;
  const parts = AGGREGATES[type];
  if (parts !== undefined) return aggregateAt(bytes, end, { type, count: Number(text) * parts });
  if (type === "$" || type === "=" || type === "!") return bulkAt(bytes, end, type, Number(text));
  return { value: simple(type, text), end };
}

function simple(type: string, text: string): Reply {
  if (type === "+" || type === "(") return text;
  if (type === ":" || type === ",") return Number(text);
  if (type === "-") return new ReplyError(text);
  if (type === "_") return null;
  if (type === "#") return text === "t";
  throw new Error(`expected a message of the Redis protocol, received ${JSON.stringify(type)}`);
}

function bulkAt(bytes: Buffer, start: number, type: string, length: number): Part | undefined {
  if (length < 0) return { value: null, end: start };
  const end = start + length + CRLF.length;
  if (bytes.length < end) return undefined;
  const text = bytes.toString("utf8", start, start + length);
  return { value: type === "!" ? new ReplyError(text) : text, end };
}

interface Aggregate {
  readonly type: string;
  /** Of parts that follow; negative for the null array of version 2. */
  readonly count: number;
}

function aggregateAt(bytes: Buffer, start: number, { type, count }: Aggregate): Part | undefined {
  if (count < 0) return { value: null, end: start };
  const values: Reply[] = [];
  let end = start;
  for (let index = 0; index < count; index += 1) {
    const part = partAt(bytes, end);
    if (part === undefined) return undefined;
    values.push(part.value);
    end = part.end;
  }
  // Attributes say something about the reply that follows them.
  return type === "|" ? partAt(bytes, end) : { value: values, end };
}
