import { MeasuredProcess } from "../process/measured-process";
import { type Headline, headlineTable } from "../report/headline";
import { decimal, ratio } from "../report/number-text";
import { pairedRatio } from "../report/paired-ratio";
import { spreadOf } from "../report/spread";
import { type Column, tableHead, tableRow } from "../report/table";
import { type ContenderName, contenderNames } from "./contender/contenders";
import type { GateOrder, GateQuestion, Growth } from "./order";

const ROUNDS = 45;
const LONG_RUN = 10_000_000;
const OURS = "sluice, adaptive default";

/** What memory may wander between two collections; a leak of one byte per request is 9 MB. */
const STEADY_BYTES = 1_000_000;

/** Nanoseconds per request of each contender: equal places were measured in turn. */
type Rounds = ReadonlyMap<ContenderName, readonly number[]>;
type Processes = ReadonlyMap<ContenderName, MeasuredProcess>;

/** What letting a request in and out of a gate costs, and whether that grows. */
export async function runGate(): Promise<void> {
  const processes: Processes = new Map(
    contenderNames.map((contender) => {
      const order: GateOrder = { contender };
      return [contender, new MeasuredProcess("gate", order)];
    }),
  );
  try {
    for (const process of processes.values()) await process.answer();
    const rounds = await measureRounds(processes);
    console.log(gateTable(rounds));
    const growth = await ask<Growth>(processes, OURS, LONG_RUN);
    console.log(headlineTable([...speedHeadlines(rounds), ...growthHeadlines(growth)]));
  } finally {
    for (const process of processes.values()) await process.stop();
  }
}

function ask<T>(processes: Processes, name: ContenderName, question: GateQuestion): Promise<T> {
  return (processes.get(name) as MeasuredProcess).answer<T>(question);
}

/** A round runs all of them, one after the other; the next round begins with another one. */
async function measureRounds(processes: Processes): Promise<Rounds> {
  const rounds = new Map(contenderNames.map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < contenderNames.length; turn += 1) {
      const name = contenderNames[(round + turn) % contenderNames.length] as ContenderName;
      rounds.get(name)?.push(await ask<number>(processes, name, "round"));
    }
  }
  return rounds;
}

const columns: readonly Column[] = [
  { heading: "  gate", width: 28, side: "left" },
  { heading: "ns/request", width: 10, side: "right" },
  { heading: "quartiles", width: 15, side: "right" },
  { heading: "of floor", width: 9, side: "right" },
  { heading: "of ours", width: 9, side: "right" },
  { heading: "quartiles", width: 13, side: "right" },
];

function gateTable(rounds: Rounds): string {
  const rows = [...rounds].map(([name, ns]) => {
    const { lowerQuartile, median, upperQuartile } = spreadOf(ns);
    const ofUs = pairedRatio(rounds, OURS, name);
    return tableRow(columns, [
      `  ${name}`,
      decimal(median),
      `${decimal(lowerQuartile)}..${decimal(upperQuartile)}`,
      ratio(pairedRatio(rounds, "floor", name).median),
      ratio(ofUs.median),
      `${ratio(ofUs.lowerQuartile)}..${ratio(ofUs.upperQuartile)}`,
    ]);
  });
  const title = `let in and out again, awaited, one at a time (${ROUNDS} rounds)`;
  return [title, tableHead(columns), ...rows, ""].join("\n");
}

function speedHeadlines(rounds: Rounds): Headline[] {
  return [OURS, "sluice, adaptive, classes"].map((name) => {
    const { median, lowerQuartile, upperQuartile } = spreadOf(
      rounds.get(name as ContenderName) as readonly number[],
    );
    const measured = `${decimal(median)} ns (${decimal(lowerQuartile)}..${decimal(upperQuartile)})`;
    return { what: `enter + end: ${name}`, measured, target: "<= 2 000 ns", isMet: median <= 2000 };
  });
}

function growthHeadlines({ firstNs, lastNs, firstBytes, lastBytes }: Growth): Headline[] {
  const bytes = lastBytes - firstBytes;
  return [
    {
      what: "time per request: last of 10 million beside first million",
      measured: `${ratio(lastNs / firstNs)} (${decimal(firstNs)}, ${decimal(lastNs)} ns)`,
      target: "<= 1.2x",
      isMet: lastNs <= 1.2 * firstNs,
    },
    {
      what: "memory after 10 million requests beside one million",
      measured: `${bytes < 0 ? "" : "+"}${decimal(bytes / 1000)} kB`,
      target: "<= 1 000 kB",
      isMet: bytes <= STEADY_BYTES,
    },
  ];
}
