import { shown } from '../model/check-options.ts';
import { DynamoError, internalServerError } from '../model/errors.ts';
import { nearest } from '../model/nearest.ts';
import { equalValues } from '../model/values/attribute-value.ts';
import { readAttributeValue } from '../model/values/read-attribute-value.ts';
import type { Touch } from './road.ts';
import { transactionConflict, transactionInProgress } from './transactions/cancellation.ts';

/** The errors that can be injected, each with the service's text. */
export const faultErrors = {
  InternalServerError: internalServerError,
  ProvisionedThroughputExceededException: () =>
    new DynamoError(
      'ProvisionedThroughputExceededException',
      'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.',
    ),
  RequestLimitExceeded: () =>
    new DynamoError(
      'RequestLimitExceeded',
      'Throughput exceeds the current throughput limit for your account. To request a limit increase, contact AWS Support at https://aws.amazon.com/support.',
    ),
  ThrottlingException: () =>
    new DynamoError(
      'ThrottlingException',
      'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html',
    ),
  TransactionConflictException: transactionConflict,
  TransactionInProgressException: transactionInProgress,
} as const satisfies Record<string, () => DynamoError>;

/** The errors that a fault can answer with. */
export type FaultError = keyof typeof faultErrors;

/** A rule for the requests that fail, and their error. A field that is left out matches every request. */
export interface Fault {
  readonly error: FaultError;
  /** The name of an operation, such as `PutItem`. */
  readonly operation?: string;
  /** The name of a table. */
  readonly table?: string;
  /** Attributes, as DynamoDB JSON. A key or an item of the request must have them all. */
  readonly key?: Readonly<Record<string, unknown>>;
  /** The number of requests that fail. Defaults to one. */
  readonly times?: number;
  /** If true, the request is executed and only its answer is lost, as can happen with an InternalServerError. */
  readonly afterwards?: boolean;
}

/** A fault that waits for matching requests. */
export interface ArmedFault extends Fault {
  readonly id: number;
  readonly times: number;
}

/**
 * The armed faults. Tests inject errors to see how a program handles them. Faults live in the engine, not in the Store:
 * a fork, a restart or a reset starts without any.
 */
export class Faults {
  readonly #operations: readonly string[] | undefined;
  #armed: readonly ArmedFault[] = [];
  #lastId = 0;

  /** `operations` lists the operation names that a fault may use. Without it, any name is allowed. */
  constructor(operations?: readonly string[]) {
    this.#operations = operations;
  }

  get isEmpty(): boolean {
    return this.#armed.length === 0;
  }

  get all(): readonly ArmedFault[] {
    return this.#armed;
  }

  /**
   * Arms a fault. An invalid fault is a TypeError, because a fault that never matches would make a test pass for no
   * reason.
   */
  add(fault: Fault): ArmedFault {
    checkFault(fault, this.#operations);
    this.#lastId++;
    const armed: ArmedFault = { ...fault, id: this.#lastId, times: fault.times ?? 1 };
    this.#armed = [...this.#armed, armed];
    return armed;
  }

  /** Returns whether the fault existed. */
  remove(id: number): boolean {
    const left = this.#armed.filter((fault) => fault.id !== id);
    const isFound = left.length < this.#armed.length;
    this.#armed = left;
    return isFound;
  }

  clear(): void {
    this.#armed = [];
  }

  /** Finds the first armed fault that matches a touch, and the position of that touch. Uses the fault up by one. */
  strike(
    operation: string,
    touches: readonly Touch[],
  ): { readonly fault: ArmedFault; readonly position: number } | undefined {
    for (const fault of this.#armed) {
      if (fault.operation !== undefined && fault.operation !== operation) continue;
      const matchesAny = fault.table === undefined && fault.key === undefined;
      const position = matchesAny ? 0 : touches.findIndex((touch) => matches(fault, touch));
      if (position === -1) continue;
      this.#use(fault);
      return { fault, position };
    }
    return undefined;
  }

  #use(used: ArmedFault): void {
    const rest = { ...used, times: used.times - 1 };
    this.#armed = this.#armed.flatMap((fault) => {
      if (fault !== used) return [fault];
      return rest.times > 0 ? [rest] : [];
    });
  }
}

function matches({ table, key }: Fault, { tableName, attributes }: Touch): boolean {
  if (table !== undefined && table !== tableName) return false;
  if (key === undefined) return true;
  if (attributes === undefined) return false;
  return Object.entries(key).every(([name, wanted]) => {
    const value = attributes.get(name);
    const read = readAttributeValue(wanted, 'newer');
    return value !== undefined && !(read instanceof DynamoError) && equalValues(value, read);
  });
}

const timesMax = 1_000_000;

function checkFault(fault: Fault, operations: readonly string[] | undefined): void {
  if (typeof fault !== 'object' || fault === null)
    throw new TypeError(
      `A fault is an object such as { error: "ThrottlingException", table: "orders" }, and not ${shown(fault)}`,
    );
  const { error, operation, table, key, times, afterwards, ...others } = fault;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) {
    const meant = nearest(unknown, ['error', 'operation', 'table', 'key', 'times', 'afterwards']);
    throw new TypeError(
      `${unknown} is not known here${meant === undefined ? '' : `: did you mean ${meant}?`}`,
    );
  }
  if (!Object.hasOwn(faultErrors, error))
    throw new TypeError(`error must be one of ${Object.keys(faultErrors).join(', ')}`);
  if (operation !== undefined) checkOperation(operation, operations);
  if (table !== undefined && (typeof table !== 'string' || table === ''))
    throw new TypeError('table must be a name');
  if (key !== undefined && !isAttributes(key))
    throw new TypeError('key must be an object of attributes, such as {"pk": {"S": "a"}}');
  if (times !== undefined && !(Number.isInteger(times) && times >= 1 && times <= timesMax))
    throw new TypeError(`times must be a whole number from 1 to ${timesMax}`);
  if (afterwards !== undefined && typeof afterwards !== 'boolean')
    throw new TypeError('afterwards must be true or false');
}

function checkOperation(operation: unknown, known: readonly string[] | undefined): void {
  if (typeof operation !== 'string')
    throw new TypeError('operation must be the name of an operation, such as PutItem');
  if (known === undefined || known.includes(operation)) return;
  const meant = nearest(operation, known);
  throw new TypeError(
    `operation must be the name of an operation, such as PutItem: ${shown(operation)} is none` +
      (meant === undefined ? '' : `, did you mean ${meant}?`),
  );
}

function isAttributes(key: unknown): boolean {
  return typeof key === 'object' && key !== null && !Array.isArray(key) && Object.keys(key).length > 0;
}
