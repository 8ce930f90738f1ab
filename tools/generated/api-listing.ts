import { join } from "node:path";
import ts from "typescript";
import { publishedPackages, root } from "../workspace";

/** One name that a package exports. */
export interface ApiEntry {
  readonly name: string;
  readonly kind: string;
  /** The first sentence of its doc comment; empty if it has none. */
  readonly sentence: string;
}

/** What can be imported under one name: `@sluice/core/http`. */
export interface EntryPoint {
  readonly specifier: string;
  readonly entries: readonly ApiEntry[];
}

/** Everything that the published packages export, read from their sources. */
export function readApi(): readonly EntryPoint[] {
  const sources = publishedPackages().flatMap(({ folder, manifest }) =>
    Object.keys(manifest.exports ?? {})
      .filter((subpath) => subpath !== "./package.json")
      .map((subpath) => ({
        specifier: `${manifest.name}${subpath.slice(1)}`,
        // A sub-path is a folder of the sources: ./http is src/http/index.ts.
        file: join(root, folder, "src", subpath, "index.ts"),
      })),
  );
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(
    sources.map(({ file }) => file),
    options,
  );
  return sources.map(({ specifier, file }) => ({ specifier, entries: entriesOf(program, file) }));
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
      return { name: symbol.name, kind: kindOf(target), sentence: firstSentence(comment) };
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
  const sections = points.map(({ specifier, entries }) => {
    const rows = entries.map(({ name, kind, sentence }) => {
      return `| \`${name}\` | ${kind} | ${sentence.replaceAll("|", "\\|")} |`;
    });
    const table = ["| name | kind | what it is |", "| --- | --- | --- |", ...rows].join("\n");
    return `## ${specifier}\n\n${entries.length === 0 ? "Nothing yet." : table}`;
  });
  const intro =
    "What each package exports, from the doc comments of the sources.\n" +
    "This page is generated: `npm run generate` writes it.";
  return `# Exports\n\n${intro}\n\n${sections.join("\n\n")}\n`;
}
