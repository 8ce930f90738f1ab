export { FakeClock, type FakeClockOptions, realisticStartMs } from "./clock/fake-clock";
export { seededRandom } from "./random/seeded-random";
