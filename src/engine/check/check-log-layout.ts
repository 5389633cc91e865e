import { type Hash16, tableKey } from '../../model/keys/keys.ts';
import type { KeySchemaElement } from '../../model/tables/table-description.ts';
import type { Item, KeyValue } from '../../model/values/attribute-value.ts';
import { bucketsAt, isOpenBucket, type LogLayout, LogPlaces, openBuckets } from '../change-log/log-layout.ts';
import type { Shard, ShardsNote } from '../change-log/shards.ts';
import { shownError } from './shown.ts';

/** Why the buckets of a log cannot be; undefined if they can. */
export function layoutProblem(layout: LogLayout): string | undefined {
  try {
    return problemIn(layout);
  } catch (error) {
    return shownError(error);
  }
}

function problemIn(layout: LogLayout): string | undefined {
  const byNumber = new Map(layout.map((bucket) => [bucket.number, bucket]));
  for (const [i, bucket] of layout.entries()) {
    const { number, since, until, parent: parentNumber, generation } = bucket;
    if (i > 0 && number <= layout[i - 1]!.number) return `bucket ${number} out of its order`;
    if (until !== undefined && until < since) return `bucket ${number}, which is closed before it is opened`;
    if (parentNumber === undefined) continue;
    const parent = byNumber.get(parentNumber);
    if (parent?.until !== since || parent.generation + 1 !== generation)
      return `bucket ${number}, which does not begin where bucket ${parentNumber} ends`;
  }
  const open = openBuckets(layout);
  if (open[0] === undefined || open[0].place !== 0 || open[0].sort !== undefined)
    return 'no open bucket of the first items';
  const starts = open.map(({ place, sort = '' }) => `${place}/${sort}`);
  return new Set(starts).size === starts.length ? undefined : 'two open buckets of one range';
}

/** Why the shards of a stream cannot be, given the buckets that the stream knows. */
export function shardsProblem({ shards, nextNumber }: ShardsNote, layout: LogLayout): string | undefined {
  const byId = new Map(shards.map((shard) => [shard.id, shard]));
  if (byId.size !== shards.length) return 'two shards of one id';
  for (const shard of shards) {
    if (shard.number >= nextNumber) return `a shard with the number ${shard.number}, which is yet to come`;
    const bucket = layout.find(({ number }) => number === shard.bucket);
    if (bucket === undefined || bucket.generation !== (shard.generation ?? 0))
      return `a shard of bucket ${shard.bucket}`;
    if ((shard.through ?? shard.after) < shard.after) return `${shard.id}, which ends before it begins`;
    const parent = shard.parentId === undefined ? undefined : byId.get(shard.parentId);
    if (parent !== undefined && !isNext(parent, shard, bucket.parent))
      return `${shard.id}, which does not begin where ${parent.id} ends`;
  }
  return undefined;
}

/** Whether a shard goes on with its parent's bucket, or begins one that this was split into. */
function isNext(parent: Shard, child: Shard, parentBucket: number | undefined): boolean {
  if (parent.through === undefined || parent.number >= child.number) return false;
  return parent.bucket === child.bucket
    ? parent.through === child.after
    : parent.bucket === parentBucket && child.after === 0;
}

/** The shards that end with their bucket, since it was split. */
export function lastOfBuckets({ shards }: ShardsNote, layout: LogLayout): readonly Shard[] {
  const parents = new Set(
    shards.flatMap(({ parentId, bucket }) => {
      const parent = shards.find(({ id }) => id === parentId);
      return parent !== undefined && parent.bucket !== bucket ? [parent] : [];
    }),
  );
  return [...parents].filter(({ bucket }) => {
    const found = layout.find(({ number }) => number === bucket);
    return found !== undefined && !isOpenBucket(found);
  });
}

/** Finds the buckets that changes belong to, by their epochs and the keys of their items. */
export class ChangeBuckets {
  readonly #layout: LogLayout;
  readonly #keySchema: readonly KeySchemaElement[];
  readonly #h16: Hash16;
  #latest: { readonly epoch: number; readonly places: LogPlaces | undefined } | undefined;

  constructor(layout: LogLayout, keySchema: readonly KeySchemaElement[], h16: Hash16) {
    this.#layout = layout;
    this.#keySchema = keySchema;
    this.#h16 = h16;
  }

  /** The bucket of an item's change, or undefined where the log had none; null if the keys of the table are unknown. */
  numberOf(item: Item, epoch: number): number | undefined | null {
    const keyOf = (type: 'HASH' | 'RANGE') => {
      const name = this.#keySchema.find(({ KeyType }) => KeyType === type)?.AttributeName;
      return name === undefined ? undefined : (item.get(name) as KeyValue);
    };
    const hash = keyOf('HASH');
    if (hash === undefined) return null;
    const key = tableKey(new Uint8Array(), { hash, range: keyOf('RANGE') }, this.#h16);
    return this.#placesAt(epoch)?.bucketFor(key, 0).number;
  }

  /** Records of one epoch mostly stand together. */
  #placesAt(epoch: number): LogPlaces | undefined {
    if (this.#latest?.epoch === epoch) return this.#latest.places;
    const buckets = bucketsAt(this.#layout, epoch);
    const places = buckets.length === 0 ? undefined : new LogPlaces('', buckets);
    this.#latest = { epoch, places };
    return places;
  }
}
