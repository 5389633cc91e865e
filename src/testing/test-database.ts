import { type DynamoDBClient, type ForkOptions, Stator, type StatorOptions, VirtualClock } from '../index.ts';
import {
  type Check,
  checkOptions,
  mustBe,
  mustBeFunction,
  type OptionChecks,
  shown,
} from '../model/check-options.ts';
import { inMemoryChecks } from '../stator-options.ts';
import type { ReadOptions, TableDefinition } from '../tables-from/table-definition.ts';
import { tablesFromContent, tablesFromText } from '../tables-from/tables-from-text.ts';
import { createTables } from './create-tables.ts';

/** Options of a test database: its tables, how it is filled, and those of `Stator.open`. */
export interface TestDatabaseOptions extends Omit<StatorOptions, 'store'> {
  /** CreateTable requests or describe-table's output, one or several, as objects or as the text of a file. */
  readonly tables?: TableSource | readonly TableSource[];
  /** A template, as an object or as text in JSON or YAML; its tables are made, the rest is passed over. */
  readonly cloudFormation?: string | object;
  /** Values for the template's parameters, before their defaults. */
  readonly parameters?: NonNullable<ReadOptions['parameters']>;
  /** Makes tables and items that every test begins with. `client` needs the package `@aws-sdk/client-dynamodb`. */
  readonly setup?: (given: { readonly client: DynamoDBClient; readonly db: Stator }) => unknown;
}

/** A CreateTable request or the output of describe-table, as an object or as the text of a file. */
export type TableSource = string | object;

/**
 * A database that is built once and then copied. `db` is one copy that can be put back to the beginning while
 * clients of it stay as they are; `fork()` makes further ones.
 */
export class TestDatabase {
  /** Tests work on this one. */
  readonly db: Stator;
  readonly #built: Stator;

  /** `db` becomes what `built` is. */
  constructor(built: Stator, db: Stator) {
    this.#built = built;
    this.db = db;
    db.restore(built);
  }

  /**
   * A database of its own in the state as built, for tests that run side by side in one process. Its clock is its own
   * too; whoever wants to move it hands one in.
   */
  fork(options?: ForkOptions): Stator {
    return this.#built.fork(options);
  }

  /** Puts `db` back to the state as built, its clock and seed included. */
  reset(): void {
    this.db.restore(this.#built);
  }

  async close(): Promise<void> {
    await this.db.close();
    await this.#built.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Builds the database that tests begin with. Everything is in memory, so workers in parallel never meet. */
export async function testDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  checkTestOptions(options, 'testDatabase');
  return new TestDatabase(await built(options), emptyDatabase(options));
}

const mustBeSource: Check = (value, name) => {
  if (typeof value === 'string')
    return /^\S+\.(json|ya?ml|template)$/.test(value)
      ? `${name} must be the text of a file and not its name: readFileSync(${shown(value)}, 'utf8')`
      : undefined;
  if (typeof value === 'object' && value !== null) return undefined;
  return `${name} must be a CreateTable request or a template, as an object or as text, and not ${shown(value)}`;
};

const mustBeSources: Check = (value, name) => {
  const sources: unknown[] = Array.isArray(value) ? value : [value];
  const problems = sources.map((source, i) =>
    mustBeSource(source, sources === value ? `${name}[${i}]` : name),
  );
  return problems.find((problem) => problem !== undefined);
};

const testChecks: OptionChecks<TestDatabaseOptions> = {
  tables: mustBeSources,
  cloudFormation: mustBeSource,
  parameters: mustBe(
    "an object of the template's parameters",
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ),
  setup: mustBeFunction,
  ...inMemoryChecks,
};

export function checkTestOptions(options: TestDatabaseOptions, of: string): void {
  checkOptions(options, testChecks, of);
}

/** The database that the options describe, without tables. */
export function emptyDatabase(options: TestDatabaseOptions): Stator {
  const { tables: _, cloudFormation: __, parameters: ___, setup: ____, ...others } = options;
  return Stator.inMemory(others);
}

/**
 * The tables first, then what the function does with them. A virtual clock is copied: the one that was given belongs
 * to the database of the tests, which is put back to the time at which this one stands in the end.
 */
export async function built(options: TestDatabaseOptions): Promise<Stator> {
  const { clock } = options;
  const db = emptyDatabase(
    clock instanceof VirtualClock
      ? { ...options, clock: new VirtualClock(clock.nowMicros() / 1000) }
      : options,
  );
  await createTables(db, definitionsOf(options, db));
  await options.setup?.({
    db,
    // Made when it is asked for, so that who needs no SDK runs without one.
    get client() {
      return db.client();
    },
  });
  return db;
}

function definitionsOf(
  { tables = [], cloudFormation, parameters }: TestDatabaseOptions,
  db: Stator,
): TableDefinition[] {
  const options: ReadOptions = { region: db.region, note: db.log, ...(parameters && { parameters }) };
  const read = (source: TableSource, name: string) =>
    typeof source === 'string' ? tablesFromText(source, name, options) : tablesFromContent(source, options);
  return [
    ...[tables].flat().flatMap((source) => read(source, 'tables')),
    ...(cloudFormation === undefined ? [] : read(cloudFormation, 'cloudFormation')),
  ];
}
