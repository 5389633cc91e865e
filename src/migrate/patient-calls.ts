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

const attemptsMax = 30;

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
    for (let attempt = 1; ; attempt++) {
      if (this.#signal.aborted) throw this.#signal.reason;
      try {
        return await this.#calls.call<Answer>(operation, input);
      } catch (error) {
        if (this.#signal.aborted) throw this.#signal.reason;
        if (isDenied(error)) throw denied(operation, error);
        const isThrottle = isThrottled(error);
        if (isThrottle) pace?.throttled();
        if (!(isThrottle || isPassing(error)) || attempt === attemptsMax) throw error;
        const ms = Math.min(5_000, 50 * 2 ** Math.min(attempt, 8));
        await this.#surroundings.wait(ms * (0.5 + this.#surroundings.random() / 2), this.#signal);
      }
    }
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

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** Why each action of a cancelled transaction was refused; `None` where it was not. */
export function cancellationCodes(error: unknown): readonly string[] {
  const { CancellationReasons } = error as {
    readonly CancellationReasons?: readonly { readonly Code?: string }[];
  };
  if (CancellationReasons !== undefined) return CancellationReasons.map(({ Code }) => Code ?? 'None');
  // Not every client hands the reasons on, but the text names them.
  const listed = /\[([^\]]*)\]/.exec((error as Error).message ?? '');
  return listed === null ? [] : listed[1]!.split(',').map((one) => one.trim());
}

const throttles = /Throttling|ThroughputExceeded|RequestLimitExceeded|LimitExceeded/;

function isThrottled(error: unknown): boolean {
  if (nameOf(error) === 'TransactionCanceledException')
    return (
      cancellationCodes(error).some((code) => throttles.test(code)) &&
      !cancellationCodes(error).includes('ConditionalCheckFailed')
    );
  return throttles.test(nameOf(error));
}

/** Another transaction held an item, the service had a bad moment, or nobody answered. */
function isPassing(error: unknown): boolean {
  const name = nameOf(error);
  if (name === 'TransactionCanceledException') {
    const codes = cancellationCodes(error);
    return codes.includes('TransactionConflict') && !codes.includes('ConditionalCheckFailed');
  }
  if (
    /^(TransactionConflict|TransactionInProgress|InternalServer|InternalServerError|ServiceUnavailable)/.test(
      name,
    )
  )
    return true;
  const { status, $metadata, code, endpoint } = error as {
    readonly status?: number;
    readonly $metadata?: { readonly httpStatusCode?: number };
    readonly code?: string;
    readonly endpoint?: string;
  };
  if ((status ?? $metadata?.httpStatusCode ?? 0) >= 500) return true;
  return (
    endpoint !== undefined ||
    /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/.test(code ?? '') ||
    /^(TimeoutError|NetworkingError)$/.test(name)
  );
}

export function isDenied(error: unknown): boolean {
  return /AccessDenied|UnrecognizedClient|ExpiredToken|InvalidSignature|NotAuthorized/.test(nameOf(error));
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
