import type { Answer } from "../client/shot";

/** The answers with this status. */
export function withStatus(answers: readonly Answer[], status: number): Answer[] {
  return answers.filter((answer) => answer.status === status);
}

/** How many answers of each status, the statuses in order: `2 x 200, 4 x 503`. */
export function statusCounts(answers: readonly { readonly status: number }[]): string {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  const inOrder = [...counts].sort(([a], [b]) => a - b);
  return inOrder.map(([status, count]) => `${count} x ${status}`).join(", ");
}

/** What all answers have in common in one respect, or the different things they have. */
export function commonText(answers: readonly Answer[], read: (answer: Answer) => string): string {
  return [...new Set(answers.map(read))].join(" | ") || "none";
}

/** The value of a header, as a number; NaN if it is absent or none. */
export function numberIn(answer: Answer, header: string): number {
  return Number(answer.headers[header] ?? Number.NaN);
}

/** Which limit an OpenAI-style error names: `... limit "tokens" ...`. */
export function refuser({ body }: Answer): string {
  const { error } = JSON.parse(body) as { error?: { message?: string } };
  return /limit "(\w+)"/.exec(error?.message ?? "")?.[1] ?? body;
}

/** What an answer of `GET /v1/limits` says is used: `3 requests, 300 tokens`. */
export function limitsText({ body }: Answer): string {
  const { limits } = JSON.parse(body) as { limits: { unit: string; used: number }[] };
  return limits.map(({ unit, used }) => `${used} ${unit}`).join(", ");
}
