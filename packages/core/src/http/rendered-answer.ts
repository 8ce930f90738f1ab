import { isIntegerWithin } from "../options/read";

/** An HTTP answer that a framework can send as it is. */
export interface RenderedAnswer {
  /** 200 to 599. */
  readonly status: number;
  /**
   * Field values by field name, all valid as they are. Those rendered here have lower-case names.
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Whether a value is a complete answer with valid fields: how a gate's `degraded` is told from
 * values that mean something to its owner only. Never throws.
 */
export function isRenderedAnswer(value: unknown): value is RenderedAnswer {
  if (typeof value !== "object" || value === null) return false;
  const { status, headers, body } = value as Partial<RenderedAnswer>;
  if (!isIntegerWithin(status, 200, 599) || typeof body !== "string") return false;
  if (typeof headers !== "object" || headers === null) return false;
  return Object.entries(headers).every(
    ([name, field]) => isFieldName(name) && typeof field === "string" && isFieldValue(field),
  );
}

function isFieldName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name);
}

/**
 * Whether a text can stand as a field value: visible ASCII with spaces and tabs inside, which is
 * RFC
 * 9110 without its obsolete bytes.
 */
export function isFieldValue(text: string): boolean {
  return /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/.test(text);
}
