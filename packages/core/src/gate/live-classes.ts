import type { ClassesState } from "./class-settings";
import type { GateCounts, GateStats } from "./gate";
import { sumOfCounts } from "./gate-report";
import { type LiveClass, liveClasses } from "./live-class";

/** How many wait, in all and by class. */
interface Lengths {
  readonly length: number;
  lengthOf(queueName: string): number;
}

/** The classes of a running gate, and which of them a request is of. */
export class LiveClasses {
  /** At least one. */
  readonly all: readonly LiveClass[];
  /** Those that a caller can name; none in a gate without classes. */
  readonly byName: ReadonlyMap<string, LiveClass>;
  readonly #default: LiveClass;

  constructor(state: ClassesState, defaultClass: string | undefined) {
    this.all = liveClasses(state);
    this.byName = new Map(
      this.all.flatMap((each) => (each.name === undefined ? [] : [[each.name, each]])),
    );
    this.#default = this.byName.get(defaultClass ?? "") ?? (this.all[0] as LiveClass);
  }

  /** The class of that name, which is known to be one; the default class for no name. */
  of(name: string | undefined): LiveClass {
    return name === undefined ? this.#default : (this.byName.get(name) ?? this.#default);
  }

  /** Takes over changed settings. */
  apply({ classes }: ClassesState): void {
    for (const [name, { reserved, rank }] of classes)
      Object.assign(this.of(name), { reserved, rank });
  }

  stats(queue: Lengths): GateStats {
    const stats = countsOf(this.all, queue.length);
    if (this.byName.size === 0) return stats;
    const classes = this.all.map((each): [string, GateCounts] => {
      return [each.queueName, countsOf([each], queue.lengthOf(each.queueName))];
    });
    return { ...stats, classes: Object.fromEntries(classes) };
  }
}

function countsOf(classes: readonly LiveClass[], queued: number): GateCounts {
  const inFlight = classes.reduce((sum, each) => sum + each.inFlight, 0);
  return { inFlight, queued, ...sumOfCounts(classes.map(({ counts }) => counts)) };
}
