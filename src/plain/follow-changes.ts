import type { FollowedChange } from '../engine/change-log/follow.ts';
import { recordSequenceNumber } from '../engine/change-log/sequence-number.ts';
import { checkOptions, mustBeOneOf, mustBeSignal, type OptionChecks, shown } from '../model/check-options.ts';
import { DynamoError } from '../model/errors.ts';
import { parseJson } from '../model/json/parse-json.ts';
import { type ChangeEvent, changeEventOf } from '../model/stored/change-event.ts';
import { itemJson } from '../model/stored/stored-item.ts';
import type { KeySchemaElement } from '../model/tables/table-description.ts';
import { decodeUtf8 } from '../model/values/utf8.ts';
import type { AttributeMap } from '../operations/shapes/plain-attribute-value.ts';
import { converted } from './from-wire.ts';
import { type CallOptions, callChecks, defaultAccountId, type PlainDeps, permit } from './plain-call.ts';
import { ServiceError } from './service-error.ts';

/** Where to begin in a table's changes, and a signal that ends the feed. */
export interface FollowOptions extends CallOptions {
  /**
   * `now` (default): the changes from this moment on. `oldest`: first the changes that are still kept because
   * something else follows the table, such as its stream, which keeps them for 24 hours.
   */
  readonly from?: 'now' | 'oldest';
  /** Ends the feed. */
  readonly signal?: AbortSignal;
}

const followChecks: OptionChecks<FollowOptions> = {
  from: mustBeOneOf(['now', 'oldest']),
  signal: mustBeSignal,
  ...callChecks,
};

/** A change of one item. */
export interface Change {
  readonly table: string;
  readonly event: ChangeEvent;
  readonly keys: AttributeMap;
  /** The item before; absent for an INSERT. */
  readonly before?: AttributeMap;
  /** The item after; absent for a REMOVE. */
  readonly after?: AttributeMap;
  /** The time of the write, in milliseconds since 1970, with a fraction. */
  readonly atMs: number;
  /** The origin of the change: `ttl` if the item was deleted because it had expired. */
  readonly by: 'user' | 'ttl';
  /**
   * The sequence number of the change's record in the table's stream, if there is one. It increases with every change
   * of an item.
   */
  readonly sequenceNumber: string;
}

/** The changes of a table, for `for await`. Changes after the call are included once `ready` has resolved. */
export class ChangeFeed implements AsyncIterableIterator<Change, void, void> {
  /** Resolves when the feed will contain every later change. Rejects, as `next` does, if there is no such table. */
  readonly ready: Promise<void>;
  readonly #changes: Promise<AsyncGenerator<Change, void>>;

  constructor(deps: PlainDeps, tableName: string, options: FollowOptions) {
    this.#changes = begin(deps, tableName, options);
    this.ready = this.#changes.then(() => {});
    // `next` reports the error.
    this.ready.catch(() => {});
  }

  async next(): Promise<IteratorResult<Change, void>> {
    return (await this.#changes).next();
  }

  async return(): Promise<IteratorResult<Change, void>> {
    return (await this.#changes).return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

async function begin(
  deps: PlainDeps,
  tableName: string,
  options: FollowOptions,
): Promise<AsyncGenerator<Change, void>> {
  checkOptions(options, followChecks, 'follow');
  if (typeof tableName !== 'string')
    throw new TypeError(`follow takes the name of a table, such as "orders", and not ${shown(tableName)}`);
  const { from = 'now', signal, region = deps.region, accountId = defaultAccountId } = options;
  await permit(deps, 'stator:Follow', tableName, options);
  const { catalogue, changeLog } = deps.engine;
  const scope = { account: accountId, region };
  const changes = await changeLog.follow(scope, tableName, { from, ...(signal && { signal }) });
  if (changes instanceof DynamoError) throw new ServiceError(changes, deps.newRequestId());
  const record = await catalogue.record(scope, tableName);
  return plainChanges(tableName, record?.description.keySchema ?? [], changes);
}

async function* plainChanges(
  tableName: string,
  keySchema: readonly KeySchemaElement[],
  changes: AsyncGenerator<FollowedChange, void>,
): AsyncGenerator<Change, void> {
  try {
    for await (const change of changes) yield plainChange(tableName, keySchema, change);
  } finally {
    await changes.return();
  }
}

function plainChange(
  table: string,
  keySchema: readonly KeySchemaElement[],
  { bucket, generation, position, change: { before, after, writtenMicros, by } }: FollowedChange,
): Change {
  const [old, next] = [imageOf(before), imageOf(after)];
  const either = (next ?? old)!;
  return {
    table,
    event: changeEventOf(old, next),
    keys: Object.fromEntries(keySchema.map(({ AttributeName: name }) => [name, either[name]!])),
    ...(old && { before: old }),
    ...(next && { after: next }),
    atMs: writtenMicros / 1000,
    by,
    sequenceNumber: recordSequenceNumber({ bucket, generation }, position),
  };
}

function imageOf(stored: Uint8Array | undefined): AttributeMap | undefined {
  return stored && (converted(parseJson(decodeUtf8(itemJson(stored)))) as AttributeMap);
}
