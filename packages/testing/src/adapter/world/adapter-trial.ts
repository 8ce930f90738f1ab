import assert from "node:assert/strict";
import {
  createGate,
  createLimiter,
  type Gate,
  type GateOptions,
  type Limiter,
  type LimiterOptions,
  type Question,
} from "@sluice/core";
import { FakeClock, realisticStartMs } from "../../clock/fake-clock";
import type { AdapterBehaviour } from "../adapter-behaviour";
import type {
  AdapterMount,
  AdapterProtocol,
  AdapterRequest,
  GateMount,
  LimitsMount,
  SeenRequest,
} from "../adapter-scenario";
import type { AdapterUnderTest, RunningAdapter } from "../adapter-under-test";
import type { AdapterClient, Answer, Asking, Exchange } from "../client/answer";
import { Http1Client } from "../client/http1-client";
import { Http2Client } from "../client/http2-client";
import { type RawClient, rawClient } from "../client/raw-client";
import { Held } from "./held";
import { Journal } from "./journal";
import { ProcessWatch } from "./process-watch";
import { until, within } from "./until";

/** What handlers do, by the last part of the path. */
export type Behaviours = Readonly<Record<string, (seen: SeenRequest) => AdapterBehaviour>>;

type Asked = Question | ((req: AdapterRequest) => Question | null | Promise<Question | null>);

/** One case on one adapter: a server, clients, and gates and limiters of its own. */
export class AdapterTrial {
  readonly protocol: AdapterProtocol;
  readonly clock = new FakeClock({ startMs: realisticStartMs });
  readonly journal = new Journal();
  readonly held = new Held();
  /** The errors that the adapter, or the framework, was told of. */
  readonly heard: unknown[] = [];
  /** Requests that have reached a handler. */
  readonly seen: SeenRequest[] = [];
  readonly #adapter: AdapterUnderTest;
  readonly #watch = new ProcessWatch();
  readonly #gates: Gate[] = [];
  readonly #limiters: Limiter[] = [];
  readonly #clients: AdapterClient[] = [];
  readonly #rawClients: RawClient[] = [];
  #running: RunningAdapter | undefined;
  #client: AdapterClient | undefined;

  constructor(adapter: AdapterUnderTest, protocol: AdapterProtocol) {
    this.#adapter = adapter;
    this.protocol = protocol;
  }

  gate(options: GateOptions): Gate {
    const { clock, journal: recorder } = this;
    const gate = createGate({ clock, recorder, ...options });
    this.#gates.push(gate);
    return gate;
  }

  limiter(options: LimiterOptions = {}): Limiter {
    const { clock, journal: recorder } = this;
    const limiter = createLimiter({ clock, recorder, ...options });
    this.#limiters.push(limiter);
    return limiter;
  }

  /** A gate with these options in front of everything. */
  gateMount(
    gate: GateOptions | Gate,
    options: GateMount["options"] = {},
    { at = "/", times = 1 }: Partial<Pick<GateMount, "at" | "times">> = {},
  ): GateMount {
    return { kind: "gate", gate: "enter" in gate ? gate : this.gate(gate), options, at, times };
  }

  /** Limits that ask this question of every request, on a limiter of their own unless given. */
  limitsMount(
    asked: Asked,
    options: Partial<LimitsMount["options"]> = {},
    { at = "/", times = 1, limiter = this.limiter() }: Partial<Omit<LimitsMount, "kind">> = {},
  ): LimitsMount {
    const policy = typeof asked === "function" ? asked : () => asked;
    return { kind: "limits", limiter, options: { policy, ...options }, at, times };
  }

  /** Starts the server. Paths are `/do/<name>`; `ok` and `held` are always there. */
  async serve(mounts: readonly AdapterMount[], behaviours: Behaviours = {}): Promise<void> {
    const behave = (seen: SeenRequest): AdapterBehaviour => {
      this.seen.push(seen);
      const [path = ""] = seen.url.split("?");
      const name = path.slice(path.lastIndexOf("/") + 1);
      if (name === "held") return this.held.hold();
      return behaviours[name]?.(seen) ?? ok;
    };
    const heard = (error: unknown) => void this.heard.push(error);
    const { protocol } = this;
    this.#running = await this.#adapter.start({ protocol, mounts, behave, heard });
    this.#client = this.newClient();
  }

  get running(): RunningAdapter {
    assert.ok(this.#running, "a case calls serve first");
    return this.#running;
  }

  /** A client of the protocol under test, with connections of its own. */
  newClient(): AdapterClient {
    const { port } = this.running;
    return this.#keep(this.protocol === "http1" ? new Http1Client(port) : new Http2Client(port));
  }

  /** A client of HTTP/1.1 that has one connection only. */
  newSingleConnection(): Http1Client {
    return this.#keep(new Http1Client(this.running.port, { connections: 1 }));
  }

  async newRawClient(): Promise<RawClient> {
    const client = await rawClient(this.running.port);
    this.#rawClients.push(client);
    return client;
  }

  open(path: string, asking?: Asking): Exchange {
    assert.ok(this.#client, "a case calls serve first");
    return this.#client.open(path, asking);
  }

  ask(path: string, asking?: Asking): Promise<Answer> {
    const answer = within(`the answer to ${path}`, this.open(path, asking).answer);
    // A case that has failed does not look at what became of the others.
    answer.catch(() => {});
    return answer;
  }

  /** The statuses of the answers to as many requests, asked one after the other. */
  async statuses(count: number, path = "/do/ok", asking?: Asking): Promise<readonly number[]> {
    const statuses: number[] = [];
    for (let i = 0; i < count; i += 1) statuses.push((await this.ask(path, asking)).status);
    return statuses;
  }

  /**
   * What was told of errors that came too late to be answered: to the error handling of the
   * framework, or where it has none for them in warnings of the process.
   */
  takeLateErrors(): readonly unknown[] {
    return [...this.heard.splice(0), ...this.#watch.takeWarnings()];
  }

  until(what: string, holds: () => boolean): Promise<void> {
    return until(what, holds);
  }

  /** Waits until every permit is back and nobody waits. */
  untilIdle(): Promise<void> {
    return until("every permit is back", () => this.#isIdle());
  }

  /** What each limit of a question counts when every permit is back. */
  async used(limiter: Limiter, { descriptors }: Question): Promise<readonly number[]> {
    await this.untilIdle();
    const { statuses } = await limiter.peek({ descriptors });
    return statuses.map(({ used }) => used);
  }

  /** Ends everything; fails if a permit was lost or given back twice, or the process noticed. */
  async finish(): Promise<void> {
    try {
      this.#leave();
      await within("the server to close", this.running.close());
      await this.untilIdle();
      this.journal.assertEven();
    } finally {
      for (const limiter of this.#limiters) await limiter.close();
      assert.deepEqual(await this.#watch.stop(), []);
    }
  }

  /** Ends everything without another look, when the case has failed already. */
  async abandon(): Promise<void> {
    this.#leave();
    void this.#running?.close();
    for (const limiter of this.#limiters) await limiter.close();
    await this.#watch.stop();
  }

  #leave(): void {
    this.held.release();
    for (const client of this.#clients) client.close();
    for (const { socket } of this.#rawClients) socket.destroy();
  }

  #isIdle(): boolean {
    const isEmpty = (gate: Gate) => gate.stats().inFlight + gate.stats().queued === 0;
    return this.journal.isEven && this.#gates.every(isEmpty);
  }

  #keep<C extends AdapterClient>(client: C): C {
    this.#clients.push(client);
    return client;
  }
}

const ok: AdapterBehaviour = { does: "answer", status: 200, headers: {}, body: "ok" };
