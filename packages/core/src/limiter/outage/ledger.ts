import type { DescriptorKey } from "../../engine/command";
import { type Recorder, record } from "../../event/recorder";
import type { Milliseconds } from "../../limit/limit";
import { Account } from "./account";
import { keyText } from "./last-told";

/** Descriptors at most, each less than 1 kB: bounds the memory at about 50 MB. */
export const ACCOUNTS_MAX = 50_000;

/** Accounts looked at for each that may have been added, so that what is over goes. */
const SWEPT_AT_ONCE = 2;

/** Accounts with leases that are passed over in search of one that may be dropped. */
const LOOKED_AT_MAX = 16;

/**
 * The accounts of this process, at most {@link ACCOUNTS_MAX}: beyond that the oldest is dropped,
 * and an event says so if the store has not heard of its use yet.
 */
export class Ledger {
  readonly #recorder: Recorder | undefined;
  readonly #accounts = new Map<string, Account>();
  readonly #unreported = new Set<Account>();
  #walk: MapIterator<Account> | undefined;

  constructor(recorder: Recorder | undefined) {
    this.#recorder = recorder;
  }

  get size(): number {
    return this.#accounts.size;
  }

  /** Whether an account has use that the store may not know of. */
  get hasUnreported(): boolean {
    return this.#unreported.size > 0;
  }

  find(key: DescriptorKey): Account | undefined {
    return this.#accounts.get(keyText(key));
  }

  /** The account of a descriptor, opened if there is none. */
  open(key: DescriptorKey): Account {
    const text = keyText(key);
    const known = this.#accounts.get(text);
    if (known !== undefined) return known;
    if (this.#accounts.size >= ACCOUNTS_MAX) this.#dropOldest();
    const account = new Account(key);
    this.#accounts.set(text, account);
    return account;
  }

  /** Notes that an account has use that the store does not know of. */
  markUsed(account: Account): void {
    account.markUsed();
    this.#unreported.add(account);
  }

  /** An account with use to report, which stays there. */
  get firstUnreported(): Account | undefined {
    for (const account of this.#unreported) return account;
    return undefined;
  }

  /** Up to `count` accounts with use to report, which are not handed out again. */
  takeUnreported(count: number): Account[] {
    const taken: Account[] = [];
    for (const account of this.#unreported) {
      if (taken.length === count) break;
      this.#unreported.delete(account);
      taken.push(account);
    }
    return taken;
  }

  /** Takes back what was handed out, since its report has surely not arrived. */
  returnUnreported(account: Account): void {
    account.returnReport();
    this.#unreported.add(account);
  }

  /** Forgets the counters of a descriptor. */
  reset(key: DescriptorKey, nowMs: Milliseconds): void {
    const account = this.find(key);
    if (account === undefined) return;
    this.#unreported.delete(account);
    account.resetCounters(nowMs);
    this.closeIfOver(account, nowMs);
  }

  /** Drops an account in which nothing matters any more. */
  closeIfOver(account: Account, nowMs: Milliseconds): void {
    const key = keyText(account);
    if (!account.isOver(nowMs) || this.#accounts.get(key) !== account) return;
    this.#unreported.delete(account);
    this.#accounts.delete(key);
  }

  /** Drops a few accounts that are over, the next ones each time. */
  sweep(nowMs: Milliseconds): void {
    if (this.#accounts.size === 0) return;
    for (let swept = 0; swept < SWEPT_AT_ONCE; swept += 1) {
      this.#walk ??= this.#accounts.values();
      const { value, done } = this.#walk.next();
      if (done) {
        this.#walk = undefined;
        return;
      }
      this.closeIfOver(value, nowMs);
    }
  }

  /** Leases are not dropped: they are as many as this process has open permits, and no more. */
  #dropOldest(): void {
    let looked = 0;
    for (const [key, account] of this.#accounts) {
      this.#accounts.delete(key);
      if (!account.holdsLeases) {
        if (!this.#unreported.delete(account)) return;
        record(this.#recorder, { type: "local_use_dropped", key });
        return;
      }
      // To the end, so that the next search does not meet it again.
      this.#accounts.set(key, account);
      looked += 1;
      if (looked === LOOKED_AT_MAX) return;
    }
  }
}
