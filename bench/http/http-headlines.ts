import type { Headline } from "../report/headline";
import { ratio } from "../report/number-text";
import { type Spread, spreadOf } from "../report/spread";
import type { HttpRound, HttpRounds } from "./measure-http";
import { type Framework, peerOf, type Stack } from "./server-name";

const SHARE_OF_BARE = 0.9;

/** The stack of ours that is compared with one of the peer's. */
export const counterparts: ReadonlyMap<Stack, Stack> = new Map([
  ["1 limit, no headers", "peer, no headers"],
  ["1 limit, headers", "peer, headers"],
  ["rejected", "peer, rejected"],
]);

/** The figures of a framework that have a target. */
export function httpHeadlines(framework: Framework, rounds: HttpRounds): readonly Headline[] {
  const peer = peerOf[framework];
  return peer === undefined ? [ofBare(rounds)] : besidePeer(framework, peer, rounds);
}

function ofBare(rounds: HttpRounds): Headline {
  const share = perSecondBeside(rounds, "gate + 1 limit, no headers", "bare");
  return {
    what: "node: requests/s with gate and 1 limit, no headers, of bare",
    measured: percentText(share),
    target: `>= ${percent(SHARE_OF_BARE)}`,
    isMet: share.median >= SHARE_OF_BARE,
  };
}

function besidePeer(framework: Framework, peer: string, rounds: HttpRounds): readonly Headline[] {
  const admitted = perSecondBeside(rounds, "1 limit, headers", "peer, headers");
  const rejected = perSecondBeside(rounds, "rejected", "peer, rejected");
  const ofPeer = addedUs(rounds, "peer, headers");
  const added = addedUs(rounds, "1 limit, headers") / ofPeer;
  // A peer that seems to take time off the bare server was lost in the noise.
  const isMeasured = ofPeer > 0;
  const beside = (what: string, spread: Spread): Headline => ({
    what: `${framework}: requests/s, ${what}, beside ${peer}`,
    measured: percentText(spread),
    target: `>= ${percent(1)}`,
    isMet: spread.median >= 1,
  });
  return [
    beside("1 limit, headers", admitted),
    beside("rejected", rejected),
    {
      what: `${framework}: time added by 1 limit, headers, beside ${peer}`,
      measured: isMeasured ? ratio(added) : "lost in the noise",
      target: `<= ${ratio(1)} (aim ${ratio(0.5)})`,
      isMet: isMeasured && added <= 1,
    },
  ];
}

/** Requests per second as a share of another server's in the same round. */
export function perSecondBeside(rounds: HttpRounds, stack: Stack, other: Stack): Spread {
  return paired(rounds, stack, other, (own, others) => {
    return own.requestsPerSecond / others.requestsPerSecond;
  });
}

/** Processor time per request beyond that of the bare server, in microseconds. */
export function addedUs(rounds: HttpRounds, stack: Stack): number {
  return paired(rounds, stack, "bare", (own, bare) => {
    return own.serverUsPerRequest - bare.serverUsPerRequest;
  }).median;
}

function paired(
  rounds: HttpRounds,
  stack: Stack,
  other: Stack,
  compare: (own: HttpRound, others: HttpRound) => number,
): Spread {
  const own = rounds.get(stack) as readonly HttpRound[];
  const others = rounds.get(other) as readonly HttpRound[];
  return spreadOf(own.map((round, place) => compare(round, others[place] as HttpRound)));
}

function percentText({ median, lowerQuartile, upperQuartile }: Spread): string {
  return `${percent(median)} (${percent(lowerQuartile)}..${percent(upperQuartile)})`;
}

/** `92.5 %`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
