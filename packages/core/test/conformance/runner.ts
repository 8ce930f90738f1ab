/** What is expected of a value, as vitest, Jest and others have it. */
export interface Expectation {
  toBe(expected: unknown): void;
  toEqual(expected: unknown): void;
  toMatchObject(expected: object): void;
  toBeGreaterThan(least: number): void;
  toBeLessThanOrEqual(most: number): void;
}

/** The functions of a test runner that the suite is written with: vitest's, or Jest's. */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: (name: string, run: () => Promise<void>) => unknown;
  readonly afterAll: (run: () => Promise<void>) => unknown;
  readonly expect: (value: unknown, message?: string) => Expectation;
}
