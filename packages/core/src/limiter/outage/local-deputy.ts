import { admit } from "../../engine/admit";
import { find } from "../../engine/chain";
import type {
  AdmitCommand,
  Correction,
  DescriptorKey,
  LimitsTarget,
  PeekCommand,
  RenewCommand,
  SettleTarget,
  SlotsTarget,
} from "../../engine/command";
import { chargeName } from "../../engine/operation-records";
import { peek } from "../../engine/peek";
import { release } from "../../engine/release";
import { renew } from "../../engine/renew";
import type {
  AdmitReply,
  CheckReply,
  PeekReply,
  RenewedLease,
  RenewReply,
} from "../../engine/reply";
import { hasLiveLease, leaseExpiryMs } from "../../engine/rules/concurrency";
import { rulesOf } from "../../engine/rules/rules-of";
import { settle } from "../../engine/settle";
import type { DescriptorState } from "../../engine/state";
import type { CheckLimit, ConcurrencyLimit, Milliseconds } from "../../limit/limit";
import { localSerial } from "../serials";
import type { Account } from "./account";
import type { LastTold, Told } from "./last-told";
import type { Ledger } from "./ledger";
import type { LocalLimits } from "./local-limits";

/** The targets of a command with the local parts of their limits, and their accounts. */
interface Local {
  readonly accounts: readonly Account[];
  readonly targets: readonly LimitsTarget[];
}

/**
 * Answers in place of the store: by the same transitions, on the accounts of this process, with its
 * part of each limit. Takes and gives expiries of leases in the time of this process.
 */
export class LocalDeputy {
  readonly #limits: LocalLimits;
  readonly #ledger: Ledger;
  readonly #told: LastTold;

  constructor(limits: LocalLimits, ledger: Ledger, told: LastTold) {
    this.#limits = limits;
    this.#ledger = ledger;
    this.#told = told;
  }

  /** Judges and charges here. The serials of its reply are local ones. */
  admit(command: AdmitCommand, nowMs: Milliseconds): AdmitReply {
    const local = this.#localOf(command.targets, nowMs);
    const { operationId, cost } = command;
    const serial = localSerial(command.serial);
    const { targets } = local;
    const own: AdmitCommand = { type: "admit", operationId, serial, cost, targets };
    const { states, reply } = admit(statesOf(local), own, nowMs);
    for (const [index, account] of local.accounts.entries()) {
      account.write(states[index] as DescriptorState);
      if (reply.admitted) this.#ledger.markUsed(account);
    }
    return { ...reply, checks: reply.checks.map(asLocal), localParts: partsIn(local) };
  }

  peek(command: PeekCommand, nowMs: Milliseconds): PeekReply {
    const local = this.#localOf(command.targets, nowMs);
    const { targets } = local;
    const { reply } = peek(statesOf(local), { type: "peek", cost: command.cost, targets }, nowMs);
    return { ...reply, localParts: partsIn(local) };
  }

