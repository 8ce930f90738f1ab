import { judge, type Measurements, overloadScenarios, type Scenario } from "@sluice/testing";
import { runsOf } from "./accept";
import { type LimitFactory, limits } from "./limits";
import { markdownTable } from "./markdown-table";
import { expectationText, measureText, valueText } from "./measure-words";
import { reference, referenceNames } from "./reference";

/** What goes into the table. */
export interface TableOptions {
  readonly seeds: number;
  /** Hears what is being run. */
  readonly onProgress: (what: string) => void;
}

/** All runs of one scenario, by the name of the limit. */
type RunsByLimit = ReadonlyMap<string, readonly Measurements[]>;

/** Runs every scenario under every limit. @returns the page, and whether ours is accepted. */
export function adaptiveTable(options: TableOptions): { text: string; isAccepted: boolean } {
  const sections: string[] = [];
  const verdicts: (readonly string[])[] = [];
  const comparisons: (readonly string[])[] = [];
  const judged: string[] = [];
  let isAccepted = true;
  for (const scenario of overloadScenarios) {
    const runs = allRuns(scenario, options);
    sections.push(section(scenario, runs));
    comparisons.push(...compared(scenario, runs));
    if ((scenario.expectations ?? []).length === 0) continue;
    const met = [...runs.values()].map(isMet);
    verdicts.push(met.map((each) => (each ? "yes" : "**no**")));
    judged.push(scenario.name);
    isAccepted &&= met[0] === true;
  }
  const names = Object.keys(limits);
  const overview = markdownTable([
    ["limit", ...judged],
    ...names.map((name, index) => [name, ...verdicts.map((each) => each[index] ?? "")]),
  ]);
  const check = markdownTable([["scenario", "measure", ...referenceNames], ...comparisons]);
  const text = [introduction(options.seeds), overview, ...sections, comparisonText, check];
  return { text: `${text.join("\n\n")}\n`, isAccepted };
}

function allRuns(scenario: Scenario, { seeds, onProgress }: TableOptions): RunsByLimit {
  const entries = Object.entries(limits).map(([name, limit]: [string, LimitFactory]) => {
    onProgress(`${scenario.name} ${name}`);
    return [name, runsOf(scenario, limit, seeds)] as const;
  });
  return new Map(entries);
}

function isMet(runs: readonly Measurements[]): boolean {
  return judge(runs).every((judgement) => judgement.isMet);
}

/** One scenario: a row per limit, a column per expectation. */
function section(scenario: Scenario, runs: RunsByLimit): string {
  const { name, title, expectations = [], phases } = scenario;
  const heading = `## ${name}\n\n${title}.`;
  if (expectations.length === 0) {
    const columns = phases.map((phase) => measureText(phase.name, "rejectedShare"));
    const rows = [...runs].map(([limit, each]) => [
      limit,
      ...phases.map((phase) => meanText(each, phase.name, "rejectedShare")),
    ]);
    return `${heading}\n\n${markdownTable([["limit", ...columns], ...rows])}`;
  }
  const rows = [...runs].map(([limit, each]) => {
    const judgements = judge(each);
    const cells = judgements.map(({ expectation, measured, isMet: isOk }) => {
      const text = valueText(expectation.measure, measured);
      return isOk ? text : `**${text}**`;
    });
    const verdict = judgements.every((judgement) => judgement.isMet) ? "yes" : "**no**";
    return [limit, ...cells, verdict];
  });
  const columns = ["limit", ...expectations.map(expectationText), "accepted"];
  return `${heading}\n\n${markdownTable([columns, ...rows])}`;
}

/** Rows of the other simulator's numbers beside those of the bare algorithms here. */
function compared(scenario: Scenario, runs: RunsByLimit): readonly (readonly string[])[] {
  return reference
    .filter((row) => row.scenario === scenario.name)
    .map(({ phase, measure, values }) => [
      scenario.name,
      measureText(phase, measure),
      ...referenceNames.map((name) => {
        const theirs = values[name];
        if (theirs === undefined) return "";
        const here = meanText(runs.get(`${name}-bare`) ?? [], phase, measure);
        return `${valueText(measure, theirs)} / ${here}`;
      }),
    ]);
}

function meanText(
  runs: readonly Measurements[],
  phase: string,
  measure: (typeof reference)[number]["measure"],
): string {
  const values = runs.map((run) => run.phase(phase)[measure]);
  return valueText(measure, values.reduce((sum, value) => sum + value, 0) / values.length);
}

function introduction(seeds: number): string {
  return `# Adaptive limits, measured

Every limit in every scenario, ${seeds} seeds each. Written by \`npm run simulate -- table\`; the same
command writes the same page. \`npm run simulate -- A --limit vegas --svg a.svg\` shows one run.

A server has so many slots and an unbounded queue behind them; service times are the mean × 0.9 to 1.1,
arrivals are Poisson, who finds the limit full is refused at once. Numbers are means over the seeds:
\`L\` the limit over time, \`p99max\` the largest p99 of any 5 s (10 s in runs beyond 5 minutes), "worst
5 s served" the least share of a slot of 5 s that was not refused. **Accepted** is a row whose every number is within
its bound with 3 % slack. No slack have the shares refused after recovery in A and B (at most 0.2 %), the mean
limit in D (at most 2.5 × slots) and "each seed". What is beyond its bound is **bold**.

\`ours\` is \`adaptiveLimit()\` as it is. The others are published algorithms with the settings: \`aimd\` floor 5,
time-out 1 s; \`vegas\` and \`gradient2\` an update per sample; \`-window\` one per second of 10 samples or more, by
\`windowSampler\` (\`gradient2-window\` with floor 1); \`gradient\` one per 0.1 s, the base anew each 60 s from 50 requests
at limit 3, buffer 25 %. They stand here twice: as \`adaptiveLimit({ algorithm })\` enforces them (growth only with
demand, a probe at the floor), and \`-bare\`, without any of that, as those who published them run them.

## Overview`;
}

const comparisonText = `## The simulator beside another one

The same scenarios and algorithms were measured before by somebody else's simulator, in another language, with
three seeds. Cells are \`theirs / here\`, of the bare algorithms. Where they differ by more than chance:
\`-window\` is another sampler here (it discards no window, and takes no sample from before a change of the limit);
\`gradient\` starts at its floor here, and takes no time-out for a latency, which theirs did in H; what hangs in H goes on where it
stood, theirs was done at once; and when \`vegas-window\` takes its base anew in E depends on few draws.`;
