import type { AdmitCommand, LimitsTarget, PeekCommand, UndoCommand } from "../../engine/command";
import type { AdmitReply, CheckReply, PeekReply } from "../../engine/reply";
import { StoreError } from "../../error/store-error";
import type { Milliseconds } from "../../limit/limit";
import type { Random } from "../../random/random";
import type { Part } from "./parts-by-slot";
import { inOrder, perTarget } from "./parts-by-slot";

/** How the parts of a question are sent. */
export interface PartSender {
  admit(command: AdmitCommand, slot: number, expiresAtMs: Milliseconds): Promise<AdmitReply>;
  peek(command: PeekCommand, slot: number, expiresAtMs: Milliseconds): Promise<PeekReply>;
  /** Takes back what the operation charged, now or as soon as it can. Never throws. */
  undo(command: UndoCommand, slot: number): void;
}

/**
 * Judges a question whose descriptors live in several hash slots: part by part, in the order of the
 * question and slots last, each charged at once and undone by id when a later one refuses.
 *
 * Never over-admitted: every part is judged and charged atomically, and only what the operation is
 * on record to have charged is taken back. Meanwhile another caller may see a charge of a question
 * that ends up refused, and so may be refused itself for as long as the parts take. A process that
 * dies between two parts leaves what it had charged until its windows or leases end.
 *
 * @remarks The saga of the literature with tombstones (docs/decisions/0020); two-phase commit would
 * need two rounds for every admitted question.
 */
export class CrossSlotAdmit {
  readonly #random: Random;
  readonly #sender: PartSender;
  readonly #undoableForMs: Milliseconds;

  constructor(random: Random, sender: PartSender, undoableForMs: Milliseconds) {
    this.#random = random;
    this.#sender = sender;
    this.#undoableForMs = undoableForMs;
  }

  /** @throws StoreError by rejecting; what was charged until then is taken back. */
  async admit(
    command: AdmitCommand,
    parts: readonly Part<LimitsTarget>[],
    expiresAtMs: Milliseconds,
  ): Promise<AdmitReply> {
    const operationId = command.operationId === "" ? this.#random.id() : command.operationId;
    const undoable = { ...command, operationId, undoableForMs: this.#undoableForMs };
    const ordered = [...parts].sort((a, b) => Number(hasSlots(a)) - Number(hasSlots(b)));
    const charged: Part<LimitsTarget>[] = [];
    const replies: AdmitReply[] = [];
    for (const part of ordered) {
      let reply: AdmitReply;
      try {
        reply = await this.#sender.admit(
          { ...undoable, targets: part.targets },
          part.slot,
          expiresAtMs,
        );
      } catch (error) {
        const isCharged = !(error instanceof StoreError) || !error.isRetryable;
        this.#undo(undoable, isCharged ? [...charged, part] : charged);
        throw error;
      }
      if (!reply.admitted) {
        this.#undo(undoable, charged);
        return this.#refused(command, ordered, part, reply, expiresAtMs);
      }
      charged.push(part);
      replies.push(reply);
    }
    const checks = checksInOrder(ordered, replies);
    const replaced = replies.flatMap((reply) => reply.replaced ?? []);
    return replaced.length === 0
      ? { admitted: true, checks }
      : { admitted: true, checks, replaced };
  }

  /**
   * The parts that did not refuse are asked where they stand, now that nothing is charged. A part
   * that cannot be asked is unknown, and the refusal stands.
   */
  async #refused(
    { cost }: AdmitCommand,
    parts: readonly Part<LimitsTarget>[],
    refusing: Part<LimitsTarget>,
    refusal: AdmitReply,
    expiresAtMs: Milliseconds,
  ): Promise<AdmitReply> {
    const replies = await Promise.all(
      parts.map(async (part): Promise<{ readonly checks: readonly CheckReply[] }> => {
        if (part === refusing) return refusal;
        const { targets, slot } = part;
        try {
          return await this.#sender.peek({ type: "peek", cost, targets }, slot, expiresAtMs);
        } catch (error) {
          if (error instanceof StoreError) return { checks: unknownChecks(targets) };
          throw error;
        }
      }),
    );
    const checks = checksInOrder(parts, replies);
    const unknown = [...checks.keys()].filter((place) => checks[place] === UNKNOWN);
    return unknown.length === 0
      ? { admitted: false, checks }
      : { admitted: false, checks, unknown };
  }

  #undo({ operationId, serial }: AdmitCommand, parts: readonly Part<LimitsTarget>[]): void {
    const tombstoneMs = this.#undoableForMs;
    for (const { targets, slot } of parts) {
      this.#sender.undo({ type: "undo", operationId, serial, targets, tombstoneMs }, slot);
    }
  }
}

/** In the place of a check of which nothing is known. */
const UNKNOWN: CheckReply = Object.freeze({
  passes: true,
  used: 0,
  resetAfterMs: 0,
  retryAfterMs: undefined,
  chargedAt: undefined,
  serial: 0,
});

function unknownChecks(targets: readonly LimitsTarget[]): readonly CheckReply[] {
  return targets.flatMap(({ limits }) => limits.map(() => UNKNOWN));
}

function hasSlots({ targets }: Part<LimitsTarget>): boolean {
  return targets.some(({ limits }) => limits.some(({ kind }) => kind === "concurrency"));
}

/** The checks of all parts in the order of the question. */
export function checksInOrder(
  parts: readonly Part<LimitsTarget>[],
  replies: readonly { readonly checks: readonly CheckReply[] }[],
): readonly CheckReply[] {
  const ofTargets = parts.map(({ targets }, index) => {
    const { checks } = replies[index] as { readonly checks: readonly CheckReply[] };
    return perTarget(
      checks,
      targets.map(({ limits }) => limits.length),
    );
  });
  return inOrder(parts, ofTargets).flat();
}
