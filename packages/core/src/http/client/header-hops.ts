const COMMA = 44;
const SEMICOLON = 59;
const EQUALS = 61;
const QUOTE = 34;
const BACKSLASH = 92;
const SPACE = 32;
const TAB = 9;

/**
 * What proxies have written into a forwarding header, the nearest proxy's entry first. Read from
 * the right, so that nothing a client sent can change how the entries of proxies are read.
 */
export interface HeaderHops {
  /** The next entry that is not empty, without blanks around it; `undefined` after the last. */
  next(): string | undefined;
}

/** The entries of a plain list, such as `X-Forwarded-For`. */
export function listHops(text: string): HeaderHops {
  let end = text.length;
  return {
    next() {
      end = endOfEntry(text, end);
      if (end === 0) return undefined;
      const comma = text.lastIndexOf(",", end - 1);
      const entry = text.slice(comma + 1, end).trim();
      end = Math.max(comma, 0);
      return entry;
    },
  };
}

/** The `for` of each element of `Forwarded` (RFC 7239); `unknown` where an element has none. */
export function forwardedHops(text: string): HeaderHops {
  let end = text.length;
  return {
    next() {
      end = endOfEntry(text, end);
      if (end === 0) return undefined;
      const start = startOfPiece(text, end, COMMA);
      if (start < 0) {
        end = 0;
        return "unknown";
      }
      const element = text.slice(start, end).trim();
      end = Math.max(start - 1, 0);
      return forOf(element);
    },
  };
}

/** The end without empty entries and blanks before it, of which a header can be full. */
function endOfEntry(text: string, from: number): number {
  let end = from;
  for (; end > 0; end -= 1) {
    const code = text.charCodeAt(end - 1);
    if (code !== COMMA && code !== SPACE && code !== TAB) break;
  }
  return end;
}

/**
 * Where the piece begins that ends at `end`, after a separator outside quotes or at 0. -1 if a
 * quote stands where no text in quotes begins or ends: a client has sent it, in a Host that the
 * proxy copied, and it would hide a separator.
 */
function startOfPiece(text: string, end: number, separator: number): number {
  let isQuoted = false;
  let next = separator;
  for (let index = end - 1; index >= 0; index -= 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE && !isEscaped(text, index)) {
      const isPlaced = isQuoted ? text.charCodeAt(index - 1) === EQUALS : isSeparator(next);
      if (!isPlaced) return -1;
      isQuoted = !isQuoted;
    } else if (code === separator && !isQuoted) return index + 1;
    if (code !== SPACE && code !== TAB) next = code;
  }
  return 0;
}

function isSeparator(code: number): boolean {
  return code === COMMA || code === SEMICOLON;
}

function isEscaped(text: string, at: number): boolean {
  let index = at;
  while (index > 0 && text.charCodeAt(index - 1) === BACKSLASH) index -= 1;
  return (at - index) % 2 === 1;
}

/** The value of the only `for` of an element; no node that can be read has escapes in it. */
function forOf(element: string): string {
  let found: string | undefined;
  for (let end = element.length; end > 0; ) {
    const start = Math.max(startOfPiece(element, end, SEMICOLON), 0);
    const pair = element.slice(start, end).trim();
    end = start - 1;
    if (!/^for=/i.test(pair)) continue;
    if (found !== undefined) return "unknown";
    found = pair.slice("for=".length);
  }
  if (found === undefined) return "unknown";
  const isQuoted = found.length >= 2 && found.startsWith('"') && found.endsWith('"');
  return isQuoted ? found.slice(1, -1) : found;
}
