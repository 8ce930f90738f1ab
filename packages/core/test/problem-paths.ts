import { InvalidOptionsError } from "@sluice/core";

/** The paths of all problems that a call is refused for; none if it is not refused. */
export function problemPathsOf(make: () => unknown): string[] {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems.map(({ path }) => path);
    throw error;
  }
  return [];
}
