import type { Headline } from "../report/headline";
import { ratio } from "../report/number-text";
import { pairedRatio } from "../report/paired-ratio";
import { spreadOf } from "../report/spread";
import { IN_FLIGHT_OF_TARGETS, type PartName } from "./cells";
import { type Library, libraries } from "./client/open-client";
import type { Rounds } from "./comparison";
import { nameOf } from "./contender/contenders";
import { measuresOf, ofBothProcesses, onTheWall } from "./redis-table";

interface Target {
  readonly what: string;
  readonly part: PartName;
  readonly inFlight: number;
  /** How many times as fast as rate-limiter-flexible. */
  readonly atLeast: Readonly<Record<Library, number>>;
}

const targets: readonly Target[] = [
  {
    what: "1 limit, 64 in flight, beside consume",
    part: "one-limit",
    inFlight: IN_FLIGHT_OF_TARGETS,
    atLeast: { ioredis: 1.2, redis: 2 },
  },
  {
    what: "3 limits, 64 in flight, beside three consumes",
    part: "three-limits",
    inFlight: IN_FLIGHT_OF_TARGETS,
    atLeast: { ioredis: 2, redis: 2 },
  },
  {
    what: "one hot key, 64 in flight, beside consume",
    part: "hot-key",
    inFlight: IN_FLIGHT_OF_TARGETS,
    atLeast: { ioredis: 5, redis: 5 },
  },
  {
    what: "1 limit, 1 in flight, beside consume",
    part: "one-limit",
    inFlight: 1,
    atLeast: { ioredis: 0.9, redis: 0.9 },
  },
];

/** Where the targets are lower, this is the aim. */
const AIM = 3;

/** The most microseconds of the server that a verdict of one limit may take. */
const COMMAND_US_MAX = 15;

/** What was measured in a cell; nothing if it was left out. */
export type RoundsOf = (part: PartName, inFlight: number) => Rounds | undefined;

/** The targets, each by the median of the paired ratios to rate-limiter-flexible. */
export function redisHeadlines(roundsOf: RoundsOf): Headline[] {
  const speeds = targets.flatMap((target) =>
    libraries.flatMap((library) => speedHeadline(target, library, roundsOf)),
  );
  return [...speeds, ...libraries.flatMap((library) => commandHeadline(library, roundsOf))];
}

function speedHeadline(
  { what, part, inFlight, atLeast }: Target,
  library: Library,
  roundsOf: RoundsOf,
): Headline[] {
  const rounds = roundsOf(part, inFlight);
  if (rounds === undefined) return [];
  const ours = nameOf({ subject: "sluice", library });
  const theirs = nameOf({ subject: "rate-limiter-flexible", library });
  const wall = pairedRatio(measuresOf(rounds, onTheWall), ours, theirs);
  const processors = pairedRatio(measuresOf(rounds, ofBothProcesses), ours, theirs);
  const spread = `${ratio(wall.lowerQuartile)}..${ratio(wall.upperQuartile)}`;
  return [
    {
      what: `${what}, ${library}`,
      measured: `${ratio(wall.median)} (${spread}), CPU ${ratio(processors.median)}`,
      target: `>= ${atLeast[library]}x${atLeast[library] < AIM ? ` (aim ${AIM}x)` : ""}`,
      isMet: wall.median >= atLeast[library],
    },
  ];
}

function commandHeadline(library: Library, roundsOf: RoundsOf): Headline[] {
  const rounds = roundsOf("one-limit", IN_FLIGHT_OF_TARGETS);
  const ours = rounds?.get(nameOf({ subject: "sluice", library }));
  if (ours === undefined) return [];
  const { median, lowerQuartile, upperQuartile } = spreadOf(ours.map(({ commandUs }) => commandUs));
  return [
    {
      what: `server time per verdict, 1 limit, 64 in flight, ${library}`,
      measured:
        `${median.toFixed(1)} us ` + `(${lowerQuartile.toFixed(1)}..${upperQuartile.toFixed(1)})`,
      target: `<= ${COMMAND_US_MAX} us`,
      isMet: median <= COMMAND_US_MAX,
    },
  ];
}
