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
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n");
    const { file, start = 0 } = diagnostic;
    const example = file === undefined ? undefined : byFile.get(file.fileName);
    if (file === undefined || example === undefined) return `${file?.fileName ?? ""} ${text}`;
    const { line } = file.getLineAndCharacterOfPosition(start);
    return `${example.path}:${example.fence.line + line + 1} ${text}`;
  });
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
