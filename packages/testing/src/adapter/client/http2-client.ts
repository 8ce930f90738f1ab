import http2, { constants } from "node:http2";
import { type AdapterClient, type Asking, type Exchange, fieldsOf } from "./answer";
import { ArrivingAnswer } from "./arriving-answer";

/** A client of HTTP/2 with one session. */
export class Http2Client implements AdapterClient {
  readonly #session: http2.ClientHttp2Session;

  constructor(port: number) {
    this.#session = http2.connect(`http://127.0.0.1:${port}`);
    this.#session.on("error", () => {});
  }

  open(path: string, asking: Asking = {}): Exchange {
    const { method = "GET", body, reads = true } = asking;
    const arriving = new ArrivingAnswer();
    const { head, answer } = arriving;
    const stream = this.#session.request(
      { ...fieldsOf(asking), ":path": path, ":method": method },
      { endStream: body === undefined },
    );
    const read = () => stream.on("data", (piece: Buffer) => arriving.add(piece));
    stream.on("response", (fields) => arriving.begin(Number(fields[":status"]), fields));
    // A stream that was reset ends, too; what follows tells. An upload may go on after the answer.
    stream.on("end", () => void (stream.writableEnded || arriving.end()));
    stream.on("error", (error) => arriving.break(error));
    stream.on("close", () => {
      if (stream.rstCode === 0) arriving.end();
      else arriving.break(new Error(`The stream was reset: ${stream.rstCode}`));
    });
    if (reads) read();
    if (body !== undefined && body !== null) stream.end(body);
    return {
      head,
      answer,
      receives: (text) => arriving.receives(text),
      send: (piece) => void stream.write(piece),
      finish: () => void stream.end(),
      read: () => void read(),
      leave: () => stream.close(constants.NGHTTP2_CANCEL),
    };
  }

  /** Whether the session can carry more requests. */
  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  close(): void {
    this.#session.destroy();
  }
}
