import type { Milliseconds } from "@sluice/core";
import type { Expectation } from "../measure/expectation";
import type { Distribution } from "./distribution";
import type { Phase } from "./phase";

/** A rate that changes while a scenario runs. */
export interface RateStep {
  readonly atMs: Milliseconds;
  /** Requests per second from then on; 0 or more. */
  readonly perSecond: number;
}

/** What all requests of one source have in common. */
export interface SourceTraits {
  /** Under this name the source has rows of its own in the results. @defaultValue "requests" */
  readonly name?: string;
  /** The class that a gate is asked with. */
  readonly class?: string;
  /** The fairness key that a gate is asked with. */
  readonly fairnessKey?: string;
  /** How long its work takes, if not as the server says. Steps of the server do not change it. */
  readonly service?: Distribution;
}

/** Requests that come at random, independently of each other. */
export interface PoissonSource extends SourceTraits {
  readonly kind: "poisson";
  readonly perSecond: number;
  readonly steps?: readonly RateStep[];
}

/** Requests at equal distances. */
export interface EvenSource extends SourceTraits {
  readonly kind: "even";
  readonly perSecond: number;
  readonly steps?: readonly RateStep[];
}

/** `size` requests at one instant, once or again every `everyMs`. */
export interface BurstSource extends SourceTraits {
  readonly kind: "burst";
  readonly size: number;
  readonly atMs: Milliseconds;
  readonly everyMs?: Milliseconds;
}

/** Clients that each wait for their answer, think, and ask again. */
export interface ClosedLoopSource extends SourceTraits {
  readonly kind: "closed-loop";
  readonly clients: number;
  /** Between an answer (or refusal) and the next request of the same client. */
  readonly think: Distribution;
}

/** Where requests come from. */
export type Source = PoissonSource | EvenSource | BurstSource | ClosedLoopSource;

/** What changes at a server at one instant; what is not named stays. */
export interface ServerStep {
  readonly atMs: Milliseconds;
  /** Fewer slots than are busy: running work ends, nothing new starts until it fits. */
  readonly slots?: number;
  /** For work that starts from now on. */
  readonly service?: Distribution;
  readonly firstByte?: Distribution;
  /** While it hangs, running work stands still and nothing ends. */
  readonly isHanging?: boolean;
}

/** The thing that is protected: so many slots, and an unbounded queue before them. */
export interface ServerModel {
  readonly slots: number;
  /**
   * `fifo`: one piece of work per slot, in the order of arrival. `processor-sharing`: all work at
   * once, each at full speed up to `slots` pieces and at slots / pieces beyond.
   *
   * @defaultValue "fifo"
   */
  readonly discipline?: "fifo" | "processor-sharing";
  /** How long work takes; for a stream what follows its first byte. */
  readonly service: Distribution;
  /** For streams (`fifo` only): from the start of the work to its first byte. */
  readonly firstByte?: Distribution;
  readonly steps?: readonly ServerStep[];
  /**
   * What happens to work whose client has given up: it is done all the same (`finish`, "zombie
   * work"), it is passed over if it has not started (`skip`), or it also frees its slot (`cancel`).
   *
   * @defaultValue "finish"
   */
  readonly abandoned?: "finish" | "skip" | "cancel";
}

/** What clients do when they are refused or wait for long. */
export interface ClientModel {
  /** Patience for one attempt: to its end, for streams to its first byte. Absent: for ever. */
  readonly timeoutMs?: Milliseconds;
  readonly retries?: {
    /** Attempts after the first one; 1 or more. */
    readonly max: number;
    /** The wait before the first retry is even between these two. */
    readonly delayMinMs: Milliseconds;
    readonly delayMaxMs: Milliseconds;
    /** Each further wait is so many times as long. @defaultValue 1 */
    readonly backoff?: number;
    /** @defaultValue both */
    readonly after?: readonly ("rejected" | "timeout")[];
  };
}

/** A story of load and capacity, as plain data. `readScenario` checks it. */
export interface Scenario {
  /** Short; used in tables and on the command line. */
  readonly name: string;
  /** What it shows, in a sentence. */
  readonly title: string;
  /** Whole seconds. */
  readonly durationMs: Milliseconds;
  readonly sources: readonly Source[];
  readonly server: ServerModel;
  readonly client?: ClientModel;
  readonly phases: readonly Phase[];
  readonly expectations?: readonly Expectation[];
  /**
   * Whether a limit counts a request until its end or until its first byte. The sample ends at the
   * first byte whenever there is one, unless `sampledAt` says otherwise.
   *
   * @defaultValue "end"
   */
  readonly heldUntil?: "first-byte" | "end";
  /** @defaultValue "first-byte" for streams */
  readonly sampledAt?: "first-byte" | "end";
}
