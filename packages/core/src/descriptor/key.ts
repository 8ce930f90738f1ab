import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

import { charactersOf, consistsOf } from "./characters";

/** Texts of these characters are kept as they are; every other UTF-16 unit is written as %XXXX. */
const PLAIN = charactersOf("_.@-");
const NOT_PLAIN = /[^A-Za-z0-9_.@-]/g;

/**
 * The longest encoded id that is kept in readable form. Keys stay short whatever callers send; 128
 * characters hold every id of ordinary life.
 */
const READABLE_ID_MAX = 128;

/**
 * The id of a descriptor as one text: its parts joined by `:`. No two different ids of a kind have
 * the same text: `:` cannot occur inside a part, and `%` only begins an escape. An id whose
 * encoding is longer than 128 characters becomes `#` and the SHA-256 of that encoding, where `#`
 * cannot occur in readable ids. ASCII only, at most 128 characters; no braces, blanks or newlines.
 *
 * Lone surrogates are escaped unit by unit, so ids that UTF-8 would fold together stay apart.
 */
export function idText(id: string | readonly string[]): string {
  const encoded = typeof id === "string" ? encodePart(id) : encodeParts(id);
  if (encoded.length <= READABLE_ID_MAX) return encoded;
  return `#${bytesToHex(sha256(asciiBytes(encoded)))}`;
}

function encodeParts(parts: readonly string[]): string {
  let encoded = encodePart(parts[0] ?? "");
  for (let index = 1; index < parts.length; index += 1) {
    encoded += `:${encodePart(parts[index] ?? "")}`;
  }
  return encoded;
}

function encodePart(part: string): string {
  return consistsOf(part, PLAIN) ? part : part.replace(NOT_PLAIN, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
