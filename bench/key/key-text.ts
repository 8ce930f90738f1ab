/**
 * The text of key number `index`: 16 characters, like a short digest of an API key. One flat
 * string, not a concatenation that is joined when it is first read.
 */
function keyText(index: number): string {
  const digits = Math.imul(index, 0x9e3779b1) >>> 0;
  const text = `k${digits.toString(16).padStart(8, "0")}${index.toString(36).padStart(7, "0")}`;
  return Buffer.from(text, "latin1").toString("latin1");
}

/** The texts of keys number `from` to `to` - 1. */
export function keyTexts(from: number, to: number): string[] {
  const texts: string[] = [];
  for (let index = from; index < to; index += 1) texts.push(keyText(index));
  return texts;
}
