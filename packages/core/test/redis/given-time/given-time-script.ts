import { buildScript } from "../../../../../tools/generated/lua-scripts";

/** To build one takes longer than to run it, and tests make many stores. */
const built = new Map<string, string>();

/** The text of a script whose "now" is what a test has set. */
export function givenTimeScript(name: string): string {
  let source = built.get(name);
  if (source === undefined) {
    source = buildScript(name, "given").plainSource;
    built.set(name, source);
  }
  return source;
}
