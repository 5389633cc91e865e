import type { Stator, StreamRecord } from '../../src/index.ts';
import { iteratorAt, shardsOf } from '../../tests/streams/read-stream.ts';

/** What makes a table followed: every write tells the log both images of its item. */
export const bothImages = {
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
} as const;

/** So many records has a page at most. */
export const pageRecordsMax = 1_000;

export interface RecordsPage {
  /** The iterator that the page was read with. */
  readonly iterator: string;
  readonly records: readonly StreamRecord[];
}

/** Creates a table, and answers the ARN of its stream. */
export async function createFollowed(db: Stator, definition: object): Promise<string> {
  const { TableDescription: table } = await db.createTable({ ...definition, ...bothImages } as Parameters<
    Stator['createTable']
  >[0]);
  if (table?.LatestStreamArn === undefined) throw new Error('The table has no stream');
  return table.LatestStreamArn;
}

/** Everything that a stream has by now, shard by shard, in pages that have some records. */
export async function* pagesOf(db: Stator, streamArn: string): AsyncGenerator<RecordsPage, void> {
  for (const { ShardId } of await shardsOf(db, streamArn)) {
    let iterator: string | undefined = await iteratorAt(db, streamArn, ShardId);
    while (iterator !== undefined) {
      const { Records: records, NextShardIterator: next }: Awaited<ReturnType<Stator['getRecords']>> =
        await db.getRecords({ ShardIterator: iterator });
      if (records.length === 0) break;
      yield { iterator, records };
      iterator = next;
    }
  }
}
