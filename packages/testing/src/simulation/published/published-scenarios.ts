import type { Scenario } from "../scenario/scenario";
import {
  capacityHalved,
  coldStart,
  honestSlowdown,
  latencyStep,
  modestOverload,
  steadyLoad,
} from "./capacity-scenarios";
import { allTimeOuts, retryStorm, sparseTraffic } from "./failure-scenarios";
import {
  longerStreams,
  longerStreamsMixed,
  longerStreamsOpen,
  lostSlots,
} from "./stream-scenarios";

/**
 * Stories of overload that adaptive limits are measured by: steps of latency and capacity, long
 * overload, honest slowdowns, cold starts, retry storms, hangs, calm days, sparse traffic, streams.
 */
export const overloadScenarios: readonly Scenario[] = [
  latencyStep,
  capacityHalved,
  modestOverload,
  honestSlowdown,
  coldStart,
  retryStorm,
  allTimeOuts,
  steadyLoad,
  sparseTraffic,
  longerStreams,
  lostSlots,
  longerStreamsOpen,
  longerStreamsMixed,
];
