import { describe, expect, it } from 'vitest';
import { StreamReader, type StreamReading } from './stream-reader.ts';

interface Shard {
  readonly id: string;
  readonly parent?: string;
  /** Sequence numbers and their seconds. */
  readonly records: (readonly [number: number, second: number])[];
  isClosed?: boolean;
}

/** A stream whose iterators are places within shards. */
class FakeStream {
  readonly calls: string[] = [];
  shards: Shard[] = [];
  /** Errors that the next calls of an operation get. */
  readonly errors = new Map<string, string[]>();

  readonly call = async <Answer>(operation: string, input: object): Promise<Answer> => {
    this.calls.push(operation);
    const name = this.errors.get(operation)?.shift();
    if (name !== undefined) throw Object.assign(new Error(name), { name });
    const { ShardId, ShardIterator, ShardIteratorType, SequenceNumber } = input as Record<string, string>;
    if (operation === 'DescribeStream') return { StreamDescription: this.#description() } as Answer;
    if (operation === 'GetShardIterator') {
      const { records } = this.#shard(ShardId!);
      const at =
        ShardIteratorType === 'LATEST'
          ? records.length
          : ShardIteratorType === 'TRIM_HORIZON'
            ? 0
            : records.findIndex(([number]) => String(number) === SequenceNumber) + 1;
      return { ShardIterator: `${ShardId} ${at}` } as Answer;
    }
    const [id, at] = ShardIterator!.split(' ') as [string, string];
    const { records, isClosed } = this.#shard(id);
    // One record at a time, so that places are taken between records.
    const found = records.slice(Number(at), Number(at) + 1);
    const next = Number(at) + found.length;
    const isOver = isClosed === true && next === records.length;
    return {
      Records: found.map(([number, second]) => ({
        eventName: 'INSERT',
        dynamodb: { ApproximateCreationDateTime: second, Keys: {}, SequenceNumber: String(number) },
      })),
      ...(!isOver && { NextShardIterator: `${id} ${next}` }),
    } as Answer;
  };

  #description() {
    const Shards = this.shards.map(({ id, parent, isClosed }) => ({
      ShardId: id,
      ...(parent !== undefined && { ParentShardId: parent }),
      SequenceNumberRange: isClosed === true ? { EndingSequenceNumber: '9' } : {},
    }));
    return { Shards, StreamStatus: 'ENABLED' };
  }

  #shard(id: string): Shard {
    return this.shards.find((shard) => shard.id === id)!;
  }
}

function open(stream: FakeStream, more: Partial<StreamReading> = {}) {
  const { call } = stream;
  const reader = new StreamReader({ streamArn: 'arn', from: 'oldest', call, nowMs: () => 5_500, ...more });
  const poll = async () => (await reader.poll()).map(({ record }) => Number(record.dynamodb.SequenceNumber));
  return { reader, poll };
}

describe('a reader of a stream', () => {
  it('reads a parent to its end before its children', async () => {
    const stream = new FakeStream();
    stream.shards = [
      { id: 'child', parent: 'parent', records: [[3, 3]] },
      {
        id: 'parent',
        records: [
          [1, 1],
          [2, 2],
        ],
        isClosed: true,
      },
    ];
    const { poll } = open(stream);
    expect([await poll(), await poll(), await poll(), await poll()]).toEqual([[1], [2], [3], []]);
  });

  it('reads the children of a parent that is gone', async () => {
    const stream = new FakeStream();
    stream.shards = [{ id: 'child', parent: 'gone', records: [[3, 3]] }];
    expect(await open(stream).poll()).toEqual([3]);
  });

  it('goes on behind its last record when an iterator has expired', async () => {
    const stream = new FakeStream();
    stream.shards = [
      {
        id: 'a',
        records: [
          [1, 1],
          [2, 2],
        ],
      },
    ];
    const { poll } = open(stream);
    expect(await poll()).toEqual([1]);
    stream.errors.set('GetRecords', ['ExpiredIteratorException']);
    expect([await poll(), await poll()]).toEqual([[], [2]]);
  });

  it('begins again at the horizon, and says so, when its place is gone', async () => {
    const stream = new FakeStream();
    stream.shards = [
      {
        id: 'a',
        records: [
          [1, 1],
          [2, 2],
        ],
      },
    ];
    let lost = 0;
    const { poll } = open(stream, { trimmed: () => lost++ });
    await poll();
    stream.errors.set('GetRecords', ['TrimmedDataAccessException']);
    expect([await poll(), lost, await poll()]).toEqual([[], 1, [1]]);
  });

  it('keeps its iterator over trouble that passes', async () => {
    const stream = new FakeStream();
    stream.shards = [
      {
        id: 'a',
        records: [
          [1, 1],
          [2, 2],
        ],
      },
    ];
    const { poll } = open(stream);
    await poll();
    stream.errors.set('GetRecords', ['ThrottlingException']);
    await expect(poll()).rejects.toThrow('ThrottlingException');
    const asked = stream.calls.filter((operation) => operation === 'GetShardIterator').length;
    expect(await poll()).toEqual([2]);
    expect(stream.calls.filter((operation) => operation === 'GetShardIterator')).toHaveLength(asked);
  });

  it('misses nothing from now on, although an iterator expires before the first record', async () => {
    const stream = new FakeStream();
    const records: (readonly [number, number])[] = [
      [1, 3],
      [2, 4],
    ];
    stream.shards = [
      { id: 'a', records },
      { id: 'over', records: [[0, 1]], isClosed: true },
    ];
    const { poll } = open(stream, { from: 'now' });
    expect(await poll()).toEqual([]);
    records.push([3, 5], [4, 8]);
    stream.errors.set('GetRecords', ['ExpiredIteratorException']);
    const found = [];
    for (let at = 0; at < 6; at++) found.push(...(await poll()));
    expect(found).toEqual([3, 4]);
  });

  it('describes the stream seldom if it is told to, and at once when a shard has ended', async () => {
    const stream = new FakeStream();
    const parent: Shard = { id: 'a', records: [[1, 1]] };
    stream.shards = [parent];
    const { poll } = open(stream, { describeEvery: 8 });
    await poll();
    await poll();
    expect(stream.calls.filter((operation) => operation === 'DescribeStream')).toHaveLength(1);
    parent.isClosed = true;
    stream.shards.push({ id: 'b', parent: 'a', records: [[2, 2]] });
    expect([await poll(), await poll()]).toEqual([[], [2]]);
  });
});
