import type { DynamoError } from '../../model/errors.ts';
import { checkIndexKeys, checkItemKey } from '../../model/keys/key-checks.ts';
import { itemLimits } from '../../model/limits.ts';
import type { Slices } from '../../model/slices.ts';
import { allIndexes, keyAttributes } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { compareBytes, equalBytes } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { itemSize } from '../../model/values/item-size.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import { DamagedData } from '../../rows/damaged-data.ts';
import { type ImportFormat, type ImportRow, importRows } from '../../rows/import-rows.ts';
import type { Mutation, Store } from '../../storage/store.ts';
import { importErrorKey, importKey } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import { prepareTable, type Table } from '../tables/table-record.ts';
import { decideWrite, type ItemPlan, planItem, type WriteSettings } from '../writes/write-item.ts';
import {
  decodeImport,
  encodeImport,
  encodeRefused,
  type ImportRecord,
  type RefusedRow,
  refusedRowsMax,
} from './import-record.ts';
import { ObjectsError, type TransferTools, toolsFor } from './objects.ts';

export interface TransferStepDeps {
  /** The slices that all long work of the database shares. */
  readonly slices: Slices;
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly tools: TransferTools | undefined;
  readonly writeSettings: () => WriteSettings;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** Wakes the runner of jobs: there is a new one, or entries of a dropped table can be removed. */
  readonly begun: () => void;
}

/** How much a step writes: so little that requests hardly wait for it. */
const stepRows = 250;
const stepBytes = 256 * 1024;

/**
 * Does an import from where it stands. Every `yield` ends a step, whose items and counts are committed. It returns early
 * when another process has gone on with the import.
 */
export async function* importSteps(
  deps: TransferStepDeps,
  recordKey: Uint8Array,
  stored: Uint8Array,
): AsyncGenerator<void, void> {
  const begun = decodeImport(stored, recordKey);
  const { signal } = deps;
  if (deps.tools === undefined) {
    await failImport(deps, begun, 'S3Error', noPlaceText);
    return;
  }
  const table = await tableOf(deps, begun);
  if (table === undefined) {
    await failImport(deps, begun, 'TableNotFound', `The table ${begun.tableName} is gone`);
    return;
  }
  const step = new ImportStep(deps, table, begun, stored);
  const {
    S3Bucket: bucket,
    S3BucketOwner: expectedOwner,
    S3KeyPrefix: prefix = '',
  } = begun.request.S3BucketSource;
  const tools = toolsFor(deps.tools, { account: begun.account, expectedOwner });
  try {
    for await (const { key, bytes } of tools.objects.list(bucket, prefix, signal)) {
      const after = afterLine(begun, key);
      if (bytes === 0 || after === 'done') continue;
      yield* objectSteps(deps, tools, step, key, after);
      if (step.isLost) return;
    }
    await endImport(deps, step.record);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof ObjectsError)) throw error;
    await failImport(deps, step.record, error.code, error.message);
  }
}

/** The line after which to go on in an object, or that the object is done. */
function afterLine({ checkpoint }: ImportRecord, key: string): number | 'done' {
  if (checkpoint === undefined) return 0;
  const order = compareBytes(encodeUtf8(key), encodeUtf8(checkpoint.key));
  if (order > 0) return 0;
  return order < 0 || checkpoint.line === undefined ? 'done' : checkpoint.line;
}

