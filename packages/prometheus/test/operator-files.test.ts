import { readFileSync } from "node:fs";
import { prometheusRecorder } from "@sluice/prometheus";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";

const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

interface Exported {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
  readonly aggregator: string;
  readonly help: string;
}

/** The metrics as they are registered, by name. */
const exported = (() => {
  const registry = new Registry();
  prometheusRecorder({ registry });
  const metrics = registry.getMetricsAsArray() as unknown as readonly Exported[];
  return new Map(metrics.map((metric) => [metric.name, metric]));
})();

/** Labels that a series of this name has, besides those of the target. */
function labelsOf(series: string): readonly string[] | undefined {
  const own = exported.get(series);
  if (own !== undefined) return own.type === "histogram" ? undefined : own.labelNames;
  const [, base = "", part] = /^(.*)_(bucket|sum|count)$/.exec(series) ?? [];
  const histogram = exported.get(base);
  if (histogram?.type !== "histogram") return undefined;
  return part === "bucket" ? [...histogram.labelNames, "le"] : histogram.labelNames;
}

/** What is wrong with the names and labels of an expression. `outside`: labels of the target. */
function problemsOf(expr: string, outside: readonly string[] = []): readonly string[] {
  const problems: string[] = [];
  const all = new Set<string>(outside);
  for (const [, name = "", selectors = ""] of expr.matchAll(/(sluice_\w+)(?:\{([^}]*)\})?/g)) {
    const labels = labelsOf(name);
    if (labels === undefined) problems.push(`no series ${name}`);
    const known = [...(labels ?? []), ...outside];
    for (const label of labels ?? []) all.add(label);
    for (const [, label = ""] of selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      if (!known.includes(label)) problems.push(`${name} has no label ${label}`);
    }
  }
  for (const [, list = ""] of expr.matchAll(/\bby\s*\(([^)]*)\)/g)) {
    for (const label of list.split(",").map((each) => each.trim())) {
      if (!all.has(label)) problems.push(`by ${label}: nothing here has it`);
    }
  }
  return problems;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

describe("The dashboard", () => {
  const { panels } = JSON.parse(textOf("../grafana/sluice.json")) as { panels: readonly Panel[] };
  const targets = panels.flatMap(({ title, targets: own = [] }) =>
    own.map((target) => ({ title, ...target })),
  );

  it.each(targets)(
    "asks for series that exist: $title, $legendFormat",
    ({ expr, legendFormat }) => {
      expect(problemsOf(expr, ["job"])).toEqual([]);
      expect(expr).toContain("sluice_");
      const byLabels = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
        list.split(", "),
      );
      for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
        expect(byLabels).toContain(label);
      }
    },
  );

  it("has panels with different ids, and a row before each group", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ type }) => type === "row").map(({ title }) => title)).toEqual([
      "Limits",
      "Gates",
      "Adaptive limits",
      "Stores",
      "Upstreams",
    ]);
  });
});

describe("The alert rules", () => {
  const text = textOf("../alerts/sluice.yml");
  const rules = text.split(/^ {6}- alert: /m).slice(1);

  it.each(rules.map((rule) => [rule.split("\n")[0] ?? "", rule]))(
    "look at series that exist: %s",
    (_name, rule) => {
      const expr = /^ {8}expr: (.*)$/m.exec(rule)?.[1] ?? "";
      expect(expr).toContain("sluice_");
      expect(problemsOf(expr)).toEqual([]);
      const byLabels = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(", ") ?? [];
      for (const [, label = ""] of rule.matchAll(/\$labels\.(\w+)/g)) {
        expect(byLabels).toContain(label);
      }
      expect(rule).toMatch(/^ {10}severity: (page|ticket)$/m);
      expect(rule).toMatch(/^ {10}summary: ".+"$/m);
      expect(rule).toMatch(/^ {10}description: ".+"$/m);
    },
  );

  it("have different names", () => {
    const names = rules.map((rule) => rule.split("\n")[0]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(10);
  });
});

describe("The reference of metrics", () => {
  const rows = textOf("../../../docs/reference/metrics.md")
    .split("\n")
    .filter((line) => line.startsWith("| `sluice_"))
    .map((line) => line.split("|").map((cell) => cell.trim()));

  it("has every metric once, with its type, labels, aggregator and help", () => {
    const written = rows.map(([, name, type, labels, aggregator, help]) => ({
      name: name?.replaceAll("`", ""),
      type,
      labels: labels === "–" ? [] : labels?.replaceAll("`", "").split(", "),
      aggregator,
      help,
    }));
    const expected = [...exported.values()].map(
      ({ name, type, labelNames: labels, aggregator, help }) => ({
        name,
        type,
        labels,
        aggregator,
        help,
      }),
    );
    const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
      (a.name ?? "").localeCompare(b.name ?? "");
    expect(written.sort(byName)).toEqual(expected.sort(byName));
  });
});

describe("The check of expressions", () => {
  it.each([
    ["sum(sluice_nonsense_total)", "no series sluice_nonsense_total"],
    ["sum(sluice_gate_wait_seconds)", "no series sluice_gate_wait_seconds"],
    ['sum(sluice_gate_queued{limit="a"})', "sluice_gate_queued has no label limit"],
    ["sum by (limit) (sluice_gate_queued)", "by limit: nothing here has it"],
    ["sum by (le) (sluice_gate_queued)", "by le: nothing here has it"],
  ])("finds what is wrong with %s", (expr, problem) => {
    expect(problemsOf(expr)).toEqual([problem]);
  });
});
