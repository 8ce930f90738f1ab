import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { checkExamples } from "../docs/check-examples";
import { runExamples } from "../docs/run-examples";
import { anchorsOf, type Markdown, readMarkdown } from "../markdown";
import { readText, root, trackedFiles } from "../workspace";
import type { Gate } from "./gate";

/**
 * Every `ts` example in the docs compiles, every `ts run` example also runs and prints what the
 * `text output` block after it shows, and every link inside the repository leads somewhere.
 */
export const docsGate: Gate = {
  name: "docs",
  title: "examples compile and run, links lead somewhere",
  async run() {
    const paths = trackedFiles().filter(isDocument);
    const documents = new Map(paths.map((path) => [path, readMarkdown(readText(path))]));
    const linkProblems = [...documents].flatMap(([path, { links }]) =>
      links.flatMap(({ target, line }) => {
        const problem = linkProblem(documents, path, target);
        return problem === undefined ? [] : [`${path}:${line} ${problem}`];
      }),
    );
    const examples = [...documents].flatMap(([path, { fences }]) =>
      fences.map((fence, index) => ({ path, fence, next: fences[index + 1] })),
    );
    const unchecked = examples
      .filter(({ fence }) =>
        ["js", "javascript", "typescript", "mjs"].includes(fence.info[0] ?? ""),
      )
      .map(({ path, fence }) => `${path}:${fence.line} examples are marked \`ts\`, to be checked`);
    const compileProblems = checkExamples(examples);
    const runProblems = compileProblems.length === 0 ? await runExamples(examples) : [];
    return [...linkProblems, ...unchecked, ...compileProblems, ...runProblems];
  },
};

function isDocument(path: string): boolean {
  return path.endsWith(".md") && !path.startsWith(".changeset/") && !path.endsWith("CHANGELOG.md");
}

function linkProblem(
  documents: ReadonlyMap<string, Markdown>,
  from: string,
  target: string,
): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined;
  const [file = "", fragment] = target.split("#", 2);
  const path = file === "" ? from : normalize(join(dirname(from), decodeURIComponent(file)));
  if (path.startsWith("..")) return `link leaves the repository: ${target}`;
  if (!existsSync(join(root, path))) return `no such file: ${target}`;
  if (fragment === undefined || statSync(join(root, path)).isDirectory()) return undefined;
  const headings = documents.get(path)?.headings ?? [];
  return anchorsOf(headings).has(fragment) ? undefined : `no such heading: ${target}`;
}
