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
export { anyCost, anyQuestion, type CostShape } from "./arbitraries/any-question";
export type { LimitShape } from "./arbitraries/limit-shape";
export { FakeClock, type FakeClockOptions, realisticStartMs } from "./clock/fake-clock";
export { seededRandom } from "./random/seeded-random";
