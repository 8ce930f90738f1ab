import type { ClassRule } from "../queue/class-queues";
import type { Reason } from "../verdict/verdict";
import type { ClassesState } from "./class-settings";
import type { GateClassSettings } from "./gate-class";
import { HoldTime } from "./hold-time";
import type { SlotClass } from "./slots";

/** What has become of the requests of one class. */
export interface ClassCounts {
  admitted: number;
  rejected: number;
  readonly rejectedByReason: Map<Reason, number>;
  shadowRejected: number;
}

/** One class while its gate runs. A gate without classes has one, without a name. */
export interface LiveClass extends SlotClass {
  /** What events call it; `undefined` in a gate without classes. */
  readonly name: string | undefined;
  /** Its name in the queue. */
  readonly queueName: string;
  rank: number;
  readonly holdTime: HoldTime;
  readonly counts: ClassCounts;
}

const plain: GateClassSettings = { weight: 1, reserved: 0, rank: 0 };

/** The classes of a new gate, at least one. */
export function liveClasses({ classes }: ClassesState): readonly LiveClass[] {
  if (classes.size === 0) return [liveClass(undefined, plain)];
  return [...classes].map(([name, settings]) => liveClass(name, settings));
}

function liveClass(name: string | undefined, { reserved, rank }: GateClassSettings): LiveClass {
  return {
    name,
    queueName: name ?? "",
    reserved,
    rank,
    kept: 0,
    inFlight: 0,
    holdTime: new HoldTime(),
    counts: { admitted: 0, rejected: 0, rejectedByReason: new Map(), shadowRejected: 0 },
  };
}

/** How the classes stand in the queue: by weight if somebody gave one, otherwise by rank. */
export function classRules(state: ClassesState): readonly ClassRule[] {
  if (state.classes.size === 0) return [{ name: "", weight: 1, rank: 0, tier: 0 }];
  return [...state.classes].map(([name, { weight, rank }]) => ({
    name,
    weight,
    rank,
    tier: state.areWeighted ? 0 : rank,
  }));
}
