/** What a process must not see while an adapter works. */
export class ProcessWatch {
  readonly #seen: string[] = [];
  #told: Error[] = [];
  readonly #onUnhandled = (error: unknown) => this.#seen.push(`unhandled rejection: ${error}`);
  readonly #onException = (error: unknown) => this.#seen.push(`uncaught exception: ${error}`);
  readonly #onWarning = (warning: Error) => {
    // Of others than node:events and Sluice itself, warnings say nothing about adapters.
    if (warning.name === "SluiceWarning") this.#told.push(warning);
    else if (/MaxListeners/.test(warning.name)) this.#seen.push(`warning: ${warning.message}`);
  };

  constructor() {
    process.on("unhandledRejection", this.#onUnhandled);
    process.on("uncaughtExceptionMonitor", this.#onException);
    process.on("warning", this.#onWarning);
  }

  /** Returns the warnings of Sluice so far, which then are none to complain of. */
  takeWarnings(): readonly Error[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }

  /** Stops watching and returns what was seen. */
  async stop(): Promise<readonly string[]> {
    // Rejections are judged, and warnings sent, after the microtasks of their turn.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", this.#onUnhandled);
    process.off("uncaughtExceptionMonitor", this.#onException);
    process.off("warning", this.#onWarning);
    return [...this.#seen, ...this.#told.map(({ message }) => `warning: ${message}`)];
  }
}
