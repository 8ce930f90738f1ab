import { dirname } from "node:path";
import type { Fence } from "../markdown";

/** A fenced block of a document and the block after it. */
export interface Example {
  /** The document, relative to the root. */
  readonly path: string;
  readonly fence: Fence;
  readonly next: Fence | undefined;
}

export function isTypeScript({ fence }: Example): boolean {
  return fence.info[0] === "ts";
}

/**
 * Where the example stands as a module: beside its document, so that it meets the packages that a
 * reader of that document would have.
 */
export function modulePath({ path, fence }: Example): string {
  const folder = dirname(path);
  const file = `.example-${fence.line}.ts`;
  return folder === "." ? file : `${folder}/${file}`;
}
