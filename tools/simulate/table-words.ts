/** What stands above the tables. */
export function introduction(seeds: number): string {
  return `# Adaptive limits, measured

Every limit in every scenario, ${seeds} seeds each. Written by \`npm run simulate --
table\`; the same command writes the same page. \`npm run simulate -- A --limit vegas --svg
a.svg\` shows one run.

A server has so many slots and an unbounded queue behind them; service times are the mean ×
0.9 to 1.1, arrivals are Poisson, who finds the limit full is refused at once. Numbers are
means over the seeds: \`L\` the limit over time, \`p99max\` the largest p99 of any 5 s (10 s
in runs beyond 5 minutes), "worst 5 s served" the least share of a slot of 5 s that was not
refused. **Accepted** is a row whose every number is within its bound with 3 % slack. No
slack have the shares refused after recovery in A and B (at most 0.2 %), the mean limit in D
(at most 2.5 × slots) and "each seed". What is beyond its bound is **bold**.

\`ours\` is \`adaptiveLimit()\` as it is. The others are published algorithms with the
settings: \`aimd\` floor 5, time-out 1 s; \`vegas\` and \`gradient2\` an update per sample;
\`-window\` one per second of 10 samples or more, by \`windowSampler\` (\`gradient2-window\`
with floor 1); \`gradient\` one per 0.1 s, the base anew each 60 s from 50 requests at limit
3, buffer 25 %. They stand here twice: as \`adaptiveLimit({ algorithm })\` enforces them
(growth only with demand, a probe at the floor), and \`-bare\`, without any of that, as
those who published them run them.

## Overview`;
}

/** What stands above the comparison with another simulator. */
export const comparisonText = `## The simulator beside another one

The same scenarios and algorithms were measured before by another simulator, in another
language, with three seeds. Cells are \`theirs / here\`, of the bare algorithms.
Where they differ by more than chance: \`-window\` is another sampler here (it discards no
window, and takes no sample from before a change of the limit); \`gradient\` starts at its
floor here, and takes no time-out for a latency, which theirs did in H; when
\`vegas-window\` takes its base anew in E depends on few draws. Why recovery in H is quicker
here is not known; the two may end a hang differently.`;
