import type { DescriptorKey } from "../../engine/command";
import type { KeyTexts } from "../key/key-texts";

/** The targets of a command whose keys lie in one hash slot, and their places in the command. */
export interface Part<T extends DescriptorKey> {
  readonly slot: number;
  readonly targets: readonly T[];
  readonly places: readonly number[];
}

/** The targets of a command by hash slot, in the order in which slots first occur. */
export function partsBySlot<T extends DescriptorKey>(
  targets: readonly T[],
  texts: KeyTexts,
): readonly Part<T>[] {
  const parts = new Map<number, { slot: number; targets: T[]; places: number[] }>();
  for (const [place, target] of targets.entries()) {
    const slot = texts.slot(target);
    const part = parts.get(slot) ?? { slot, targets: [], places: [] };
    parts.set(slot, part);
    part.targets.push(target);
    part.places.push(place);
  }
  return [...parts.values()];
}

/** Puts back in the order of a command what was answered part by part, one item per target. */
export function inOrder<Item>(
  parts: readonly Part<DescriptorKey>[],
  answers: readonly (readonly Item[])[],
): Item[] {
  const all: Item[] = [];
  for (const [index, { places }] of parts.entries()) {
    for (const [at, place] of places.entries()) {
      all[place] = (answers[index] as readonly Item[])[at] as Item;
    }
  }
  return all;
}

/** The items of a flat list as one list per target, `counts` saying how many each has. */
export function perTarget<Item>(items: readonly Item[], counts: readonly number[]): Item[][] {
  let first = 0;
  return counts.map((count) => {
    first += count;
    return items.slice(first - count, first);
  });
}
