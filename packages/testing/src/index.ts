export type {
  AdapterBehaviour,
  AnswerBehaviour,
  RedirectBehaviour,
  RejectBehaviour,
  StreamBehaviour,
  TakeBehaviour,
  ThrowBehaviour,
} from "./adapter/adapter-behaviour";
export type {
  AdapterEnd,
  AdapterMount,
  AdapterProtocol,
  AdapterRequest,
  AdapterScenario,
  GateMount,
  LimitsMount,
  MountPath,
  SeenRequest,
} from "./adapter/adapter-scenario";
export {
  type AdapterCapability,
  type AdapterUnderTest,
  adapterCapabilities,
  type RunningAdapter,
} from "./adapter/adapter-under-test";
export { describeAdapterConformance } from "./adapter/conformance";
export type { ConformanceRunner } from "./adapter/runner";
export { bodyLength, runningAdapter } from "./adapter/running-adapter";
export {
  type ArrivalShape,
  type ArrivalStep,
  anyArrivals,
  chosen,
} from "./arbitraries/any-arrivals";
export {
  anyDescriptor,
  anyDescriptors,
  anyKind,
  type DescriptorShape,
} from "./arbitraries/any-descriptor";
export { anyId, anyIdText, anyTwoIds, nastyIds } from "./arbitraries/any-id";
export {
  anyConcurrency,
  anyFixedWindow,
  anyLimit,
  anyLimits,
  anySlidingLog,
  anySlidingWindow,
  anyTokenBucket,
} from "./arbitraries/any-limit";
export { anyPriorityPool, type PoolShape, poolClasses } from "./arbitraries/any-priority-pool";
export { anyCost, anyQuestion, type CostShape } from "./arbitraries/any-question";
export type { LimitShape } from "./arbitraries/limit-shape";
export { FakeClock, type FakeClockOptions, realisticStartMs } from "./clock/fake-clock";
export { seededRandom } from "./random/seeded-random";
export type { VisitEnd } from "./simulation/client/traffic";
export { fixedLimit } from "./simulation/door/fixed-limit";
export type { SimulatedRequest } from "./simulation/door/limiter-door";
export type { Expectation } from "./simulation/measure/expectation";
export { type Judgement, judge } from "./simulation/measure/judgement";
export { Measurements, type SecondRow } from "./simulation/measure/measurements";
export type { PhaseMeasure, PhaseSummary } from "./simulation/measure/phase-summary";
export { overloadScenarios } from "./simulation/published/published-scenarios";
export type { AttemptEnd, RunOptions, SimulatedWorld } from "./simulation/run/prepare-run";
export {
  type RunGateOptions,
  type RunLimiterOptions,
  runGateScenario,
  runLimiterScenario,
} from "./simulation/run/run-async";
export { type RunLimitOptions, runScenario } from "./simulation/run/run-scenario";
export type { Distribution } from "./simulation/scenario/distribution";
export type { Phase } from "./simulation/scenario/phase";
export { readScenario } from "./simulation/scenario/read-scenario";
export type {
  BurstSource,
  ClientModel,
  ClosedLoopSource,
  EvenSource,
  PoissonSource,
  RateStep,
  Scenario,
  ServerModel,
  ServerStep,
  Source,
  SourceTraits,
} from "./simulation/scenario/scenario";
export { chartSvg } from "./simulation/show/chart-svg";
export { numberText, percentText } from "./simulation/show/number-text";
export { summaryText } from "./simulation/show/summary-text";
