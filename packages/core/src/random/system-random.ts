import type { Random } from "./random";

const ID_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** 16 characters of 6 bits each: 96 random bits. */
const PREFIX_LENGTH = 16;

/**
 * The chance of this process. `next` is fast and not for secrets. An `id` is a prefix of 96
 * cryptographically random bits, drawn once per call of `systemRandom`, and a counter in base 36:
 * 17 to 27 characters, unique over all processes, but not hard to guess once one id was seen. Never
 * throws.
 *
 * @remarks A prefix and a counter instead of a UUID, because an id is made for every question and
 * is stored with every lease: it is made in less than half the time and is shorter.
 */
export function systemRandom(): Random {
  const prefix = randomPrefix();
  let count = 0;
  return Object.freeze({
    next: () => Math.random(),
    id: () => {
      count += 1;
      return prefix + count.toString(36);
    },
  });
}

function randomPrefix(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(PREFIX_LENGTH));
  // 256 is a multiple of 64, so that masking keeps every character equally likely.
  return Array.from(bytes, (byte) => ID_ALPHABET.charAt(byte & 63)).join("");
}
