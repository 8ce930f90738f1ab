import { describe, expect, it } from "vitest";
import { readMarkdown } from "./markdown";
import { publishedPackages, readText, trackedFiles } from "./workspace";

const files = trackedFiles();
const isTest = (path: string) => path.endsWith(".test.ts");
const scripts = files.filter((path) => /\.(ts|mts|cts|js|mjs|cjs)$/.test(path));
const sources = scripts.filter((path) => /^packages\/[^/]+\/src\//.test(path) && !isTest(path));
const coreSources = sources.filter((path) => path.startsWith("packages/core/src/"));

/** The only files that may read time and chance of the process. */
const ports = [
  "packages/core/src/clock/system-clock.ts",
  "packages/core/src/random/system-random.ts",
];

/** Places where a pattern occurs, as `file:line text`. */
function occurrences(paths: readonly string[], pattern: RegExp): readonly string[] {
  return paths.flatMap((path) =>
    readText(path)
      .split("\n")
      .flatMap((text, index) =>
        pattern.test(text) ? [`${path}:${index + 1} ${text.trim()}`] : [],
      ),
  );
}

/** The text without comments and without what strings hold. */
function codeOf(path: string): string {
  const literal = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  return readText(path).replace(literal, (text) => text.replace(/[^\n]/g, " "));
}

describe("size", () => {
  const lineCount = (path: string) => readText(path).trimEnd().split("\n").length;

  it("keeps every script to 300 lines, tests to 500", () => {
    const long = scripts.filter((path) => lineCount(path) > (isTest(path) ? 500 : 300));
    expect(long).toEqual([]);
  });

  it("keeps every line of a script to 100 columns", () => {
    // A title of a test is one text that cannot be broken.
    const isTitle = (line: string) => /^\s*(it|describe)\("/.test(line);
    const isLong = (line: string) => line.length > 100 && !isTitle(line);
    const long = scripts.filter((path) => readText(path).split("\n").some(isLong));
    expect(long).toEqual([]);
  });

  it("keeps half of the source files to 100 lines", () => {
    const sizes = sources.map(lineCount).sort((a, b) => a - b);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(100);
  });
});

describe("names", () => {
  it("has no file whose name says nothing", () => {
    const vague = /^(utils?|common|helpers?|misc|shared|constants|types|interfaces)\b/;
    const names = files.filter((path) => vague.test(path.split("/").at(-1) ?? ""));
    expect(names).toEqual([]);
  });

  it("has no folder whose name says nothing", () => {
    const vague = files.filter((path) => /(^|\/)(utils?|common|helpers?|misc|lib)\//.test(path));
    expect(vague).toEqual([]);
  });
});

describe("the core", () => {
  const world = [
    /\bDate\s*\.\s*now\b/,
    /\bnew\s+Date\b/,
    /\bperformance\s*\./,
    /\bprocess\s*\./,
    /\bset(Timeout|Interval|Immediate)\b/,
    /\bMath\s*\.\s*random\b/,
    /\bcrypto\s*\./,
    /\brandomUUID\b/,
  ];

  it("reads time and chance through its two ports only", () => {
    const outside = coreSources.filter((path) => !ports.includes(path));
    const found = outside.flatMap((path) =>
      world.filter((pattern) => pattern.test(codeOf(path))).map((pattern) => `${path} ${pattern}`),
    );
    expect(found).toEqual([]);
  });

  it("has the two ports where the rule above looks for them", () => {
    expect(coreSources).toEqual(expect.arrayContaining(ports));
  });
});

describe("tests", () => {
  it("are all run", () => {
    const aside = /\b(it|test|describe|suite|bench)\s*\.\s*(only|skip|skipIf|runIf|todo|fails)\b/;
    expect(scripts.filter((path) => aside.test(codeOf(path)))).toEqual([]);
  });

  it("wait on a fake clock, not on the wall", () => {
    const unit = scripts.filter((path) => isTest(path) && !/\.http\.test\.ts$|^e2e\//.test(path));
    const onSystem = ports.map((path) => path.replace(/\.ts$/, ".test.ts"));
    const found = unit
      .filter((path) => !onSystem.includes(path))
      .filter((path) => /\b(vi\s*\.\s*useFakeTimers|timers\/promises)\b/.test(codeOf(path)));
    expect(found).toEqual([]);
  });
});

describe("package roots", () => {
  it("name what they export", () => {
    const roots = sources.filter((path) => path.endsWith("/index.ts"));
    const wholesale = /^export \* /;
    expect(roots.length).toBeGreaterThan(0);
    expect(occurrences(roots, wholesale)).toEqual([]);
  });
});

describe("error codes", () => {
  const codes = new Set(
    sources.flatMap((path) =>
      [...readText(path).matchAll(/"(SLUICE_[A-Z_]+)"/g)].map(([, code]) => code),
    ),
  );
  const headings = readMarkdown(readText("docs/reference/errors.md")).headings;
  const documented = new Set(headings.filter((heading) => heading.startsWith("SLUICE_")));

  it("all have a heading in docs/reference/errors.md", () => {
    expect(codes.size).toBeGreaterThan(0);
    expect([...codes].filter((code = "") => !documented.has(code))).toEqual([]);
  });

  it("all exist, of those that docs/reference/errors.md describes", () => {
    expect([...documented].filter((code) => !codes.has(code))).toEqual([]);
  });
});

describe("every published package", () => {
  for (const { folder, manifest } of publishedPackages()) {
    it(`opens its README with what it is and is not: ${manifest.name}`, () => {
      const path = `${folder}/README.md`;
      expect(files).toContain(path);
      const text = readText(path);
      const [title, blank, sentence = ""] = text.split("\n");
      expect([title, blank]).toEqual([`# ${manifest.name}`, ""]);
      expect(sentence).toMatch(/^[A-Z`].{20,}/);
      expect(text.split("```")[0]).toMatch(/^It is (\*\*)?not\b/m);
      expect(text).toMatch(new RegExp(`npm install .*${manifest.name}\\b`));
    });
  }
});

describe("tracked files", () => {
  const texts = files.filter((path) => !/\.(png|jpg|ico|woff2?)$/.test(path));

  it("name no package registry", () => {
    const host = /\bregistry\.[a-z0-9-]+\.[a-z]+|\bnpm(js|mirror)?\.(com|org|dev)\b/;
    expect(occurrences(texts, host)).toEqual([]);
  });

  it("name no host in the lock file", () => {
    expect(occurrences(["pnpm-lock.yaml"], /\btarball:|:\/\//)).toEqual([]);
  });

  it("name no folder of one machine", () => {
    const absolute =
      /(^|[\s"'`(=:])\/(home|Users|root|work|tmp|private|var|opt|mnt)\/|[A-Z]:\\Users/;
    expect(occurrences(texts, absolute)).toEqual([]);
  });

  it("hold no unfinished business", () => {
    // Written in pieces, so that this line is not one of them.
    const mark = new RegExp(`\\b(${["TO" + "DO", "FIX" + "ME", "XX" + "X"].join("|")})\\b`);
    expect(occurrences(texts, mark)).toEqual([]);
  });
});
