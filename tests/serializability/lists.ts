import {
  type AttributeValue,
  type DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  TransactGetItemsCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type Update,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { type Append, type Check, History, type Plan, type Read } from './history.ts';

export interface ListsRun {
  /** Each client of the run uses one of these. */
  readonly clients: readonly DynamoDBClient[];
  readonly tableName: string;
  readonly concurrency: number;
  readonly requests: number;
  readonly seed: number;
}

/**
 * Many clients append to lists and read them, one key or several at a time, in transactions and without; some of their
 * writes are done only if lists are as long as somebody saw them last. Answers all that happened.
 */
export async function runLists(run: ListsRun): Promise<History> {
  const history = new History();
  const keys = new KeysInUse();
  await Promise.all(
    Array.from({ length: run.concurrency }, async (_, number) => {
      const client = new ListClient(run, number, history, keys, seededRandom(run.seed + number));
      const own = Math.ceil((run.requests * (number + 1)) / run.concurrency);
      const before = Math.ceil((run.requests * number) / run.concurrency);
      for (let i = before; i < own; i++) await client.step();
    }),
  );
  const last = new ListClient(run, run.concurrency, history, keys, seededRandom(run.seed));
  for (const key of keys.all) await last.read([key]);
  return history;
}

/** A few keys at a time, so that clients meet; a key that has grown long makes room for a new one. */
class KeysInUse {
  readonly all: string[] = [];
  /** The lengths that were seen last, as guesses for conditions. */
  readonly lengths = new Map<string, number>();
  readonly #open: string[] = [];

  constructor() {
    while (this.#open.length < keysAtATime) this.#open.push(this.#newKey());
  }

  pick(random: SeededRandom, count: number): string[] {
    const chosen = new Set<string>();
    while (chosen.size < count) chosen.add(random.pick(this.#open));
    return [...chosen];
  }

  saw({ key, list }: Read): void {
    this.lengths.set(key, list.length);
    const at = this.#open.indexOf(key);
    if (at !== -1 && list.length >= longestList) this.#open[at] = this.#newKey();
  }

  #newKey(): string {
    const key = `list-${this.all.length}`;
    this.all.push(key);
    return key;
  }
}

const keysAtATime = 5;
const longestList = 30;

class ListClient {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #number: number;
  readonly #history: History;
  readonly #keys: KeysInUse;
  readonly #random: SeededRandom;

  constructor(run: ListsRun, number: number, history: History, keys: KeysInUse, random: SeededRandom) {
    this.#client = run.clients[number % run.clients.length]!;
    this.#tableName = run.tableName;
    this.#number = number;
    this.#history = history;
    this.#keys = keys;
    this.#random = random;
  }

  async step(): Promise<void> {
    const kind = this.#random.next();
    if (kind < 0.35) await this.read(this.#keys.pick(this.#random, 1 + this.#random.below(4)));
    else if (kind < 0.8) await this.#write(this.#keys.pick(this.#random, 1 + this.#random.below(4)));
    else await this.#writeOne(this.#keys.pick(this.#random, 1)[0]!);
  }

  /** Reads in a transaction, or one key sometimes without. */
  async read(keys: readonly string[]): Promise<void> {
    await this.#record({ appends: [], checks: [] }, async () => {
      if (keys.length === 1 && this.#random.chance(0.5)) {
        const request = { TableName: this.#tableName, Key: keyOf(keys[0]!), ConsistentRead: true };
        const { Item } = await this.#client.send(new GetItemCommand(request));
        return [readOf(keys[0]!, Item)];
      }
      const TransactItems = keys.map((key) => ({ Get: { TableName: this.#tableName, Key: keyOf(key) } }));
      const { Responses } = await this.#client.send(new TransactGetItemsCommand({ TransactItems }));
      return keys.map((key, i) => readOf(key, Responses?.[i]?.Item));
    });
  }

  async #write(keys: readonly string[]): Promise<void> {
    const appends: Append[] = [];
    const checks: Check[] = [];
    const TransactItems = keys.map((key): TransactWriteItem => {
      const check = this.#random.chance(0.4) ? this.#guess(key) : undefined;
      if (check !== undefined) checks.push(check);
      if (check !== undefined && this.#random.chance(0.5)) {
        return { ConditionCheck: { TableName: this.#tableName, Key: keyOf(key), ...conditionOf(check) } };
      }
      const append = { key, value: this.#history.newValue() };
      appends.push(append);
      return { Update: this.#update(append, check) };
    });
    await this.#record({ appends, checks }, async () => {
      await this.#client.send(new TransactWriteItemsCommand({ TransactItems }));
      return [];
    });
  }

  async #writeOne(key: string): Promise<void> {
    const append = { key, value: this.#history.newValue() };
    const check = this.#random.chance(0.4) ? this.#guess(key) : undefined;
    await this.#record({ appends: [append], checks: check === undefined ? [] : [check] }, async () => {
      await this.#client.send(new UpdateItemCommand(this.#update(append, check)));
      return [];
    });
  }

  #guess(key: string): Check {
    return { key, length: this.#keys.lengths.get(key) ?? 0 };
  }

  #update({ key, value }: Append, check: Check | undefined): Update & UpdateItemInput {
    const condition = check && conditionOf(check);
    return {
      TableName: this.#tableName,
      Key: keyOf(key),
      UpdateExpression: 'SET entries = list_append(if_not_exists(entries, :none), :new)',
      ...condition,
      ExpressionAttributeValues: {
        ':none': { L: [] },
        ':new': { L: [{ N: String(value) }] },
        ...condition?.ExpressionAttributeValues,
      },
    };
  }

  async #record(plan: Plan, run: () => Promise<readonly Read[]>): Promise<void> {
    await this.#history.record(this.#number, plan, async () => {
      try {
        const reads = await run();
        for (const read of reads) this.#keys.saw(read);
        return reads;
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    });
  }
}

type UpdateItemInput = ConstructorParameters<typeof UpdateItemCommand>[0];

function keyOf(key: string): Record<string, AttributeValue> {
  return { pk: { S: key } };
}

function readOf(key: string, item: Record<string, AttributeValue> | undefined): Read {
  return { key, list: (item?.entries?.L ?? []).map(({ N }) => Number(N)) };
}

function conditionOf({ length }: Check): {
  ConditionExpression: string;
  ExpressionAttributeValues?: Record<string, AttributeValue>;
} {
  if (length === 0) return { ConditionExpression: 'attribute_not_exists(entries)' };
  return {
    ConditionExpression: 'size(entries) = :length',
    ExpressionAttributeValues: { ':length': { N: String(length) } },
  };
}

/** An answer that means that nothing was done; everything else is none that these requests may get. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof DynamoDBServiceException)) return false;
  return (
    error.name === 'ConditionalCheckFailedException' ||
    error.name === 'TransactionConflictException' ||
    (error.name === 'TransactionCanceledException' &&
      /\[(None|ConditionalCheckFailed|TransactionConflict)(, (None|ConditionalCheckFailed|TransactionConflict))*\]$/.test(
        error.message,
      ))
  );
}
