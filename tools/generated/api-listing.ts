import { existsSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { publishedPackages, root } from "../workspace";

/** One name that a package exports. */
export interface ApiEntry {
  readonly name: string;
  readonly kind: string;
  /** The first sentence of its doc comment; empty if it has none. */
  readonly sentence: string;
  /** The file that it stands in, so that two of one name are told apart. */
  readonly declaredIn: string;
}

/** What can be imported under one name: `@sluice/core/http`. */
export interface EntryPoint {
  readonly specifier: string;
  /** What its package has made. */
  readonly entries: readonly ApiEntry[];
  /** What it passes on from other packages. */
  readonly passedOn: readonly ApiEntry[];
}

/** Everything that the published packages export, read from their sources. */
export function readApi(): readonly EntryPoint[] {
  const sources = publishedPackages().flatMap(({ folder, manifest }) =>
    Object.keys(manifest.exports ?? {})
      .filter((subpath) => subpath !== "./package.json")
      .map((subpath) => ({
        specifier: `${manifest.name}${subpath.slice(1)}`,
        folder: join(root, folder),
        file: sourceOf(join(root, folder, "src", subpath)),
      })),
  );
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(
    sources.map(({ file }) => file),
    options,
  );
  return sources.map(({ specifier, folder, file }) => {
    const entries = entriesOf(program, file);
    const isOwn = ({ declaredIn }: ApiEntry) => declaredIn.startsWith(`${folder}/`);
    return {
      specifier,
      entries: entries.filter(isOwn),
      passedOn: entries.filter((each) => !isOwn(each)),
    };
  });
}

/** A sub-path is a folder of the sources (./http is src/http/index.ts) or a file (./redis). */
function sourceOf(path: string): string {
  return existsSync(`${path}.ts`) ? `${path}.ts` : join(path, "index.ts");
}

function entriesOf(program: ts.Program, file: string): readonly ApiEntry[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} does not exist`);
  const module = checker.getSymbolAtLocation(source);
  const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
  return symbols
    .map((symbol) => {
      const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
      const target = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
      const comment = ts.displayPartsToString(target.getDocumentationComment(checker));
      return {
        name: symbol.name,
        kind: kindOf(target),
        sentence: firstSentence(comment),
        declaredIn: target.declarations?.[0]?.getSourceFile().fileName ?? "",
      };
    })
    .sort((a, b) => a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name));
}

function kindOf({ flags }: ts.Symbol): string {
  if (flags & ts.SymbolFlags.Class) return "class";
  if (flags & ts.SymbolFlags.Function) return "function";
  if (flags & ts.SymbolFlags.Variable) return "value";
  return "type";
}

function firstSentence(comment: string): string {
  const link = /\{@link\s+([^\s}]+)\s*\}/g;
  const text = comment.replace(link, "`$1`").replace(/\s+/g, " ").trim();
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
}

/** `docs/reference/api.md`. */
export function renderApi(points: readonly EntryPoint[]): string {
  const sections = points.map((point) => {
    const { specifier, entries } = point;
    const rows = entries.map(({ name, kind, sentence }) => {
      return `| \`${name}\` | ${kind} | ${sentence.replaceAll("|", "\\|")} |`;
    });
    const table = ["| name | kind | what it is |", "| --- | --- | --- |", ...rows].join("\n");
    const parts = [...(entries.length === 0 ? [] : [table]), ...passedOnText(point, points)];
    return `## ${specifier}\n\n${parts.length === 0 ? "Nothing yet." : parts.join("\n\n")}`;
  });
  const intro =
    "What each package exports, from the doc comments of the sources.\n" +
    "This page is generated: `npm run generate` writes it.";
  return `# Exports\n\n${intro}\n\n${sections.join("\n\n")}\n`;
}

/** What an entry point passes on, by the entry points that have it of their own. */
function passedOnText(
  { specifier, passedOn }: EntryPoint,
  points: readonly EntryPoint[],
): readonly string[] {
  const sources = points.flatMap((other) => {
    if (other.specifier === specifier) return [];
    const same = (one: ApiEntry) =>
      passedOn.some(({ name, declaredIn }) => one.name === name && one.declaredIn === declaredIn);
    const entries = other.entries.filter(same);
    if (entries.length === 0) return [];
    const isAll = entries.length === other.entries.length;
    const what = isAll ? "everything" : entries.map(({ name }) => `\`${name}\``).join(", ");
    return [`- of \`${other.specifier}\`: ${what}`];
  });
  return sources.length === 0 ? [] : [`Passed on:\n\n${sources.join("\n")}`];
}
