import { type ChangeBetween, readChangesPage } from './engine/history/changes-between.ts';
import { cutAt, endOfMs } from './engine/history/eras.ts';
import { imagesSince } from './engine/history/past-item.ts';
import {
  invalidRestoreTime,
  pastSource,
  recoveryUnavailable,
  restorableWindow,
} from './engine/history/recovery.ts';
import { prepareTable, type TableRecord } from './engine/tables/table-record.ts';
import { checkOptions, type OptionChecks, shown } from './model/check-options.ts';
import { DynamoError, tableNotFound } from './model/errors.ts';
import { parseJson } from './model/json/parse-json.ts';
import { checkKey } from './model/keys/key-checks.ts';
import { tableKey } from './model/keys/keys.ts';
import { type ChangeEvent, changeEventOf } from './model/stored/change-event.ts';
import { hasSameJson, itemJson, readHeader } from './model/stored/stored-item.ts';
import { primaryKeyOf } from './model/tables/table-schema.ts';
import { equalBytes } from './model/values/bytes.ts';
import { readItem } from './model/values/read-attribute-value.ts';
import { decodeUtf8 } from './model/values/utf8.ts';
import { getItemShape } from './operations/items/get-item.ts';
import type { AttributeMap, AttributeMapInput } from './operations/shapes/plain-attribute-value.ts';
import { type PastTime, readPastTime } from './past-view.ts';
import { converted } from './plain/from-wire.ts';
import {
  type CallOptions,
  callChecks,
  defaultAccountId,
  type PlainDeps,
  permit,
} from './plain/plain-call.ts';
import { ServiceError } from './plain/service-error.ts';
import { nowMs } from './runtime/clock.ts';

/** The span of changes to read; without `to`, up to now. */
export interface ChangesOptions extends CallOptions {
  readonly from: PastTime;
  /** Now unless given. */
  readonly to?: PastTime;
}

/** What became of an item between two times. */
export interface PastChange {
  readonly event: ChangeEvent;
  readonly keys: AttributeMap;
  readonly before?: AttributeMap;
  readonly after?: AttributeMap;
  /** The time of the last write, in milliseconds since 1970, with a fraction. */
  readonly atMs: number;
}

/** A version of an item, and how long it was the current one. */
export interface ItemVersion {
  readonly item: AttributeMap;
  readonly fromMs: number;
  /** Absent for the current item. */
  readonly toMs?: number;
}

/** A page of changes as they are stored, for the control API, which writes JSON. */
export interface StoredChanges {
  readonly record: TableRecord;
  readonly changes: readonly ChangeBetween[];
  /** The later of the two times, so that the next page compares the same two. */
  readonly toMs: number;
  /** Where to go on; undefined at the end. */
  readonly next: Uint8Array | undefined;
  /** The number of items that were compared. */
  readonly itemsRead: number;
}

/** Reads a page of the changes between two times. Items that were written but are the same again are left out. */
export async function storedChanges(
  deps: PlainDeps,
  tableName: string,
  { from, to, region = deps.region, accountId: account = defaultAccountId }: ChangesOptions,
  after?: Uint8Array,
): Promise<StoredChanges> {
  const { engine } = deps;
  const now = nowMs(engine.clock);
  const fromMs = readPastTime(from, 'changes takes as from');
  const toMs = to === undefined ? now : readPastTime(to, 'changes takes as to');
  if (to !== undefined && fromMs > toMs)
    throw new TypeError('changes takes as from the earlier time, and as to the later one');
  const record = await keptPast(deps, { account, region }, tableName, [fromMs, toMs]);
  const cut = (ms: number) => cutAt(engine.store, record, endOfMs(ms), record.recovery!.era);
  const window = { from: await cut(fromMs), to: await cut(toMs) };
  const page = await readChangesPage(engine.store, pastSource(record), window, after);
  const changes = page.changes.filter(
    ({ before, after }) => before === undefined || after === undefined || !hasSameJson(before, after),
  );
  return { record, changes, toMs, next: page.next, itemsRead: page.itemsRead };
}

export async function* changesOfTable(
  deps: PlainDeps,
  tableName: string,
  options: ChangesOptions,
): AsyncGenerator<PastChange, void> {
  checkOptions(options, changesChecks, 'changes');
  await permit(deps, 'stator:ReadPast', tableName, options);
  const to = options.to ?? nowMs(deps.engine.clock);
  for (let after: Uint8Array | undefined; ; ) {
    const page = await storedChanges(deps, tableName, { ...options, to }, after);
    for (const change of page.changes) yield plainChange(page.record, change);
    if (page.next === undefined) return;
    after = page.next;
  }
}

