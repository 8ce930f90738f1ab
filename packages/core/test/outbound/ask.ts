import type {
  SluiceEvent,
  Upstream,
  UpstreamEnterOptions,
  UpstreamPermit,
  UpstreamsOptions,
} from "@sluice/core";
import { createUpstreams } from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";

/** Upstreams on a clock that a test moves, and what they have reported. */
export function upstreamsOn(options: Partial<UpstreamsOptions> = {}) {
  const clock = new FakeClock();
  const events: SluiceEvent[] = [];
  const recorder = { record: (event: SluiceEvent) => void events.push(event) };
  const ports = { clock, random: seededRandom(1), recorder };
  const upstreams = createUpstreams({ maxInFlight: 10, ...ports, ...options });
  return { clock, events, upstreams };
}

/** The permit of a call that has to be let through. */
export async function passOf(
  to: Upstream,
  options?: UpstreamEnterOptions,
): Promise<UpstreamPermit> {
  const verdict = await to.enter(options);
  if (verdict.admitted) return verdict.permit;
  throw new Error(`expected to pass, received ${JSON.stringify(verdict.rejection)}`);
}

/** The reason and the wait of a call that has to be refused. */
export async function refusalOf(to: Upstream, options?: UpstreamEnterOptions) {
  const verdict = await to.enter(options);
  if (verdict.admitted) throw new Error("expected a refusal");
  return verdict.rejection;
}

/** The reason of a refusal, or `admitted`. */
export async function reasonOf(to: Upstream, options?: UpstreamEnterOptions): Promise<string> {
  const verdict = await to.enter(options);
  return verdict.admitted ? "admitted" : verdict.rejection.reason;
}
