import {
  clientAddress,
  type DescriptorLimit,
  fixedWindow,
  limitBy,
  loginAttempts,
  type Policy,
  slidingWindow,
} from "@sluice/express";
import type { Request } from "express";
import { type Account, accountName, accountOfKey, type Plan } from "./accounts";

/** Made once: limits and windows of each plan. */
const limitsOfPlan: Readonly<Record<Plan, readonly DescriptorLimit[]>> = {
  free: [fixedWindow({ max: 3, windowMs: 60_000, name: "free" })],
  team: [slidingWindow({ max: 100, windowMs: 10_000, name: "team" })],
};

const client = clientAddress();

/** Requests without a known key are counted by address, and have little. */
const strangers = limitBy<Request>({
  kind: "client",
  id: client,
  limits: [fixedWindow({ max: 2, windowMs: 60_000, name: "strangers" })],
});

/** By account, with limits and windows of its plan. A large answer costs ten. */
export const byPlan: Policy<Request> = limitBy<Request>({
  kind: "account",
  id: (req) => accountOf(req)?.id,
  limits: (req) => limitsOfPlan[accountOf(req)?.plan ?? "free"],
  cost: (req) => ({ requests: req.query.size === "large" ? 10 : 1 }),
  otherwise: strangers,
});

/** Few tries of one client on one account; only those that fail are counted. */
export const logins: Policy<Request> = loginAttempts<Request>({
  client,
  account: (req) => accountName(req.body?.name),
  perPair: [fixedWindow({ max: 2, windowMs: 900_000, name: "tries" })],
});

function accountOf(req: Request): Account | undefined {
  return accountOfKey(req.get("x-api-key"));
}
