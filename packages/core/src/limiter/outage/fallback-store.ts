import type { Clock } from "../../clock/clock";
import type {
  AdmitCommand,
  LimitsTarget,
  PeekCommand,
  ReleaseCommand,
  RenewCommand,
  ResetCommand,
  SettleCommand,
  SlotsTarget,
  UndoCommand,
} from "../../engine/command";
import type {
  AdmitReply,
  CheckReply,
  DoneReply,
  PeekReply,
  RenewReply,
  UndoReply,
} from "../../engine/reply";
import { StoreError } from "../../error/store-error";
import { type Recorder, record } from "../../event/recorder";
import type { Random } from "../../random/random";
import type { Store } from "../../store/store";
import { isLocalSerial } from "../serials";
import { Adoptions } from "./adoptions";
import { Errands } from "./errands";
import { LastTold } from "./last-told";
import { LeaseErrands } from "./lease-errands";
import { Ledger } from "./ledger";
import { LocalDeputy } from "./local-deputy";
import { LocalLimits } from "./local-limits";
import { LocalSlots } from "./local-slots";
import { isOutage } from "./outage";
import { Reports } from "./reports";
import { slotsInSettlement, slotsInTargets } from "./slot-targets";
import { StoreTime } from "./store-time";

const done: DoneReply = { done: true };

/** What a {@link FallbackStore} needs. */
export interface FallbackContext {
  /** The store that is shared. It stays open when this one is closed. */
  readonly store: Store;
  readonly instances: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder | undefined;
  readonly nextSerial: () => number;
}

/**
 * A shared store, and memory of this process that answers in its place while it is away: with one
 * part in `instances` of each limit, from where the store was heard last. When the store is back it
 * is told what was admitted and which slots were taken and freed meanwhile.
 *
 * Every command is tried at the store first; nothing here remembers whether it is away.
 */
export class FallbackStore implements Store {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #recorder: Recorder | undefined;
  readonly #told = new LastTold();
  readonly #ledger: Ledger;
  readonly #deputy: LocalDeputy;
  readonly #slots: LocalSlots;
  readonly #leaseErrands: LeaseErrands;
  readonly #errands: Errands;

