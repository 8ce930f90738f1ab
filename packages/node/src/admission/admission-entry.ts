import type { Gate, GateVerdict, Outcome, Verdict } from "@sluice/core";
import { isHttp2, type NodeRequest, type NodeResponse } from "../message";
import type { AdmissionEvent } from "./admission-event";
import type { AdmissionLogConfig } from "./admission-log-options";
import { writtenFacts } from "./facts";
import { gateFields, type Judged, limitsFields } from "./judged";
import { sizeBucketOf } from "./size-bucket";

type EntryConfig = Omit<AdmissionLogConfig<never>, "describe">;

/** How a response has ended. */
interface Over {
  readonly isComplete: boolean;
  readonly outcome: Outcome;
}

/**
 * The way of one request past one gate or one set of limits. It becomes an event when both are
 * known: what was answered, and how the response ended. Who leaves while he waits is over first.
 * Nothing here throws.
 */
export class AdmissionEntry {
  readonly #config: EntryConfig;
  readonly #describe: () => unknown;
  readonly #req: NodeRequest;
  readonly #res: NodeResponse;
  readonly #bytesBefore: number | undefined;
  readonly #begunAtMs: number;
  #judged: Judged | undefined;
  #judgedAtMs = 0;
  #firstByteMs: number | undefined;
  #over: Over | undefined;

  constructor(config: EntryConfig, describe: () => unknown, req: NodeRequest, res: NodeResponse) {
    this.#config = config;
    this.#describe = describe;
    this.#req = req;
    this.#res = res;
    this.#bytesBefore = bytesWritten(res);
    this.#begunAtMs = config.clock.nowMs();
  }

  /** A gate has answered. */
  gateAnswered(verdict: GateVerdict, gate: Gate): void {
    this.#take(() => gateFields(verdict, gate, this.#judgedAtMs - this.#begunAtMs));
  }

  /** Limits have answered. */
  limitsAnswered(verdict: Verdict<unknown>): void {
    this.#take(() => limitsFields(verdict, this.#config.allowed));
  }

  /** The first byte of the answer was sent, and counts as the end of a sample. */
  firstByte(): void {
    this.#firstByteMs ??= this.#config.clock.nowMs() - this.#judgedAtMs;
  }

  /** The response has ended. */
  over(isComplete: boolean, outcome: Outcome): void {
    this.#over ??= { isComplete, outcome };
    this.#writeIfKnown();
  }

  #take(judge: () => Judged): void {
    if (this.#judged !== undefined) return;
    this.#judgedAtMs = this.#config.clock.nowMs();
    try {
      this.#judged = judge();
    } catch {
      // A gate of somebody's own making that shows no numbers: there is nothing to write.
      return;
    }
    this.#writeIfKnown();
  }

  #writeIfKnown(): void {
    if (this.#judged === undefined || this.#over === undefined) return;
    const { sink } = this.#config;
    try {
      const returned = sink(this.#event(this.#judged, this.#over));
      (returned as PromiseLike<unknown> | undefined)?.then?.(undefined, () => {});
    } catch {
      // A log that fails must not fail requests.
    }
  }

  #event(judged: Judged, { isComplete, outcome }: Over): AdmissionEvent {
    const { controllerVersion, clock, allowed } = this.#config;
    const heldMs = clock.nowMs() - this.#judgedAtMs;
    const isRefused = judged.decision === "rejected";
    const event = {
      version: 1,
      controllerVersion,
      timestampMs: this.#judgedAtMs,
      ...judged,
      outcome: isRefused ? undefined : outcome,
      httpStatus: this.#res.headersSent ? this.#res.statusCode : undefined,
      complete: isComplete,
      heldMs,
      ...this.#sample(judged, outcome, heldMs),
      requestSize: sizeBucketOf(lengthIn(this.#req.headers["content-length"])),
      responseSize: sizeBucketOf(this.#responseBytes()),
      ...writtenFacts(this.#facts(), allowed),
    };
    return withoutAbsent(event) as unknown as AdmissionEvent;
  }

  /** What counts as a sample for the gate: to the first byte, or to the end. */
  #sample(judged: Judged, outcome: Outcome, heldMs: number): Partial<AdmissionEvent> {
    if (judged.mechanism !== "gate" || judged.decision === "rejected") return {};
    const { baselineMs } = this.#config.adaptiveLimit ?? {};
    const baseline = baselineMs === undefined ? {} : { baselineMs };
    if (this.#firstByteMs !== undefined && outcome !== "dropped") {
      return { sampleMs: this.#firstByteMs, sampleBoundary: "first_byte", ...baseline };
    }
    if (outcome === "ignored") return baseline;
    return { sampleMs: heldMs, sampleBoundary: "end", ...baseline };
  }

  #facts(): unknown {
    try {
      return this.#describe();
    } catch {
      return undefined;
    }
  }

  #responseBytes(): number | undefined {
    const before = this.#bytesBefore;
    const after = bytesWritten(this.#res);
    return before === undefined || after === undefined ? undefined : after - before;
  }
}

/** What was written to the connection so far. HTTP/2 shares one among many; there it is unknown. */
function bytesWritten(res: NodeResponse): number | undefined {
  if (isHttp2(res)) return undefined;
  const { bytesWritten: bytes } = res.req.socket;
  return typeof bytes === "number" ? bytes : undefined;
}

function lengthIn(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

function withoutAbsent(event: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined));
}
