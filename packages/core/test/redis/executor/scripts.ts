import { createHash } from "node:crypto";
import type { Script, ScriptCall } from "../../../src/redis/executor/executor";

const shaOf = (source: string) => createHash("sha1").update(source).digest("hex");

/** A script of these lines, with another first line than `#!lua` if told so. */
export function scriptOf(body: string, firstLine = "#!lua"): Script {
  const source = `${firstLine}\n${body}`;
  return { name: "test", source, sha: shaOf(source), plainSource: body, plainSha: shaOf(body) };
}

/** Adds the argument to the key and returns the sum as a text. */
export const addUp = scriptOf("return tostring(redis.call('INCRBY', KEYS[1], ARGV[1]))");

export const addOne = (key: string): ScriptCall => ({ script: addUp, keys: [key], argument: "1" });
