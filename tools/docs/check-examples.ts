import { join } from "node:path";
import ts from "typescript";
import { root } from "../workspace";
import { type Example, isTypeScript, modulePath } from "./example";

/** What TypeScript has to say about the examples, each a module of its own; nothing is written. */
export function checkExamples(examples: readonly Example[]): readonly string[] {
  const byFile = new Map(
    examples.filter(isTypeScript).map((each) => [join(root, modulePath(each)), each]),
  );
  const program = ts.createProgram([...byFile.keys()], compilerOptions(), hostWith(byFile));
  return [...byFile].flatMap(([file, example]) => {
    const source = program.getSourceFile(file);
    return [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ].map((diagnostic) => `${placeOf(example, diagnostic)} ${messageOf(diagnostic)}`);
  });
}

/** The line of the document, not of the example. */
function placeOf({ path, fence }: Example, { file, start = 0 }: ts.Diagnostic): string {
  const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
  return `${path}:${fence.line + line + 1}`;
}

function messageOf({ messageText }: ts.Diagnostic): string {
  return ts.flattenDiagnosticMessageText(messageText, "\n");
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return {
    ...options,
    noEmit: true,
    declaration: false,
    // An example may show a name without using it, and has no export.
    noUnusedLocals: false,
    noUnusedParameters: false,
    moduleDetection: ts.ModuleDetectionKind.Force,
  };
}

function hostWith(byFile: ReadonlyMap<string, Example>): ts.CompilerHost {
  const host = ts.createCompilerHost(compilerOptions());
  const { fileExists, readFile, getSourceFile } = host;
  const textOf = (file: string) => byFile.get(file)?.fence.text;
  return {
    ...host,
    fileExists: (file) => byFile.has(file) || fileExists.call(host, file),
    readFile: (file) => textOf(file) ?? readFile.call(host, file),
    getSourceFile: (file, language, ...rest) => {
      const text = textOf(file);
      return text === undefined
        ? getSourceFile.call(host, file, language, ...rest)
        : ts.createSourceFile(file, text, language, true);
    },
  };
}
