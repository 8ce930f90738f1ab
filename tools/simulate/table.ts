import { judge, type Measurements, overloadScenarios, type Scenario } from "@sluice/testing";
import { runsOf } from "./accept";
import { type LimitFactory, limits } from "./limits";
import { markdownTable } from "./markdown-table";
import { expectationText, measureText, valueText } from "./measure-words";
import { reference, referenceNames } from "./reference";
import { comparisonText, introduction } from "./table-words";

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
