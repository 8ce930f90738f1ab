/** Collects the codes of the process's warnings from now on. */
export function collectWarnings(): { readonly codes: string[]; stop(): void } {
  const codes: string[] = [];
  const listener = (warning: Error & { code?: string }) => codes.push(warning.code ?? "");
  process.on("warning", listener);
  return { codes, stop: () => void process.off("warning", listener) };
}
