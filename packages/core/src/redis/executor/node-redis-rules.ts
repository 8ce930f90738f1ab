import { is, isUnset, isWithin, type OptionRule } from "./option-rule";

const offlineQueue: OptionRule = {
  option: "disableOfflineQueue",
  recommended: "true",
  why: "calls wait for a connection and run long after their callers were answered",
  isGood: is(true),
};

const queueLength: OptionRule = {
  option: "commandsQueueMaxLength",
  recommended: "10000",
  why: "calls to a server that stands still pile up without a bound",
  isGood: isWithin(1, 100_000),
};

const timeout: OptionRule = {
  option: "commandOptions.timeout",
  recommended: "undefined, written out: version 6 takes 5000 where it is not (5: nothing)",
  why: "it costs a timer per call, two thirds of the throughput, and covers only unsent calls",
  isGood: (value, options) => {
    const { commandOptions } = options as { readonly commandOptions?: object | null };
    return value === undefined && !!commandOptions && "timeout" in commandOptions;
  },
};

const reconnect: OptionRule = {
  option: "socket.reconnectStrategy",
  recommended: "a function that never returns false or an Error",
  why: "a client that gives up connecting is closed for good",
  isGood: (value) => isUnset(value) || typeof value === "function" || typeof value === "number",
};

const idle: OptionRule = {
  option: "socket.socketTimeout",
  recommended: "unset, or with pingInterval below it",
  why: "it also closes a connection that is merely idle, after which the client is closed for good",
  isGood: isUnset,
};

const keyPrefix: OptionRule = {
  option: "keyPrefix",
  recommended: "unset; the store has a prefix of its own",
  why: "it changes the keys behind the store's back, and with braces in it their hash slots",
  isGood: (value) => isUnset(value) || value === "",
};

/** For what `createClient` returns. */
export const nodeRedisRules: readonly OptionRule[] = [
  offlineQueue,
  queueLength,
  timeout,
  reconnect,
  idle,
  keyPrefix,
];

/** For what `createCluster` returns, which does not show its options. */
export const nodeRedisClusterRules: readonly OptionRule[] = [
  { ...offlineQueue, option: "defaults.disableOfflineQueue" },
  { ...queueLength, option: "defaults.commandsQueueMaxLength" },
  timeout,
];

/** For what `createSentinel` returns, which does not show its options. */
export const nodeRedisSentinelRules: readonly OptionRule[] = [
  { ...offlineQueue, option: "nodeClientOptions.disableOfflineQueue" },
  { ...queueLength, option: "nodeClientOptions.commandsQueueMaxLength" },
  {
    option: "maxCommandRediscovers",
    recommended: "0",
    why: "after a lost connection a call is sent again and charges twice",
    isGood: is(0),
  },
  timeout,
];
