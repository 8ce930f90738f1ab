import {
  ASYMMETRIC_MATCHERS_OBJECT,
  chai,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
} from "@vitest/expect";

/**
 * Stands in for `vitest` where one bundle of tests is run a thousand times: the same `expect`, and
 * just enough of `describe` and `it` to run every test once, in order, until the first one fails.
 */
type Body = () => unknown;

interface Test {
  readonly name: string;
  readonly body: Body;
  readonly before: readonly Body[];
  readonly after: readonly Body[];
}

interface Suite {
  readonly names: readonly string[];
  readonly before: Body[];
  readonly after: Body[];
}

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

const assertion = (value: unknown, message?: string) => chai.expect(value, message);
const matchers: object = Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT);

export const expect = Object.assign(assertion, chai.expect, matchers);

const tests: Test[] = [];
let suite: Suite = { names: [], before: [], after: [] };

function addSuite(name: string, body: Body): void {
  const outer = suite;
  suite = { names: [...outer.names, name], before: [...outer.before], after: [...outer.after] };
  body();
  suite = outer;
}

function addTest(name: string, body: Body): void {
  const { names, before, after } = suite;
  tests.push({ name: [...names, name].join(" > "), body, before, after });
}

type Add = (name: string, body: Body) => void;

/** `it.each(table)(name, body)`: one test per row; the titles are only told apart by number. */
function withEach(add: Add) {
  const each =
    (rows: readonly unknown[]) => (name: string, body: (...row: unknown[]) => unknown) => {
      for (const [index, row] of rows.entries()) {
        const values = Array.isArray(row) ? row : [row];
        add(`${name} (${index})`, () => body(...values));
      }
    };
  return Object.assign((name: string, body: Body) => add(name, body), { each });
}

export const describe = withEach(addSuite);
export const it = withEach(addTest);

export function beforeEach(body: Body): void {
  suite.before.push(body);
}

export function afterEach(body: Body): void {
  suite.after.push(body);
}

/** Runs everything that was added; rejects with the first failure and the name of the test. */
export async function runAll(): Promise<void> {
  if (tests.length === 0) throw new Error("there are no tests");
  for (const { name, body, before, after } of tests) {
    try {
      for (const prepare of before) await prepare();
      await body();
      for (const tidy of after) await tidy();
    } catch (error) {
      throw new Error(`${name}: ${firstLine(error)}`, { cause: error });
    }
  }
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n")[0] ?? "";
}
