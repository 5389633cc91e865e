import type { Shard, Stator, StreamRecord } from '../../src/index.ts';

type Page = Awaited<ReturnType<Stator['getRecords']>>;

export async function shardsOf(db: Stator, StreamArn: string): Promise<Shard[]> {
  const shards: Shard[] = [];
  for (let ExclusiveStartShardId: string | undefined; ; ) {
    const { StreamDescription: page } = await db.describeStream({
      StreamArn,
      ...(ExclusiveStartShardId !== undefined && { ExclusiveStartShardId }),
    });
    shards.push(...page.Shards);
    ExclusiveStartShardId = page.LastEvaluatedShardId;
    if (ExclusiveStartShardId === undefined) return shards;
  }
}

export async function iteratorAt(
  db: Stator,
  StreamArn: string,
  ShardId: string,
  ShardIteratorType: 'TRIM_HORIZON' | 'LATEST' = 'TRIM_HORIZON',
): Promise<string> {
  return (await db.getShardIterator({ StreamArn, ShardId, ShardIteratorType })).ShardIterator;
}

/** Reads from an iterator until nothing more comes; the iterator to go on with is missing at the end of the shard. */
export async function readOn(
  db: Stator,
  iterator: string,
  Limit = 1_000,
): Promise<{ records: StreamRecord[]; next: string | undefined }> {
  const records: StreamRecord[] = [];
  for (let next: string | undefined = iterator; ; ) {
    const page: Page = await db.getRecords({ ShardIterator: next, Limit });
    records.push(...page.Records);
    next = page.NextShardIterator;
    if (next === undefined || page.Records.length === 0) return { records, next };
  }
}

/**
 * A consumer as it should be written: reads every shard once, parents before their children, asks again and again for
 * new shards, and gets a new iterator behind what it has seen when one has expired.
 */
export class StreamConsumer {
  readonly records: StreamRecord[] = [];
  readonly #arn: string;
  readonly #limit: number;
  readonly #progress = new Map<string, ShardProgress>();

  constructor(arn: string, limit = 1_000) {
    this.#arn = arn;
    this.#limit = limit;
  }

  /** Reads what there is; of several databases it may take another one for every request. */
  async poll(...dbs: readonly Stator[]): Promise<void> {
    let turn = 0;
    const db = () => dbs[turn++ % dbs.length]!;
    for (let again = true; again; ) {
      again = false;
      const shards = await shardsOf(db(), this.#arn);
      const known = new Set(shards.map(({ ShardId }) => ShardId));
      for (const { ShardId, ParentShardId } of shards) {
        const isReady =
          ParentShardId === undefined || !known.has(ParentShardId) || this.#isDone(ParentShardId);
        if (this.#isDone(ShardId) || !isReady) continue;
        const next = await this.#read(db, ShardId);
        // The children of a shard that has ended can be read now.
        again ||= next === undefined;
      }
    }
  }

  async #read(db: () => Stator, ShardId: string): Promise<string | undefined> {
    const progress = this.#progress.get(ShardId) ?? { last: undefined, next: undefined, isDone: false };
    this.#progress.set(ShardId, progress);
    for (;;) {
      progress.next ??= await this.#iterator(db(), ShardId, progress.last);
      let page: Page;
      try {
        page = await db().getRecords({ ShardIterator: progress.next, Limit: this.#limit });
      } catch (error) {
        if ((error as Error).name !== 'ExpiredIteratorException') throw error;
        progress.next = undefined;
        continue;
      }
      this.records.push(...page.Records);
      progress.last = page.Records.at(-1)?.dynamodb.SequenceNumber ?? progress.last;
      progress.next = page.NextShardIterator;
      progress.isDone = progress.next === undefined;
      if (progress.isDone || page.Records.length === 0) return progress.next;
    }
  }

  async #iterator(db: Stator, ShardId: string, SequenceNumber: string | undefined): Promise<string> {
    if (SequenceNumber === undefined) return iteratorAt(db, this.#arn, ShardId);
    const ShardIteratorType = 'AFTER_SEQUENCE_NUMBER';
    return (await db.getShardIterator({ StreamArn: this.#arn, ShardId, ShardIteratorType, SequenceNumber }))
      .ShardIterator;
  }

  #isDone(shardId: string): boolean {
    return this.#progress.get(shardId)?.isDone === true;
  }
}

interface ShardProgress {
  last: string | undefined;
  next: string | undefined;
  isDone: boolean;
}

/** Applies records to a table's content, by key; throws when one does not follow from what was there before. */
export function applyRecord(
  content: Map<string, string>,
  { eventName, dynamodb: { Keys, NewImage, OldImage } }: StreamRecord,
): void {
  const key = JSON.stringify(Keys);
  const before = OldImage && JSON.stringify(sorted(OldImage));
  if (content.get(key) !== before)
    throw new Error(`${eventName} ${key}: ${before} instead of ${content.get(key)}`);
  if (NewImage === undefined) content.delete(key);
  else content.set(key, JSON.stringify(sorted(NewImage)));
}

export function sorted(item: Record<string, unknown>): unknown[] {
  return Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What is in a table, in the form of `applyRecord`. */
export async function contentOf(
  db: Stator,
  TableName: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const content = new Map<string, string>();
  for (let start: Awaited<ReturnType<Stator['scan']>>['LastEvaluatedKey']; ; ) {
    const more = start && { ExclusiveStartKey: start };
    const page = await db.scan({ TableName, ConsistentRead: true, ...more });
    for (const item of page.Items ?? []) {
      const key = Object.fromEntries(keys.map((name) => [name, item[name]!]));
      content.set(JSON.stringify(key), JSON.stringify(sorted(item)));
    }
    start = page.LastEvaluatedKey;
    if (start === undefined) return content;
  }
}
