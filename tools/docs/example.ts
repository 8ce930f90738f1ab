import { basename, dirname } from "node:path";
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
 * reader of that document would have, or in the folder that it names (`ts run in=packages/koa`).
 */
export function modulePath({ path, fence }: Example): string {
  const named = fence.info.find((word) => word.startsWith("in="))?.slice("in=".length);
  const folder = named ?? dirname(path);
  const file = `.example-${basename(path, ".md")}-${fence.line}.ts`;
  return folder === "." ? file : `${folder}/${file}`;
}