function plainChange({ description }: TableRecord, change: ChangeBetween): PastChange {
  const [before, after] = [change.before && imageOf(change.before), change.after && imageOf(change.after)];
  const either = (after ?? before)!;
  return {
    event: eventOf(change),
    keys: Object.fromEntries(description.keySchema.map(({ AttributeName: name }) => [name, either[name]!])),
    ...(before && { before }),
    ...(after && { after }),
    atMs: change.writtenMicros / 1000,
  };
}

function eventOf({ before, after }: Pick<ChangeBetween, 'before' | 'after'>): PastChange['event'] {
  return changeEventOf(before, after);
}

/** The versions of an item as they were stored, newest first. */
export async function storedVersions(
  deps: PlainDeps,
  tableName: string,
  key: AttributeMapInput,
  { region = deps.region, accountId: account = defaultAccountId }: CallOptions,
): Promise<{ readonly stored: Uint8Array; readonly endMicros: number | undefined }[]> {
  const { engine } = deps;
  const scope = { account, region };
  const record = await keptPast(deps, scope, tableName, []);
  const table = prepareTable(scope, record);
  const checked = getItemShape.check({ TableName: tableName, Key: key });
  const item = checked instanceof DynamoError ? checked : readItem(checked.Key, 'newer');
  const wrong = item instanceof DynamoError ? item : checkKey(table.schema, item);
  if (item instanceof DynamoError || wrong !== undefined)
    throw new ServiceError((wrong ?? item) as DynamoError, deps.newRequestId());
  const itemKey = tableKey(table.prefix, primaryKeyOf(table.schema, item), engine.h16);
  const { earliestMs } = restorableWindow(record, nowMs(engine.clock), 0)!;
  const since = await cutAt(engine.store, record, endOfMs(earliestMs), record.recovery!.era);
  const current = await engine.store.get(itemKey);
  const versions: { stored: Uint8Array; endMicros: number | undefined }[] = [];
  const { history } = pastSource(record);
  if (current !== undefined) versions.push({ stored: current, endMicros: undefined });
  for await (const { value, end } of imagesSince(engine.store, history!, itemKey, since)) {
    // A write between both reads has made the current item the latest image.
    const [latest] = versions;
    if (latest !== undefined && latest.endMicros === undefined && equalBytes(value, latest.stored))
      versions.pop();
    versions.push({ stored: value, endMicros: end.micros });
    if (versions.length >= versionsMax) break;
  }
  return versions;
}

export async function itemVersions(
  deps: PlainDeps,
  tableName: string,
  key: AttributeMapInput,
  options: CallOptions,
): Promise<ItemVersion[]> {
  checkOptions(options, callChecks, 'versions');
  await permit(deps, 'stator:ReadPast', tableName, options);
  const versions = await storedVersions(deps, tableName, key, options);
  return versions.map(({ stored, endMicros }) => ({
    item: imageOf(stored),
    fromMs: readHeader(stored).writtenMicros / 1000,
    ...(endMicros !== undefined && { toMs: endMicros / 1000 }),
  }));
}

/** The record of a table that keeps its past at all the times. Rejects with a `ServiceError` otherwise. */
async function keptPast(
  deps: PlainDeps,
  scope: { readonly account: string; readonly region: string },
  tableName: string,
  times: readonly number[],
): Promise<TableRecord> {
  const { engine } = deps;
  const refuse = (error: DynamoError) => {
    throw new ServiceError(error, deps.newRequestId());
  };
  const found = await engine.catalogue.record(scope, tableName);
  if (found === undefined) return refuse(tableNotFound(tableName));
  const record = await engine.past.eras.settled(scope, found);
  const window = restorableWindow(record, nowMs(engine.clock), 0);
  if (window === undefined || record.phases.deletingUntil !== undefined)
    return refuse(recoveryUnavailable(tableName));
  const outside = times.find((ms) => ms < window.earliestMs || ms > window.latestMs);
  return outside === undefined ? record : refuse(invalidRestoreTime(outside, window));
}

function imageOf(stored: Uint8Array): AttributeMap {
  return converted(parseJson(decodeUtf8(itemJson(stored)))) as AttributeMap;
}

/** The latest versions of an item; one may have been written a million times. */
const versionsMax = 1_000;

const changesChecks: OptionChecks<ChangesOptions> = {
  ...callChecks,
  from: mustBeTime,
  to: mustBeTime,
};

function mustBeTime(value: unknown, name: string): string | undefined {
  return typeof value === 'number' || typeof value === 'string' || value instanceof Date
    ? undefined
    : `${name} must be a time, and not ${shown(value)}`;
}
