/** One server-sent event with a JSON payload. */
export function sseEvent(payload: unknown): string {
  return `data: ${JSON.stringify(payload)}\n\n`;
}

/** OpenAI's last event of a stream. */
export const sseDone = "data: [DONE]\n\n";

/** Cuts a stream of text into the payloads of its events, wherever the chunks were cut. */
export class SsePayloads {
  #rest = "";

  /** The payloads that are complete with this chunk, in order. */
  push(chunk: string): string[] {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6).trim());
  }
}
