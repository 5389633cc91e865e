import type { Stator } from '../index.ts';
import { built, emptyDatabase, TestDatabase, type TestDatabaseOptions } from './test-database.ts';

/** What Jest, Vitest and node:test have in common: their hooks take a function that answers a promise. */
type Hook = (run: () => Promise<void>) => unknown;

/**
 * The hooks of any runner, under the names they have there: Vitest and Jest say `beforeAll` and `afterAll`, node:test
 * says `before` and `after`. Only `beforeEach` is needed; with the others, building counts against no single test
 * and the database is closed at the end.
 */
export interface Hooks {
  readonly beforeEach: Hook;
  readonly beforeAll?: Hook;
  readonly before?: Hook;
  readonly afterAll?: Hook;
  readonly after?: Hook;
}

/**
 * A database that is as new for every test. It is the same object throughout, so that a client made from it once,
 * by the code under test or at the top of a file, speaks to the fresh database of the test that is running. Given
 * options instead of a database, it is built before the first test, which also suits files that cannot wait at
 * their top level.
 */
export function forkPerTest(from: TestDatabase | TestDatabaseOptions, hooks: Hooks): Stator {
  if (typeof hooks?.beforeEach !== 'function')
    throw new TypeError(
      'forkPerTest needs the hooks of your test runner: forkPerTest(…, { beforeEach, afterAll })',
    );
  if (from instanceof TestDatabase) {
    hooks.beforeEach(async () => from.reset());
    return from.db;
  }
  const db = emptyDatabase(from);
  let base: Promise<TestDatabase> | undefined;
  const build = async () => {
    base ??= built(from).then((finished) => new TestDatabase(finished, db));
    await base;
  };
  (hooks.beforeAll ?? hooks.before)?.(build);
  hooks.beforeEach(async () => {
    await build();
    (await base)?.reset();
  });
  (hooks.afterAll ?? hooks.after)?.(async () => {
    await (await base)?.close();
  });
  return db;
}
