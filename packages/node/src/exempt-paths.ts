import type { OptionsReader, Problems } from "@sluice/core";

/**
 * Paths that pass a gate uncounted, so that a full process can still be probed, measured and
 * drained.
 *
 * @remarks The list is LiteLLM's. `/health` is not on it, since it asks the upstreams.
 */
export const defaultExemptPaths: readonly string[] = Object.freeze([
  "/health/liveliness",
  "/health/liveness",
  "/health/readiness",
  "/health/readiness/details",
  "/health/backlog",
  "/health/drain",
  "/metrics",
  "/metrics/",
]);

/** Whether a request for this URL passes uncounted. */
export type IsExempt = (url: string | undefined) => boolean;

/** Paths are compared exactly, after the mount prefix and the query have been taken off. */
export function exemptPathTest(paths: ReadonlySet<string>, mountPrefix: string): IsExempt {
  const mounted = `${mountPrefix}/`;
  return (url = "") => {
    const query = url.indexOf("?");
    const path = query === -1 ? url : url.slice(0, query);
    // `/proxyhealth/liveliness` is no path under `/proxy`.
    return paths.has(path.startsWith(mounted) ? path.slice(mountPrefix.length) : path);
  };
}

/** Reads `exemptPaths`. Never throws; what is wrong is added to `problems`. */
export function readExemptPaths(reader: OptionsReader, problems: Problems): ReadonlySet<string> {
  const value = reader.raw("exemptPaths");
  if (value === undefined) return new Set(defaultExemptPaths);
  if (!Array.isArray(value)) {
    reader.problem("exemptPaths", "a list of paths");
    return new Set();
  }
  value.forEach((path, index) => {
    if (typeof path === "string" && /^\/[^?#]*$/.test(path)) return;
    problems.add(`exemptPaths[${index}]`, "a path that starts with / and has no query", path);
  });
  return new Set(value as readonly string[]);
}

/** Reads `mountPrefix`. Never throws. */
export function readMountPrefix(reader: OptionsReader): string {
  const expected = "an empty text, or a path that starts with / and does not end with /";
  return reader.text("mountPrefix", /^(?:\/[^?#]*[^?#/])?$/, expected, "");
}
