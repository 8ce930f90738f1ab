import type { FakeClock } from "@sluice/testing";
import type { AdmitCommand, PeekCommand, UndoCommand } from "../../../src/engine/command";
import type { AdmitReply, PeekReply, UndoReply } from "../../../src/engine/reply";
import { StoreError } from "../../../src/error/store-error";
import type { PartSender } from "../../../src/redis/cluster/cross-slot-admit";
import { UndoRetries } from "../../../src/redis/cluster/undo-retries";
import type { EngineServer } from "./engine-server";

/** What becomes of one message: how long each way takes, `Infinity` where it gets lost. */
export interface Fate {
  readonly thereMs: number;
  readonly backMs: number;
  /** Whether it is refused at once, surely without having been executed. */
  readonly isRefused: boolean;
}

const GOOD: Fate = { thereMs: 1, backMs: 1, isRefused: false };

const TIMEOUT_MS = 100;

/** What a network does to the messages of each kind, one after the other; then all is well. */
export interface Fates {
  readonly admit: readonly Fate[];
  readonly undo: readonly Fate[];
  readonly peek: readonly Fate[];
}

/** Brings the parts of questions to a server, or does not. */
export class LossyNetwork implements PartSender {
  readonly #clock: FakeClock;
  readonly #server: EngineServer;
  readonly #fates: { admit: Fate[]; undo: Fate[]; peek: Fate[] };
  readonly #undos: UndoRetries;
  /** How many messages the process sends before it dies. */
  #lifetime: number;
  #isDead = false;

  constructor(clock: FakeClock, server: EngineServer, fates: Fates, lifetime = Infinity) {
    this.#clock = clock;
    this.#server = server;
    this.#fates = { admit: [...fates.admit], undo: [...fates.undo], peek: [...fates.peek] };
    this.#lifetime = lifetime;
    this.#undos = new UndoRetries(clock, (command) => this.#undo(command));
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  admit(command: AdmitCommand, _slot: number, expiresAtMs: number): Promise<AdmitReply> {
    return this.#send("admit", expiresAtMs, (nowMs) => this.#server.admit(command, nowMs));
  }

  peek(command: PeekCommand, _slot: number, expiresAtMs: number): Promise<PeekReply> {
    return this.#send("peek", expiresAtMs, (nowMs) => this.#server.peek(command, nowMs));
  }

  undo(command: UndoCommand, slot: number): void {
    this.#undos.undo(command, slot);
  }

  #undo(command: UndoCommand): Promise<UndoReply> {
    const expiresAtMs = this.#clock.nowMs() + TIMEOUT_MS;
    return this.#send("undo", expiresAtMs, (nowMs) => this.#server.undo(command, nowMs));
  }

  #send<R>(operation: keyof Fates, expiresAtMs: number, run: (nowMs: number) => R): Promise<R> {
    const clock = this.#clock;
    this.#lifetime -= 1;
    this.#isDead ||= this.#lifetime < 0;
    if (this.#isDead) return new Promise<R>(() => {});
    const { thereMs, backMs, isRefused } = this.#fates[operation].shift() ?? GOOD;
    if (isRefused) return Promise.reject(failure(operation, "SLUICE_STORE_REFUSED", true));
    return new Promise<R>((resolve, reject) => {
      clock.after(Math.max(0, expiresAtMs - clock.nowMs()), () =>
        reject(failure(operation, "SLUICE_STORE_TIMEOUT", false)),
      );
      clock.after(thereMs, () => {
        const reply = run(clock.nowMs());
        clock.after(backMs, () => resolve(reply));
      });
    });
  }
}

function failure(
  operation: string,
  code: "SLUICE_STORE_REFUSED" | "SLUICE_STORE_TIMEOUT",
  isRetryable: boolean,
): StoreError {
  return new StoreError("As the test says", { code, operation, isRetryable });
}
