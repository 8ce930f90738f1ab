import { is, isUnset, isWithin, type OptionRule } from "./option-rule";

const HALF_OPEN = "a server that stops answering is noticed by nothing else";

/** For every connection of ioredis; on a cluster they stand in `redisOptions`. */
const connectionRules: readonly OptionRule[] = [
  {
    option: "commandTimeout",
    recommended: "1000",
    why:
      "without one, calls to a server that stands still stay pending for ever; a short one takes " +
      "a stall of this process for an outage",
    isGood: isWithin(500, 5_000),
  },
  {
    option: "socketTimeout",
    recommended: "1000",
    why: HALF_OPEN,
    isGood: isWithin(1, 5_000),
  },
  {
    option: "keepAlive",
    recommended: "more than 0: 5000",
    why: "an idle connection that the network has dropped is noticed only by the next call",
    isGood: isWithin(1, Number.MAX_SAFE_INTEGER),
  },
];

const keyPrefix: OptionRule = {
  option: "keyPrefix",
  recommended: "unset; the store has a prefix of its own",
  why: "it changes the keys behind the store's back, and with braces in it their hash slots",
  isGood: (value) => isUnset(value) || value === "",
};

const offlineQueue: OptionRule = {
  option: "enableOfflineQueue",
  recommended: "false",
  why: "calls wait for a connection and run long after their callers were answered",
  isGood: is(false),
};

const autoPipelining: OptionRule = {
  option: "enableAutoPipelining",
  recommended: "false",
  why: "it adds a turn of the event loop to calls that the store has bundled already",
  isGood: (value) => value !== true,
};

/** For a `Redis` of ioredis. */
export const ioredisRules: readonly OptionRule[] = [
  offlineQueue,
  {
    option: "maxRetriesPerRequest",
    recommended: "0",
    why: "after a lost connection a call is sent again and charges twice; 1 does not prevent that",
    isGood: is(0),
  },
  {
    option: "autoResendUnfulfilledCommands",
    recommended: "true, its default, with maxRetriesPerRequest 0",
    why: "with false, up to version 6.0.0, calls under way when a connection breaks never settle",
    isGood: (value) => value !== false,
  },
  ...connectionRules,
  autoPipelining,
  keyPrefix,
];

/** More, for a `Redis` of ioredis behind Sentinel. */
export const ioredisSentinelRules: readonly OptionRule[] = [
  {
    option: "failoverDetector",
    recommended: "true",
    why: "after a fail-over the old master is used for seconds more, and what it counts is lost",
    isGood: is(true),
  },
];

/** More, for a `Redis` of ioredis with one fixed server. */
export const ioredisFixedRules: readonly OptionRule[] = [
  {
    option: "reconnectOnError",
    recommended: "unset where the server is always the same",
    why: "a server that was made a replica is reconnected to for ever, and calls stay pending",
    isGood: isUnset,
  },
];

/** For a `Cluster` of ioredis. */
export const ioredisClusterRules: readonly OptionRule[] = [
  offlineQueue,
  {
    option: "retryDelayOnFailover",
    recommended: "0",
    why: "after a lost connection a call is sent again, to another node, and may charge twice",
    isGood: is(0),
  },
  {
    option: "slotsRefreshInterval",
    recommended: "2000",
    why: "with retryDelayOnFailover 0 a lost node alone does not make it look for the new master",
    isGood: isWithin(1, 10_000),
  },
  {
    option: "scaleReads",
    recommended: '"master", its default',
    why: "replicas lag behind",
    isGood: (value) => isUnset(value) || value === "master",
  },
  ...connectionRules.map((rule) => ({ ...rule, option: `redisOptions.${rule.option}` })),
  autoPipelining,
  { ...keyPrefix, option: "redisOptions.keyPrefix" },
];
