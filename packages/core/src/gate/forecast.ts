import type { LiveClass } from "./live-class";

/**
 * How long the `place`-th in the queue (from 1) waits, if what runs now goes on as it did; 0 as
 * long as nothing is known, so that a guess refuses nobody. Not an integer.
 *
 * In a gate without classes: place x mean hold / cap, since slots come free every mean / cap
 * milliseconds. With classes each class has its mean, and slots come free for class c at a rate of
 * the sum of in flight / mean, over its own slots and over those of others that are not kept for
 * them: calls of a minute must not make a class of short ones look hopeless.
 */
export function predictedWaitMs(
  place: number,
  cap: number,
  own: LiveClass,
  classes: readonly LiveClass[],
): number {
  if (classes.length === 1) return own.holdTime.predictedWaitMs({ place, cap });
  let startsPerMs = 0;
  for (const each of classes) {
    const { meanMs } = each.holdTime;
    const inReach = each === own ? each.inFlight : Math.max(0, each.inFlight - each.kept);
    if (inReach === 0) continue;
    if (meanMs === undefined || meanMs === 0) return 0;
    startsPerMs += inReach / meanMs;
  }
  return startsPerMs === 0 ? 0 : place / startsPerMs;
}
