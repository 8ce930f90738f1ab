export { FakeClock, type FakeClockOptions, realisticStartMs } from "./clock/fake-clock";
