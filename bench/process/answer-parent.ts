/** The argument that the parent process gave to this program, which from now on ends with it. */
export function readArgument<T>(): T {
  process.once("disconnect", () => process.exit(0));
  return JSON.parse(process.argv[2] as string) as T;
}

/** Tells the parent process something. */
export function tellParent(message: unknown): void {
  process.send?.(message);
}

/** Does `work` with each question of the parent, and answers with what came out. */
export function answerParent<Question>(work: (question: Question) => Promise<unknown>): void {
  process.on("message", (question) => {
    void work(question as Question).then(tellParent);
  });
}
