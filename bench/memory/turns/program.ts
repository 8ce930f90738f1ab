import { setTimeout as pause } from "node:timers/promises";
import { keyTexts } from "../../key/key-text";
import { readArgument, tellParent } from "../../process/answer-parent";
import { prepare } from "../contender/contenders";
import type { Subject } from "../contender/subject";
import type { TurnsOrder, TurnsResult } from "./order";
import { type TurnLengths, TurnMeter } from "./turn-meter";

const ASKS_PER_TURN = 200;
const NEVER_MS = 3_600_000;

/** From the last key on. The run ends then, with whatever keys are left. */
const EXPIRY_MS = 12_000;

async function fill(subject: Subject, { keys, texts }: TurnsOrder): Promise<TurnLengths> {
  const made = texts === "beforehand" ? textsByTurn(keys) : [];
  // What making the texts left behind is collected before the clock starts.
  await collect();
  let next = 0;
  return new TurnMeter().measure(async () => {
    const end = next + ASKS_PER_TURN;
    await subject.fill(made[next / ASKS_PER_TURN] ?? keyTexts(next, end));
    next = end;
    return next < keys ? "again" : "done";
  });
}

/**
 * An array for each turn: one of a million texts is read by the collector in one go, and would be
 * measured as a turn of 20 ms that no store has a part in.
 */
function textsByTurn(keys: number): string[][] {
  const turns = Array.from({ length: Math.ceil(keys / ASKS_PER_TURN) }, (_, turn) => turn);
  return turns.map((turn) => keyTexts(turn * ASKS_PER_TURN, (turn + 1) * ASKS_PER_TURN));
}

async function collect(): Promise<void> {
  globalThis.gc?.();
  await pause(100);
}

/** The loop is kept turning while the keys expire, so that whatever holds it up is seen. */
async function expire(subject: Subject): Promise<TurnsResult["expire"]> {
  const startMs = performance.now();
  const keysLeft = () => subject.size?.() ?? 0;
  const lengths = await new TurnMeter().measure(async () => {
    const isOver = keysLeft() === 0 || performance.now() - startMs > EXPIRY_MS;
    return isOver ? "done" : "again";
  });
  return { ...lengths, tookMs: performance.now() - startMs, keysLeft: keysLeft() };
}

async function warmUp({ contender }: TurnsOrder): Promise<void> {
  const setting = { limits: 1, windowMs: NEVER_MS };
  await prepare(contender, setting).fill(keyTexts(0, 20_000));
  await collect();
}

async function main(): Promise<void> {
  const order = readArgument<TurnsOrder>();
  const { contender, expireAfterMs } = order;
  await warmUp(order);
  const windowMs = expireAfterMs ?? NEVER_MS;
  const subject = prepare(contender, { limits: 1, windowMs });
  const filled = await fill(subject, order);
  const expired = expireAfterMs === undefined ? undefined : await expire(subject);
  const result: TurnsResult = { fill: filled, ...(expired && { expire: expired }) };
  tellParent(result);
}

await main();
