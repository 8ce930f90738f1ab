import {
  createLimiter,
  type Descriptor,
  type DescriptorLimit,
  type Limiter,
  type LimiterPermit,
  type Question,
  type Rejection,
  type SluiceEvent,
  type Store,
} from "@sluice/core";
import type { TestRunner } from "./runner";
import type { StoreSubject } from "./store-subject";

let trials = 0;

/** How often `eventually` looks, 10 ms apart. */
const LOOKS = 300;

/** One case on one kind of store: a limiter of its own, and subjects that nobody has met. */
export class StoreTrial {
  readonly expect: TestRunner["expect"];
  readonly store: Store;
  readonly limiter: Limiter;
  /** Everything that the limiter reported, oldest first. */
  readonly events: SluiceEvent[] = [];
  /** Whether time passes by `pass` only, and then exactly. */
  readonly isTimeExact: boolean;
  readonly #subject: StoreSubject;
  readonly #limiters: Limiter[] = [];
  readonly #name: string;
  #ids = 0;

  constructor(subject: StoreSubject, isTimeExact: boolean, expect: TestRunner["expect"]) {
    trials += 1;
    this.#name = `trial-${trials}`;
    this.#subject = subject;
    this.isTimeExact = isTimeExact;
    this.expect = expect;
    this.store = subject.openStore();
    this.limiter = this.openLimiter();
  }

  /** One more process on the same state. */
  openLimiter(): Limiter {
    const recorder = { record: (event: SluiceEvent) => void this.events.push(event) };
    const { clock, openStore } = this.#subject;
    // No policy answers in the store's place.
    const onStoreUnavailable = "reject";
    const limiter = createLimiter({ store: openStore(), clock, recorder, onStoreUnavailable });
    this.#limiters.push(limiter);
    return limiter;
  }

  /** An id that nobody has used. */
  freshId(): string {
    this.#ids += 1;
    return `${this.#name}-${this.#ids}`;
  }

  /** A subject with these limits; a new one if no id is given. */
  descriptor(
    limits: readonly DescriptorLimit[],
    id: Descriptor["id"] = this.freshId(),
  ): Descriptor {
    return { kind: "conformance", id, limits };
  }

  /** A question about one new subject. */
  question(limits: readonly DescriptorLimit[], cost: Question["cost"] = { requests: 1 }): Question {
    return { descriptors: [this.descriptor(limits)], cost };
  }

  pass(ms: number): Promise<void> {
    return this.#subject.pass(ms);
  }

  /** The permit of a question that has to be admitted. */
  async admit(question: Question): Promise<LimiterPermit> {
    const verdict = await this.limiter.admit(question);
    if (verdict.admitted) return verdict.permit;
    throw this.#error(`expected to be admitted, received ${JSON.stringify(verdict.rejection)}`);
  }

  /** The rejection of a question that must not be admitted. */
  async refuse(question: Question): Promise<Rejection> {
    const verdict = await this.limiter.admit(question);
    const isOfStore = verdict.admitted || verdict.rejection.reason !== "store_unavailable";
    if (isOfStore && !verdict.admitted) return verdict.rejection;
    throw this.#error(`expected a rejection, received ${JSON.stringify(verdict)}`);
  }

  /** What each limit of a question counts now. */
  async used(question: Question): Promise<readonly number[]> {
    const { statuses } = await this.limiter.peek({ descriptors: question.descriptors });
    return statuses.map(({ used }) => used);
  }

  /** What each limit counts, once it is so: what a store takes back may come a little later. */
  async expectUsed(question: Question, expected: readonly number[]): Promise<void> {
    for (let look = 1; look < LOOKS; look += 1) {
      if (String(await this.used(question)) === String(expected)) break;
      await this.pass(10);
    }
    this.expect(await this.used(question)).toEqual(expected);
  }

  async close(): Promise<void> {
    for (const limiter of this.#limiters) await limiter.close();
  }

  /** With what the store said, if it failed. */
  #error(message: string): Error {
    const failures = this.events.filter((event) => event.type === "store_failed");
    return new Error(message, { cause: failures.at(-1)?.error });
  }
}
