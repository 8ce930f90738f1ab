/**
 * The functions of a test runner that the suite is written with: those of `node:test`, vitest,
 * Jest and others fit. What a case expects it asserts by itself.
 */
export interface ConformanceRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: (name: string, run: () => Promise<void>) => unknown;
}
