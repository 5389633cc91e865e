import { Stator } from '../index.ts';
import { shown } from '../model/check-options.ts';
import { refuseRequests } from '../stator.ts';
import {
  built,
  checkTestOptions,
  emptyDatabase,
  TestDatabase,
  type TestDatabaseOptions,
} from './test-database.ts';

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
  checkFrom(from);
  checkHooks(hooks);
  const db = from instanceof TestDatabase ? from.db : emptyDatabase(from);
  refuseRequests(db, noTestYet);
  if (from instanceof TestDatabase) {
    hooks.beforeEach(async () => begin(from));
    return db;
  }
  let base: Promise<TestDatabase> | undefined;
  const build = () => {
    base ??= built(from).then((finished) => new TestDatabase(finished, db));
    return base;
  };
  (hooks.beforeAll ?? hooks.before)?.(async () => void (await build()));
  hooks.beforeEach(async () => begin(await build()));
  (hooks.afterAll ?? hooks.after)?.(async () => {
    await (await base)?.close();
  });
  return db;
}

/** What was written before a test would be gone when it begins, without any error. */
const noTestYet =
  'The database of forkPerTest answers once a test has begun, because it is reset before each test: use setup for what every test begins with, as in forkPerTest({ tables, setup: ({ db }) => … }, hooks)';

function begin(base: TestDatabase): void {
  base.reset();
  refuseRequests(base.db, undefined);
}

function checkFrom(from: TestDatabase | TestDatabaseOptions): void {
  if (from instanceof TestDatabase) return;
  if (from instanceof Promise || from instanceof Stator)
    throw new TypeError(
      `forkPerTest takes the options of testDatabase, or the result of await testDatabase(…), and not ${shown(from)}`,
    );
  checkTestOptions(from, 'forkPerTest');
}

function checkHooks(hooks: Hooks): void {
  if (typeof hooks?.beforeEach !== 'function')
    throw new TypeError(
      'forkPerTest needs the hooks of your test runner: forkPerTest(…, { beforeEach, afterAll })',
    );
  for (const name of ['beforeAll', 'before', 'afterAll', 'after'] as const)
    if (hooks[name] !== undefined && typeof hooks[name] !== 'function')
      throw new TypeError(
        `forkPerTest: ${name} must be the hook of your test runner, and not ${shown(hooks[name])}`,
      );
}
