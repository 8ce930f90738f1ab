/** The frameworks whose servers are measured. */
export const frameworks = ["node", "express", "koa", "fastify"] as const;

export type Framework = (typeof frameworks)[number];

/** What stands before the handler. All handlers of a framework are the same. */
export type Stack =
  | "bare"
  | "reads the key"
  | "gate"
  | "1 limit, no headers"
  | "1 limit, headers"
  | "gate + 1 limit, no headers"
  | "gate + 3 limits, no headers"
  | "gate + 3 limits, headers"
  | "rejected"
  | "peer, no headers"
  | "peer, headers"
  | "peer, rejected";

/** One server: a framework and what stands before its handler. */
export interface ServerName {
  readonly framework: Framework;
  readonly stack: Stack;
}

/** What a stack of ours is made of. */
export interface Ingredients {
  readonly hasGate: boolean;
  readonly limits: 0 | 1 | 3;
  readonly hasHeaders: boolean;
  readonly isRejected: boolean;
}

const plain: Ingredients = { hasGate: false, limits: 0, hasHeaders: false, isRejected: false };

const ingredients: { readonly [Name in Stack]?: Ingredients } = {
  gate: { ...plain, hasGate: true },
  "1 limit, no headers": { ...plain, limits: 1 },
  "1 limit, headers": { ...plain, limits: 1, hasHeaders: true },
  "gate + 1 limit, no headers": { ...plain, hasGate: true, limits: 1 },
  "gate + 3 limits, no headers": { ...plain, hasGate: true, limits: 3 },
  "gate + 3 limits, headers": { ...plain, hasGate: true, limits: 3, hasHeaders: true },
  rejected: { ...plain, limits: 1, hasHeaders: true, isRejected: true },
};

/** Undefined for stacks that are not ours. */
export function ingredientsOf(stack: Stack): Ingredients | undefined {
  return ingredients[stack];
}

/** Whether every request is refused, once each caller has had its first. */
export function isRejecting(stack: Stack): boolean {
  return stack === "rejected" || stack === "peer, rejected";
}

const everywhere: readonly Stack[] = [
  "bare",
  "1 limit, no headers",
  "1 limit, headers",
  "gate + 1 limit, no headers",
  "gate + 3 limits, no headers",
  "gate + 3 limits, headers",
  "rejected",
];

const withoutPeer: readonly Stack[] = ["reads the key", "gate"];

const ofPeer: readonly Stack[] = ["peer, no headers", "peer, headers", "peer, rejected"];

/** The stacks that are compared with each other, the bare one first. */
export function stacksOf(framework: Framework): readonly Stack[] {
  return [...everywhere, ...(framework === "node" ? withoutPeer : ofPeer)];
}

/** What most users of a framework limit with. */
export const peerOf: Readonly<Record<Framework, string | undefined>> = {
  node: undefined,
  express: "express-rate-limit",
  koa: "koa-ratelimit",
  fastify: "@fastify/rate-limit",
};
