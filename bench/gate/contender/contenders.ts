import { Cockatiel } from "./cockatiel";
import { Floor } from "./floor";
import { PLimit } from "./p-limit";
import { SluiceAdaptive } from "./sluice-adaptive";
import { SluiceClasses } from "./sluice-classes";
import { SluiceFixed } from "./sluice-fixed";
import type { Subject } from "./subject";

const contenders = {
  "sluice, adaptive default": SluiceAdaptive,
  "sluice, fixed cap": SluiceFixed,
  "sluice, adaptive, classes": SluiceClasses,
  "cockatiel bulkhead": Cockatiel,
  "p-limit": PLimit,
  floor: Floor,
} as const satisfies Record<string, new () => Subject>;

export type ContenderName = keyof typeof contenders;

/** All of them, in the order of the table. */
export const contenderNames = Object.keys(contenders) as readonly ContenderName[];

/** A fresh gate of that name. */
export function prepare(name: ContenderName): Subject {
  return new contenders[name]();
}
