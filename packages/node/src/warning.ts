/** An error that nobody listens to must not vanish, nor end a process that can go on. */
export function warnOfError(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(text, { type: "SluiceWarning", code: "SLUICE_HANDLER_ERROR" });
}

/** Something stands where it has no effect. */
export function warnOfPlacement(code: string, text: string): void {
  process.emitWarning(text, { type: "SluiceWarning", code });
}