  constructor(context: FallbackContext) {
    const { store, clock, recorder } = context;
    this.#store = store;
    this.#clock = clock;
    this.#recorder = recorder;
    const ledger = new Ledger(recorder);
    this.#ledger = ledger;
    const limits = new LocalLimits(context.instances);
    const deputy = new LocalDeputy(limits, ledger, this.#told);
    this.#deputy = deputy;
    const adoptions = new Adoptions();
    const storeTime = new StoreTime();
    this.#slots = new LocalSlots(deputy, adoptions, storeTime, clock);
    this.#leaseErrands = new LeaseErrands({
      ...context,
      adoptions,
      storeTime,
      expiryMs: (lease) => deputy.leaseExpiryMs(lease, lease.operationId, clock.nowMs()),
      later: (errand) => this.#errands.add(errand),
    });
    const reports = new Reports({ ...context, ledger, limits, told: this.#told, storeTime });
    this.#errands = new Errands(clock, recorder, {
      get hasErrand() {
        return adoptions.size > 0 || ledger.hasUnreported;
      },
      probe: () => this.#probe(adoptions),
      // Slots first: what others take of them before cannot be taken back.
      nextErrand: () => this.#leaseErrands.adopt() ?? reports.next(),
      allDone: () => reports.tell(),
    });
  }

  /** Not an `async` function, which costs every verdict more. */
  admit(command: AdmitCommand): Promise<AdmitReply> {
    return this.#store.admit(command).then(
      (reply) => {
        if (command.operationId !== "") this.#slots.taken(command, reply);
        this.#heard(command.targets, reply);
        return reply;
      },
      (error: unknown) => {
        this.#failed(command, error);
        return this.#admitHere(command, error);
      },
    );
  }

  async peek(command: PeekCommand): Promise<PeekReply> {
    let reply: PeekReply;
    try {
      reply = await this.#store.peek(command);
    } catch (error) {
      this.#failed(command, error);
      return this.#deputy.peek(command, this.#clock.nowMs());
    }
    this.#heard(command.targets, reply);
    return reply;
  }

  /**
   * A charge that is held here is corrected here, and reported with the rest; that never fails. Any
   * other settlement is the store's.
   */
  async settle(command: SettleCommand): Promise<DoneReply> {
    const { operationId, targets } = command;
    const slots = slotsInSettlement(command);
    const mayBeThere = slots.length > 0 && this.#slots.free(operationId, slots);
    if (isStoresOwn(command)) {
      const reply = await this.#store.settle(command);
      this.#errands.storeAnswered();
      return reply;
    }
    this.#deputy.settle(targets, this.#clock.nowMs());
    if (mayBeThere) this.#freeLater(operationId, slots);
    this.#errands.expect();
    return done;
  }

  async release(command: ReleaseCommand): Promise<DoneReply> {
    if (!this.#slots.free(command.operationId, command.targets)) return done;
    const reply = await this.#store.release(command);
    this.#errands.storeAnswered();
    return reply;
  }

  async renew(command: RenewCommand): Promise<RenewReply> {
    let reply: RenewReply;
    try {
      reply = await this.#store.renew(command);
    } catch (error) {
      this.#failed(command, error);
      const kept = this.#slots.renewHere(command);
      this.#errands.expect();
      return kept;
    }
    this.#slots.renewed(command, reply);
    this.#errands.storeAnswered();
    return reply;
  }

  undo(command: UndoCommand): Promise<UndoReply> {
    return this.#store.undo(command);
  }

  /** Forgets in both places, or fails and forgets in neither. */
  async reset(command: ResetCommand): Promise<DoneReply> {
    const reply = await this.#store.reset(command);
    const nowMs = this.#clock.nowMs();
    for (const key of command.targets) {
      this.#told.forget(key);
      this.#ledger.reset(key, nowMs);
    }
    this.#errands.storeAnswered();
    return reply;
  }

  /** Reports what can be reported now, and then gives up its timer. */
  async close(): Promise<void> {
    await this.#errands.run();
    this.#errands.stop();
    await this.#store.close();
  }

  #admitHere(command: AdmitCommand, error: unknown): AdmitReply {
    const reply = this.#deputy.admit(command, this.#clock.nowMs());
    this.#errands.expect();
    if (command.operationId === "") return reply;
    const mayBeThere = !(error instanceof StoreError && error.isRetryable);
    if (reply.admitted) return this.#slots.takenHere(command, reply, mayBeThere);
    if (mayBeThere) this.#freeLater(command.operationId, slotsInTargets(command.targets));
    return reply;
  }

  /** @throws whatever no policy answers for. */
  #failed({ type }: { readonly type: string }, error: unknown): void {
    if (!isOutage(error)) throw error;
    record(this.#recorder, { type: "store_failed", operation: type, error });
  }

  /** Remembers what the store said. */
  #heard(
    targets: readonly LimitsTarget[],
    { checks, unknown }: Pick<AdmitReply, "checks" | "unknown">,
  ): void {
    const atMs = this.#clock.nowMs();
    let index = 0;
    for (const target of targets) {
      const ofTarget = this.#told.open(target);
      for (const limit of target.limits) {
        const place = index;
        index += 1;
        if (unknown?.includes(place) === true) continue;
        const check = checks[place] as CheckReply;
        const isSlots = limit.kind === "concurrency";
        const ownSlots = isSlots ? this.#deputy.ownSlots(target, limit, atMs) : 0;
        ofTarget.set(limit, check, { atMs, ownSlots });
      }
    }
    this.#ledger.sweep(atMs);
    this.#errands.storeAnswered();
  }

  /** Looks at something that is to be reported or adopted. */
  async #probe(adoptions: Adoptions): Promise<void> {
    const account = this.#ledger.firstUnreported;
    const [lease] = adoptions.next(1)[0] ?? [];
    const limit = account?.limits[0] ?? lease?.limit;
    const key = account?.limits[0] === undefined ? lease : account;
    if (limit === undefined || key === undefined) return;
    const { kind, id } = key;
    const targets = [{ kind, id, limits: [limit] }];
    await this.#store.peek({ type: "peek", cost: { [limit.unit]: 0 }, targets });
  }

  #freeLater(operationId: string, targets: readonly SlotsTarget[]): void {
    this.#errands.add(this.#leaseErrands.free({ type: "release", operationId, targets }));
    this.#errands.storeAnswered();
  }
}

/** Whether the store holds the charge, as far as anything was charged. */
function isStoresOwn({ targets }: SettleCommand): boolean {
  return !targets.some(({ corrections }) =>
    corrections.some(({ serial }) => isLocalSerial(serial)),
  );
}
