import type { SluiceEvent } from "@sluice/core";

/** One event of a type. */
export type EventOf<T extends SluiceEvent["type"]> = Extract<SluiceEvent, { type: T }>;

/** What counts the events of some types. `limiter`: the name of the limiter that reports. */
export type Handlers<T extends SluiceEvent["type"]> = {
  readonly [K in T]: (event: EventOf<K>, limiter: string) => void;
};

/** The value of a label where there is nothing to name: no class, no reason. */
export const NONE = "none";
