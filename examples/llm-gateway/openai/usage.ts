/** What a completion really used, as OpenAI reports it. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** The total of a `usage` object, or undefined if there is none that makes sense. */
export function totalTokensOf(answer: unknown): number | undefined {
  if (typeof answer !== "object" || answer === null || !("usage" in answer)) return undefined;
  const usage = answer.usage as Partial<Usage> | null;
  const total = usage?.total_tokens;
  return Number.isSafeInteger(total) && (total as number) >= 0 ? total : undefined;
}
