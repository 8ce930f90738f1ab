import { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { SsePayloads } from "../openai/sse";
import { totalTokensOf } from "../openai/usage";

/**
 * Lets an answer through unchanged and reports the tokens that it says it used, before its end
 * passes. Reads plain JSON and event streams; an answer without usage reports nothing.
 */
export function usageTap(isStream: boolean, report: (tokens: number) => void): Transform {
  const decoder = new StringDecoder("utf8");
  const events = new SsePayloads();
  let whole = "";

  const read = (payload: string) => {
    const tokens = totalTokensIn(payload);
    if (tokens !== undefined) report(tokens);
  };

  return new Transform({
    transform(chunk: Buffer, _encoding, passOn) {
      const text = decoder.write(chunk);
      if (isStream) events.push(text).forEach(read);
      else whole += text;
      passOn(null, chunk);
    },
    flush(end) {
      if (!isStream) read(whole);
      end();
    },
  });
}

function totalTokensIn(payload: string): number | undefined {
  // Of all the events of a stream one carries usage; the others need not be parsed.
  if (!payload.includes('"usage"')) return undefined;
  try {
    return totalTokensOf(JSON.parse(payload));
  } catch {
    return undefined;
  }
}
