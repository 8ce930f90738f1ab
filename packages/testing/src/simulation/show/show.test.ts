import { describe, expect, it } from "vitest";
import { fixedLimit } from "../door/fixed-limit";
import { runScenario } from "../run/run-scenario";
import type { Scenario } from "../scenario/scenario";
import { chartSvg } from "./chart-svg";
import { numberText, percentText } from "./number-text";
import { summaryText } from "./summary-text";

const scenario: Scenario = {
  name: "calm",
  title: 'a <calm> & "even" day',
  durationMs: 10_000,
  sources: [
    { kind: "even", perSecond: 10, name: "often" },
    { kind: "even", perSecond: 1, name: "rare" },
  ],
  server: { slots: 5, service: { kind: "constant", meanMs: 50 } },
  phases: [
    { name: "start", fromMs: 0, toMs: 1_000 },
    { name: "steady", fromMs: 1_000, toMs: 10_000 },
  ],
};
const measured = runScenario(scenario, { limit: () => fixedLimit(5) });

describe("summaryText", () => {
  it("has a line for each phase of all, and of each source", () => {
    const lines = summaryText(measured).split("\n");
    expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual([
      "phase",
      "start",
      "steady",
      "start | often",
      "steady | often",
      "start | rare",
      "steady | rare",
    ]);
    expect(lines[2]?.split(/ {2,}/).slice(1)).toEqual([
      "1-10",
      "5.00",
      "0.55",
      "0.55",
      "11.0",
      "11.0",
      "0 %",
      "0",
      "50.0",
      "50.0",
      "50.0",
    ]);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  });
});

describe("chartSvg", () => {
  const svg = chartSvg(measured);

  it("is well-formed, with the words of the scenario escaped", () => {
    const open: string[] = [];
    for (const [, close, name = "", empty] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
      if (empty === "/") continue;
      if (close === "") open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
    expect(svg).toContain("calm: a &lt;calm&gt; &amp; &quot;even&quot; day");
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("has four panels over one axis of time", () => {
    const titles = [...svg.matchAll(/font-weight="bold">([^<]*)</g)].map(([, title]) => title);
    expect(titles.slice(1)).toEqual(["limit", "in flight", "latency, ms", "per second"]);
    expect(svg.match(/<path /g)).toHaveLength(1 + 2 + 2 + 3);
    expect(svg).toContain(">seconds</text>");
  });

  it("marks where each phase begins", () => {
    const marks = [...svg.matchAll(/x1="([^"]*)" x2="([^"]*)" [^>]*stroke-dasharray/g)];
    expect(marks.map(([, from, to]) => [from, to])).toEqual([
      ["70", "70"],
      ["150", "150"],
    ]);
  });

  it("draws a long run with no more points than it is wide", () => {
    const long = { ...scenario, durationMs: 2_000_000, sources: scenario.sources.slice(1) };
    const chart = chartSvg(runScenario(long, { limit: () => fixedLimit(5) }));
    const [, path = ""] = /<path d="([^"]*)"/.exec(chart) ?? [];
    expect(path.match(/[ML]/g)).toHaveLength(667);
  });
});

describe("numbers as text", () => {
  it.each([
    [0, "0"],
    [0.00123, "0.0012"],
    [4.567, "4.57"],
    [78.94, "78.9"],
    [1_469.4, "1469"],
    [Number.NaN, "-"],
    [Number.NEGATIVE_INFINITY, "-"],
  ])("%s is short", (value, text) => {
    expect(numberText(value)).toBe(text);
  });

  it("shares are in per cent", () => {
    expect([percentText(0.5), percentText(0.00123), percentText(Number.NaN)]).toEqual([
      "50.0 %",
      "0.12 %",
      "- %",
    ]);
  });
});
