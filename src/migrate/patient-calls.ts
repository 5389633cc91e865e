import { classOfError } from '../kit/error-class.ts';
import { repeat } from '../kit/repeat.ts';
import { pauseAfter } from '../kit/retry-policy.ts';
import { toolPolicies } from '../kit/tool-policies.ts';
import type { CapacityPace } from './capacity-pace.ts';
import type { MigrationCalls, MigrationOperation, MigrationSurroundings } from './migration-calls.ts';
import { MigrationError } from './migration-error.ts';

interface ConsumedCapacity {
  readonly CapacityUnits?: number;
  readonly Table?: { readonly CapacityUnits?: number };
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits?: number }>>;
}

interface Consuming {
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
}

/**
 * Calls that wait for their turn, back off from throttles, and go on over short outages. Whatever may pass is tried again;
 * a missing permission ends the migration.
 */
export class PatientCalls {
  readonly #calls: MigrationCalls;
  readonly #surroundings: MigrationSurroundings;
  readonly #signal: AbortSignal;

  constructor(calls: MigrationCalls, surroundings: MigrationSurroundings, signal: AbortSignal) {
    this.#calls = calls;
    this.#surroundings = surroundings;
    this.#signal = signal;
  }

  get signal(): AbortSignal {
    return this.#signal;
  }

  /** A call that nobody counts, such as DescribeTable. */
  call<Answer>(operation: MigrationOperation, input: object): Promise<Answer> {
    return this.#patient(operation, input, undefined);
  }

  /** A call that is paid from a pace; answers the units as well. */
  async paced<Answer>(
    operation: MigrationOperation,
    input: object,
    pace: CapacityPace,
    estimated: number,
  ): Promise<{ readonly answer: Answer; readonly units: number }> {
    await pace.take(estimated, this.#signal);
    const asked = { ...input, ReturnConsumedCapacity: 'INDEXES' };
    const answer = await this.#patient<Answer>(operation, asked, pace);
    const units = unitsOf(answer as Consuming) ?? estimated;
    pace.settle(estimated, units);
    return { answer, units };
  }

  async #patient<Answer>(
    operation: MigrationOperation,
    input: object,
    pace: CapacityPace | undefined,
  ): Promise<Answer> {
    if (this.#signal.aborted) throw this.#signal.reason;
    try {
      return await repeat(() => this.#calls.call<Answer>(operation, input), {
        ...{
          policy: toolPolicies.migration,
          pause: (ms) => this.#pause(ms),
          random: this.#surroundings.random,
        },
        signal: this.#signal,
        failed: (_, kind) => {
          if (kind === 'throttled') pace?.throttled();
        },
      });
    } catch (error) {
      if (this.#signal.aborted) throw this.#signal.reason;
      throw isDenied(error) ? denied(operation, error) : error;
    }
  }

  /**
   * Waits before the keys that a BatchGetItem left are asked for again, for the `round`-th time without an item. A table that
   * gives nothing for as long as throttled calls are repeated ends the migration.
   */
  async waitForLeft(pace: CapacityPace, round: number): Promise<void> {
    pace.throttled();
    const ms = pauseAfter(toolPolicies.migration, 'throttled', round, this.#surroundings.random);
    if (ms === undefined)
      throw Object.assign(new Error(`BatchGetItem left all keys unprocessed ${round} times in a row`), {
        name: 'ThrottlingException',
      });
    await this.#pause(ms);
  }

  #pause(ms: number): Promise<void> {
    return this.#surroundings.wait(ms, this.#signal);
  }
}

/** The units of the arm that was charged most: the rate is allowed to the table and to each index. */
function unitsOf({ ConsumedCapacity }: Consuming): number | undefined {
  if (ConsumedCapacity === undefined) return undefined;
  const all = Array.isArray(ConsumedCapacity)
    ? (ConsumedCapacity as readonly ConsumedCapacity[])
    : [ConsumedCapacity as ConsumedCapacity];
  return Math.max(
    0,
    ...all.map(({ CapacityUnits = 0, Table, GlobalSecondaryIndexes }) =>
      Table === undefined
        ? CapacityUnits
        : Math.max(
            Table.CapacityUnits ?? 0,
            ...Object.values(GlobalSecondaryIndexes ?? {}).map((one) => one.CapacityUnits ?? 0),
          ),
    ),
  );
}

function isDenied(error: unknown): boolean {
  return classOfError(error) === 'denied';
}

function denied(operation: string, error: unknown): MigrationError {
  return new MigrationError(
    'denied',
    `The credentials may not call dynamodb:${permissionOf(operation)}: ${(error as Error).message}`,
    'What is done so far is kept. Give the permission, and the same command goes on where it stopped.',
    error,
  );
}

function permissionOf(operation: string): string {
  if (operation === 'TransactGetItems') return 'GetItem';
  return operation === 'TransactWriteItems'
    ? 'PutItem, UpdateItem, DeleteItem or ConditionCheckItem'
    : operation;
}
