/**
 * How a request ended: answered (`success`), given up because of load, such as a time-out or an
 * overloaded upstream (`dropped`), or in a way that says nothing about load (`ignored`).
 */
export type Outcome = "success" | "dropped" | "ignored";