  /** Corrects what was charged here; slots are freed by `free`. */
  settle(targets: readonly SettleTarget[], nowMs: Milliseconds): void {
    for (const target of targets) {
      const counters = target.corrections.filter(({ limit }) => limit.kind !== "concurrency");
      if (counters.length === 0) continue;
      const account = this.#ledger.open(target);
      const corrections = counters.map((each) => this.#localCorrection(account, each, nowMs));
      const { kind, id } = target;
      const own = [{ kind, id, corrections }];
      const serial = localSerial(nowMs);
      const command = { type: "settle", operationId: "", serial, targets: own } as const;
      account.write(settle([account.state], command, nowMs).states[0] as DescriptorState);
      this.#ledger.markUsed(account);
    }
  }

  /** Prolongs leases, or enters them; expired ones are lost. */
  renew(command: RenewCommand, nowMs: Milliseconds): RenewReply {
    const leases: RenewedLease[] = [];
    for (const target of command.targets) {
      const account = this.#ledger.open(target);
      const own: RenewCommand = { type: "renew", serial: command.serial, targets: [target] };
      const { states, reply } = renew([account.state], own, nowMs);
      account.write(states[0] as DescriptorState);
      leases.push(...reply.leases);
    }
    return { leases };
  }

  /** Frees slots; unknown ones change nothing. */
  free(operationId: string, targets: readonly SlotsTarget[], nowMs: Milliseconds): void {
    for (const target of targets) {
      const account = this.#ledger.find(target);
      if (account === undefined) continue;
      const command = { type: "release", operationId, targets: [target] } as const;
      account.write(release([account.state], command, nowMs).states[0] as DescriptorState);
      this.#ledger.closeIfOver(account, nowMs);
    }
  }

  /** How many live leases of a limit this process holds. */
  ownSlots(key: DescriptorKey, limit: ConcurrencyLimit, nowMs: Milliseconds): number {
    const account = this.#ledger.find(key);
    if (account === undefined) return 0;
    return rulesOf(limit).used(limit, find(account.state, limit, nowMs, 0), nowMs);
  }

  /** When a live lease ends; `undefined` if there is none. */
  leaseExpiryMs(
    lease: DescriptorKey & { readonly limit: ConcurrencyLimit },
    operationId: string,
    nowMs: Milliseconds,
  ): Milliseconds | undefined {
    const account = this.#ledger.find(lease);
    if (account === undefined) return undefined;
    const state = find(account.state, lease.limit, nowMs, 0);
    if (state === null || !hasLiveLease(state, operationId, nowMs)) return undefined;
    return leaseExpiryMs(state, operationId);
  }

  #localOf(targets: readonly LimitsTarget[], nowMs: Milliseconds): Local {
    const accounts = targets.map((target) => this.#ledger.open(target));
    const own = targets.map(({ kind, id, limits }, index): LimitsTarget => {
      const account = accounts[index] as Account;
      return { kind, id, limits: limits.map((limit) => this.#localLimit(account, limit, nowMs)) };
    });
    return { accounts, targets: own };
  }

  /** The local part of a limit, whose state is ready. */
  #localLimit(account: Account, limit: CheckLimit, nowMs: Milliseconds): CheckLimit {
    const told = this.#toldOf(account, limit);
    if (limit.kind === "concurrency") return this.#slotsLimit(limit, told, nowMs);
    account.prepare(limit, told, this.#limits, nowMs);
    return this.#limits.of(limit);
  }

  /**
   * Slots need no state that is made up: what is left of them lowers the local max, for as long as
   * the leases that the store told of can last.
   */
  #slotsLimit(limit: ConcurrencyLimit, told: Told | undefined, nowMs: Milliseconds): CheckLimit {
    const local = this.#limits.of(limit);
    if (told === undefined || told.atMs + told.resetAfterMs <= nowMs) return local;
    const left = this.#limits.share(Math.max(0, limit.max - told.used));
    const max = Math.min(local.max, told.ownSlots + left);
    return max === local.max ? local : { ...local, max };
  }

  #localCorrection(account: Account, correction: Correction, nowMs: Milliseconds): Correction {
    const { limit } = correction;
    account.prepare(limit, this.#toldOf(account, limit), this.#limits, nowMs);
    return { ...correction, limit: this.#limits.of(limit) };
  }

  #toldOf(key: DescriptorKey, limit: CheckLimit): Told | undefined {
    const told = this.#told.find(key, chargeName(limit));
    if (told === undefined || told.limit === limit) return told;
    const isSame = told.limit.kind === limit.kind && rulesOf(limit).isSameShape(limit, told.limit);
    return isSame ? told : undefined;
  }
}

function statesOf({ accounts }: Local): DescriptorState[] {
  return accounts.map(({ state }) => state);
}

function partsIn({ targets }: Local): readonly CheckLimit[] {
  return targets.flatMap(({ limits }) => limits);
}

/** A check that charged nothing has no serial, but what is charged to it later belongs here too. */
function asLocal(check: CheckReply): CheckReply {
  return { ...check, serial: localSerial(check.serial) };
}
