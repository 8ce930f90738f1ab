export type { AdaptiveLimit, LimitSample } from "./adaptive/adaptive-limit";
export type { AdaptiveLimitOptions } from "./adaptive/adaptive-limit-options";
export { type AimdOptions, aimd } from "./adaptive/aimd";
export { adaptiveLimit } from "./adaptive/create-adaptive-limit";
export { type GradientOptions, gradient } from "./adaptive/gradient";
export { type Gradient2Options, gradient2 } from "./adaptive/gradient2";
export type { AlgorithmReason, AlgorithmSample, LimitAlgorithm } from "./adaptive/limit-algorithm";
export type { LimitRangeOptions } from "./adaptive/limit-range";
export { type LoopStalls, type LoopStallsOptions, loopStalls } from "./adaptive/loop-stalls";
export { type VegasOptions, vegas } from "./adaptive/vegas";
export { type WindowSamplerOptions, windowSampler } from "./adaptive/window-sampler";
export type { CancelTimer, Clock, TimerOptions } from "./clock/clock";
export { systemClock } from "./clock/system-clock";
export type { Descriptor } from "./descriptor/descriptor";
export type * from "./engine/command";
export type * from "./engine/reply";
export { InvalidOptionsError, type OptionsProblem } from "./error/invalid-options-error";
export { PermitStateError } from "./error/permit-state-error";
export { RejectedError } from "./error/rejected-error";
export { StoreError, type StoreErrorCode, type StoreErrorDetails } from "./error/store-error";
export type * from "./event/adaptive-event";
export type * from "./event/event";
export type * from "./event/limiter-wait-event";
export type * from "./event/outbound-event";
export type { Recorder } from "./event/recorder";
export { createGate } from "./gate/create-gate";
export type {
  EnterOptions,
  Gate,
  GateCounts,
  GatePermit,
  GateRejected,
  GateSettings,
  GateStats,
  GateUpdate,
  GateVerdict,
} from "./gate/gate";
export type { GateClassOptions, GateClassSettings } from "./gate/gate-class";
export type { GateOptions } from "./gate/gate-options";
export { type ConcurrencyOptions, concurrency } from "./limit/concurrency";
export { type FixedWindowOptions, fixedWindow } from "./limit/fixed-window";
export type {
  ConcurrencyLimit,
  DescriptorLimit,
  FixedWindowLimit,
  Limit,
  LimitMode,
  Milliseconds,
  PriorityPoolLimit,
  SlidingLogLimit,
  SlidingWindowLimit,
  TokenBucketLimit,
  WhenSaturated,
  WindowAnchor,
} from "./limit/limit";
export type { CommonLimitOptions, UnitOption } from "./limit/limit-options";
export { type PoolShare, type PriorityPoolOptions, priorityPool } from "./limit/priority-pool";
export { SLIDING_LOG_MAX, type SlidingLogOptions, slidingLog } from "./limit/sliding-log";
export { type SlidingWindowOptions, slidingWindow } from "./limit/sliding-window";
export { type TokenBucketOptions, tokenBucket } from "./limit/token-bucket";
export { createLimiter } from "./limiter/create-limiter";
export type { Limiter, Peek } from "./limiter/limiter";
export type { LimiterOptions, StoreUnavailablePolicy } from "./limiter/limiter-options";
export type { LimiterPermit } from "./limiter/permit";
export type { Cost, Policy, Question } from "./limiter/question";
export type { WaitingOptions } from "./limiter/waiting/waiting-options";
export type { LimiterStats } from "./limiter/waiting/waiting-report";
export { Problems } from "./options/problems";
export { OptionsReader } from "./options/read";
export {
  type AdaptiveThrottle,
  adaptiveThrottle,
  type ThrottleStats,
} from "./outbound/adaptive-throttle";
export type {
  AdaptiveThrottleOptions,
  ThrottleSettings,
} from "./outbound/adaptive-throttle-options";
export { createUpstreams } from "./outbound/create-upstreams";
export type { FetchedResponse, FetchLike } from "./outbound/fetch/fetch-like";
export { type UpstreamFetchOptions, upstreamFetch } from "./outbound/fetch/upstream-fetch";
export type { OutboundPermit, OutboundVerdict } from "./outbound/outbound-permit";
export type { ReadableHeaders } from "./outbound/retry-after";
export {
  type RetryBudget,
  type RetryBudgetStats,
  type RetryOptions,
  retryBudget,
} from "./outbound/retry-budget";
export type { RetryBudgetOptions, RetryBudgetSettings } from "./outbound/retry-budget-options";
export type { CallCounts } from "./outbound/throttle-probability";
export type {
  Upstream,
  UpstreamEnterOptions,
  UpstreamPermit,
  UpstreamRefusal,
  UpstreamStats,
  Upstreams,
  UpstreamVerdict,
} from "./outbound/upstream";
export type { UpstreamKey } from "./outbound/upstream-key";
export type { ParentOptions, UpstreamsOptions } from "./outbound/upstreams-options";
export type { Random } from "./random/random";
export { systemRandom } from "./random/system-random";
export { EVICTION_SAMPLE } from "./store/memory/memory-entries";
export {
  type MemoryStore,
  type MemoryStoreOptions,
  memoryStore,
} from "./store/memory/memory-store";
export type { Store } from "./store/store";
export type { Outcome } from "./verdict/outcome";
export { reasonOrder } from "./verdict/reason";
export type {
  Admitted,
  LimitStatus,
  PoolStatus,
  Reason,
  Rejected,
  Rejection,
  Verdict,
  VerdictSource,
} from "./verdict/verdict";