async function* objectSteps(
  { signal }: TransferStepDeps,
  tools: TransferTools,
  step: ImportStep,
  key: string,
  after: number,
): AsyncGenerator<void, void> {
  const { S3BucketSource: source, InputCompressionType: compression = 'NONE' } = step.record.request;
  let bytes = 0;
  const counted = async function* () {
    for await (const chunk of tools.unpack(compression, tools.objects.read(source.S3Bucket, key, signal))) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  let line = after;
  try {
    for await (const page of importRows(formatOf(step.record, step.table), counted()))
      for (const row of page) {
        if (row.line <= after) continue;
        step.add(key, row);
        line = row.line;
        if (!step.isFull) continue;
        await step.commit({ key, line }, bytes);
        if (step.isLost) return;
        yield;
      }
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error;
    // As on the service: what stands behind the damage is not read.
    const rest = line === 0 ? 'Nothing of the object' : `Nothing behind line ${line}`;
    step.refuse({ object: key, error: `${error.message}. ${rest} is imported` });
  }
  await step.commit({ key }, bytes);
  if (!step.isLost) yield;
}

function formatOf({ request }: ImportRecord, { schema }: Table): ImportFormat {
  if (request.InputFormat !== 'CSV') return { kind: 'DYNAMODB_JSON' };
  const { Delimiter: delimiter = ',', HeaderList: header } = request.InputFormatOptions?.Csv ?? {};
  const keys = [
    ...keyAttributes(schema),
    ...allIndexes(schema).flatMap(({ hash, range }) => [...hash, ...range]),
  ];
  return { kind: 'CSV', delimiter, header, keys };
}

/** The rows of one step, and the state of the import after the steps before it. */
class ImportStep {
  readonly table: Table;
  record: ImportRecord;
  /** Whether another process has gone on with the import. */
  isLost = false;
  readonly #deps: TransferStepDeps;
  #stored: Uint8Array;
  #plans = new Map<string, ItemPlan>();
  #refused: RefusedRow[] = [];
  #rows = 0;
  #imported = 0;
  #bytes = 0;

  constructor(deps: TransferStepDeps, table: Table, record: ImportRecord, stored: Uint8Array) {
    this.#deps = deps;
    this.table = table;
    this.record = record;
    this.#stored = stored;
  }

  get isFull(): boolean {
    return this.#rows >= stepRows || this.#bytes >= stepBytes;
  }

  add(object: string, row: ImportRow): void {
    const bytes = row.item === undefined ? 0 : itemSize(row.item);
    const error = row.item === undefined ? row.error : itemError(this.table, row.item, bytes);
    if (row.item === undefined || error !== undefined) {
      this.refuse({ object, line: row.line, error: error! });
      return;
    }
    this.#rows++;
    this.#imported++;
    this.#bytes += bytes;
    const { item } = row;
    const write = { key: item, putBytes: bytes, next: () => ({ item, bytes }) };
    const plan = planItem(this.table, write, this.#deps.writeSettings().h16);
    // Of several rows with one key the last one stays.
    this.#plans.set(toHex(plan.key), plan);
  }

  refuse(row: RefusedRow): void {
    this.#rows++;
    this.#refused.push(row);
  }

  /** Commits the rows so far with the state of the import. `bytes` are those of the object that is being read. */
  async commit(checkpoint: NonNullable<ImportRecord['checkpoint']>, bytes: number): Promise<void> {
    const { store, writeSettings } = this.#deps;
    const before = this.record;
    const readBytes = before.bytesOfObjects + bytes;
    const record: ImportRecord = {
      ...before,
      checkpoint,
      bytesOfObjects: checkpoint.line === undefined ? readBytes : before.bytesOfObjects,
      bytes: Math.max(before.bytes, readBytes),
      processed: before.processed + this.#rows,
      imported: before.imported + this.#imported,
      errors: before.errors + this.#refused.length,
    };
    const key = importKey(before, before.id);
    const value = encodeImport(record);
    const plans = [...this.#plans.values()];
    const settings = writeSettings();
    const isCommitted = await store.transact({
      reads: [key, ...plans.map((plan) => plan.key)],
      decide: ({ values: [found, ...items] }) => {
        if (found === undefined || !equalBytes(found, this.#stored)) return { result: false, mutations: [] };
        const writes = plans.flatMap((plan, i) => {
          const old = { item: items[i], doubted: undefined, collectionBytes: undefined };
          return decideWrite(plan, old, settings).mutations;
        });
        return {
          result: true,
          mutations: [...summed(writes), ...this.#refusals(), { kind: 'put', key, value }],
        };
      },
    });
    this.isLost = !isCommitted;
    this.record = record;
    this.#stored = value;
    this.#plans = new Map();
    this.#refused = [];
    this.#rows = 0;
    this.#imported = 0;
    this.#bytes = 0;
  }

  #refusals(): Mutation[] {
    const { errors } = this.record;
    const kept = this.#refused.slice(0, Math.max(0, refusedRowsMax - errors));
    if (kept.length === 0) return [];
    return [
      { kind: 'put', key: importErrorKey(this.record, this.record.id, errors), value: encodeRefused(kept) },
    ];
  }
}

function itemError({ schema }: Table, item: Item, bytes: number): string | undefined {
  const error: DynamoError | undefined = checkItemKey(schema, item) ?? checkIndexKeys(schema, item, 'put');
  if (error !== undefined) return error.message ?? error.name;
  return bytes > itemLimits.itemBytesMax ? 'Item size has exceeded the maximum allowed size' : undefined;
}

/** Adds up what is added to one counter. */
function summed(mutations: readonly Mutation[]): Mutation[] {
  const sums = new Map<string, { readonly counter: Uint8Array; delta: number }>();
  const others: Mutation[] = [];
  for (const mutation of mutations) {
    if (mutation.kind !== 'add') {
      others.push(mutation);
      continue;
    }
    const name = toHex(mutation.counter);
    const known = sums.get(name);
    if (known === undefined) sums.set(name, { counter: mutation.counter, delta: mutation.delta });
    else known.delta += mutation.delta;
  }
  return [
    ...others,
    ...[...sums.values()].map(({ counter, delta }): Mutation => ({ kind: 'add', counter, delta })),
  ];
}

async function tableOf({ catalogue }: TransferStepDeps, record: ImportRecord): Promise<Table | undefined> {
  const found = await catalogue.record(record, record.tableName);
  return found?.storageId === record.storageId ? prepareTable(scopeOf(record), found) : undefined;
}

/** All objects are read. The table becomes ACTIVE, also when rows were refused: the good ones are there. */
async function endImport(deps: TransferStepDeps, record: ImportRecord): Promise<void> {
  const ended: ImportRecord = {
    ...record,
    endedAt: deps.nowMs(),
    ...(record.errors === 0
      ? { status: 'COMPLETED' }
      : { status: 'FAILED', failure: { code: 'ItemValidationError', message: refusedRowsText } }),
  };
  if (record.errors > 0)
    deps.log(
      `Import ${record.id} into table ${record.tableName} refused ${record.errors} of ${record.processed} rows; ` +
        `they stand under /_stator/imports/${record.id}/errors`,
    );
  const put = putOf(ended);
  await deps.catalogue.change(scopeOf(record), record.tableName, (current) =>
    current?.storageId === record.storageId && current.phases.filledByJob === true
      ? { put: { ...current, epoch: current.epoch + 1, phases: {} }, also: [put] }
      : undefined,
  );
}

/** Ends an import that cannot go on. Its table goes, so that nobody takes a part of the data for the whole. */
export async function failImport(
  deps: TransferStepDeps,
  record: ImportRecord,
  code: string,
  message: string,
): Promise<void> {
  deps.log(`Import ${record.id} into table ${record.tableName} failed: ${message}`);
  const put = putOf({ ...record, status: 'FAILED', endedAt: deps.nowMs(), failure: { code, message } });
  const dropped = await deps.catalogue.change(scopeOf(record), record.tableName, (current) =>
    current?.storageId === record.storageId && current.phases.filledByJob === true
      ? { drop: current, also: [put] }
      : undefined,
  );
  if (dropped === undefined)
    await deps.store.transact({ reads: [], decide: () => ({ result: undefined, mutations: [put] }) });
  deps.begun();
}

function putOf(record: ImportRecord): Mutation {
  return { kind: 'put', key: importKey(record, record.id), value: encodeImport(record) };
}

function scopeOf({ account, region }: ImportRecord) {
  return { account, region };
}

/** The service's text, word for word (observed: ACK, October 2026). */
const refusedRowsText =
  'Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for more details.';

const noPlaceText = 'This server was started without a place for buckets';
