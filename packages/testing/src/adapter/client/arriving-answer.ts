import type { IncomingHttpHeaders } from "node:http";
import { until } from "../world/until";
import type { Answer, AnswerHead } from "./answer";

/** An answer that arrives in pieces, or breaks. */
export class ArrivingAnswer {
  readonly #whole = deferred<Answer>();
  readonly #begun = deferred<AnswerHead>();
  readonly #pieces: Buffer[] = [];
  #head: AnswerHead | undefined;

  get head(): Promise<AnswerHead> {
    return this.#begun.promise;
  }

  get answer(): Promise<Answer> {
    return this.#whole.promise;
  }

  begin(status: number, headers: IncomingHttpHeaders): void {
    this.#head = { status, headers };
    this.#begun.resolve(this.#head);
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece);
  }

  end(): void {
    if (this.#head === undefined) this.break(new Error("The answer has no head."));
    else this.#whole.resolve({ ...this.#head, body: this.#text });
  }

  /** Does nothing to what has come whole. */
  break(error: Error): void {
    this.#begun.reject(error);
    this.#whole.reject(error);
  }

  receives(text: string): Promise<void> {
    return until(`the client receives ${text}`, () => this.#text.includes(text));
  }

  get #text(): string {
    return Buffer.concat(this.#pieces).toString("utf8");
  }
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((give, refuse) => {
    resolve = give;
    reject = refuse;
  });
  // A case that lets its client leave does not look at what became of the answer.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
