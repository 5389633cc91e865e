import { counted } from '../model/counted.ts';
import { numberText, unitsText } from './unit-text.ts';

/** One request of the learner's code and what became of it. */
export interface Entry {
  readonly operation: string;
  readonly index: string | undefined;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Write units of global indexes, which are in `writeUnits` too. */
  readonly indexUnits: number;
  /** Items that were read, and those of them that were returned. */
  readonly scanned: number;
  readonly returned: number;
  /** The error, of a request that was refused. */
  readonly refused?: string;
}

interface CapacityAnswer {
  readonly CapacityUnits?: number;
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits?: number }>>;
}

interface AnyAnswer {
  readonly ConsumedCapacity?: CapacityAnswer | readonly CapacityAnswer[];
  readonly Count?: number;
  readonly ScannedCount?: number;
  readonly Item?: unknown;
  readonly Responses?: unknown;
}

const reads = ['getItem', 'query', 'scan', 'batchGetItem', 'transactGetItems'];

export const throttleNames: readonly string[] = [
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
];

/** What the learner's code has asked for, request by request. */
export class Ledger {
  #entries: Entry[] = [];
  /** Requests that were sent and are not answered yet. */
  pending = 0;

  add(operation: string, request: { readonly IndexName?: unknown }, answer: AnyAnswer): void {
    const given = answer.ConsumedCapacity;
    const consumed: readonly CapacityAnswer[] =
      given === undefined ? [] : Array.isArray(given) ? given : [given as CapacityAnswer];
    const units = sum(consumed, ({ CapacityUnits = 0 }) => CapacityUnits);
    const isRead = reads.includes(operation);
    const index = sum(consumed, ({ GlobalSecondaryIndexes = {} }) =>
      sum(Object.values(GlobalSecondaryIndexes), ({ CapacityUnits = 0 }) => CapacityUnits),
    );
    const found = itemsIn(answer);
    this.#entries.push({
      operation,
      index: typeof request.IndexName === 'string' ? request.IndexName : undefined,
      readUnits: isRead ? units : 0,
      writeUnits: isRead ? 0 : units,
      indexUnits: isRead ? 0 : index,
      scanned: answer.ScannedCount ?? found,
      returned: answer.Count ?? found,
    });
  }

  refuse(operation: string, request: { readonly IndexName?: unknown }, name: string): void {
    const index = typeof request.IndexName === 'string' ? request.IndexName : undefined;
    const nothing = { readUnits: 0, writeUnits: 0, indexUnits: 0, scanned: 0, returned: 0 };
    this.#entries.push({ operation, index, ...nothing, refused: name });
  }

  get count(): number {
    return this.#entries.length;
  }

  /** The requests since the last call of `take`. */
  take(): Account {
    return new Account(this.#entries.splice(0));
  }
}

/** Requests added up. */
class Account {
  readonly entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.entries = entries;
  }

  get requests(): number {
    return this.entries.length;
  }

  get readUnits(): number {
    return sum(this.entries, ({ readUnits }) => readUnits);
  }

  get writeUnits(): number {
    return sum(this.entries, ({ writeUnits }) => writeUnits);
  }

  get indexUnits(): number {
    return sum(this.entries, ({ indexUnits }) => indexUnits);
  }

  get scanned(): number {
    return sum(this.entries, ({ scanned }) => scanned);
  }

  get returned(): number {
    return sum(this.entries, ({ returned }) => returned);
  }

  get throttled(): number {
    return this.entries.filter(({ refused }) => refused !== undefined && throttleNames.includes(refused))
      .length;
  }

  of(operation: string): Account {
    return new Account(this.entries.filter((entry) => entry.operation === operation));
  }

  /** `1 Query read 412 items and returned 3, for 51.5 read units` */
  toString(): string {
    const kinds = new Map<string, number>();
    for (const { operation } of this.entries) kinds.set(operation, (kinds.get(operation) ?? 0) + 1);
    if (kinds.size === 0) return 'no requests';
    const asked = [...kinds].map(
      ([operation, count]) => `${count.toLocaleString('en-US')} ${title(operation)}`,
    );
    const parts: string[] = [];
    if (this.readUnits > 0 || this.scanned > 0)
      parts.push(
        `read ${counted(this.scanned, 'item')} and returned ${numberText(this.returned)}, for ${unitsText(this.readUnits, 'read')}`,
      );
    if (this.writeUnits > 0) parts.push(`used ${unitsText(this.writeUnits, 'write')}`);
    return `${asked.join(', ')}${parts.length === 0 ? '' : ` ${parts.join(' and ')}`}`;
  }
}

function itemsIn({ Item, Responses }: AnyAnswer): number {
  if (Item !== undefined) return 1;
  if (Array.isArray(Responses)) return Responses.length;
  if (typeof Responses !== 'object' || Responses === null) return 0;
  return sum(Object.values(Responses), (list) => (Array.isArray(list) ? list.length : 0));
}

function sum<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((total, one) => total + of(one), 0);
}

function title(operation: string): string {
  return operation.charAt(0).toUpperCase() + operation.slice(1);
}
