import { DynamoError, limitExceeded, resourceInUse } from '../../model/errors.ts';
import { prefixEnd } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { decodeUtf8 } from '../../model/values/utf8.ts';
import { type Randomness, randomBytes } from '../../runtime/randomness.ts';
import type { JobKind } from '../background/job-runner.ts';
import { readableRecords } from '../background/readable-records.ts';
import { pagesOf } from '../check/range-pages.ts';
import { importErrorKey, importKey, importRange, importsOfScope, type Scope } from '../store-keys.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { decodeImport, encodeImport, type ImportRecord, type ImportRequest } from './import-record.ts';
import { failImport, importSteps, type TransferStepDeps } from './import-steps.ts';

interface ImportsDeps extends TransferStepDeps {
  readonly random: Randomness;
}

/** Imports: those under way, and those of the last 90 days. */
export class Imports implements JobKind {
  readonly name = 'An import';
  readonly range = importRange;
  readonly #deps: ImportsDeps;

  constructor(deps: ImportsDeps) {
    this.#deps = deps;
  }

  /** Creates the table of an import with the record of the import, in one unit. */
  async begin(
    scope: Scope,
    table: TableRecord,
    request: ImportRequest,
    clientToken: string | undefined,
  ): Promise<ImportRecord | DynamoError> {
    const { catalogue, random, nowMs } = this.#deps;
    const running = (await this.list(scope)).filter(({ status }) => status === 'IN_PROGRESS');
    const same = running.find((each) => clientToken !== undefined && each.clientToken === clientToken);
    if (same !== undefined) return replayed(same, request);
    if (running.length >= importsAtOnceMax)
      return limitExceeded(
        `Too many operations for a given subscriber: ${importsAtOnceMax} imports are in progress`,
      );
    const { tableName, tableId } = table.description;
    const now = nowMs();
    const record: ImportRecord = {
      ...scope,
      id: `${String(now).padStart(14, '0')}-${toHex(randomBytes(random, 4))}`,
      ...{ tableName, tableId, storageId: table.storageId },
      status: 'IN_PROGRESS',
      startedAt: now,
      ...(clientToken !== undefined && { clientToken }),
      request,
      ...{ bytesOfObjects: 0, bytes: 0, processed: 0, imported: 0, errors: 0 },
    };
    const put = {
      kind: 'put',
      key: importKey(scope, record.id),
      value: encodeImport(record),
    } as const;
    const created = await catalogue.change(scope, tableName, (current) =>
      current === undefined
        ? { put: { ...table, phases: { filledByJob: true } }, also: [put] }
        : resourceInUse(`Table already exists: ${tableName}`),
    );
    if (created instanceof DynamoError) return created;
    this.#deps.begun();
    return record;
  }

  async find(scope: Scope, id: string): Promise<ImportRecord | undefined> {
    const key = importKey(scope, id);
    const bytes = await this.#deps.store.get(key);
    return bytes && decodeImport(bytes, key);
  }

  /** All imports of an account in a Region that are not forgotten yet, oldest first. */
  async list(scope: Scope): Promise<ImportRecord[]> {
    const prefix = importsOfScope(scope);
    const records: ImportRecord[] = [];
    for await (const page of pagesOf(this.#deps.store, prefix, prefixEnd(prefix)!))
      for (const { key, value } of page) records.push(decodeImport(value, key));
    return records.filter((record) => !this.#isOld(record));
  }

  /** The rows that an import refused, as JSON lines. */
  async *refusedRows(scope: Scope, id: string): AsyncGenerator<string, void> {
    const prefix = importErrorKey(scope, id);
    for await (const page of pagesOf(this.#deps.store, prefix, prefixEnd(prefix)!))
      for (const { value } of page) yield decodeUtf8(value);
  }

  isUnderWay(stored: Uint8Array, key: Uint8Array): boolean {
    return decodeImport(stored, key).status === 'IN_PROGRESS';
  }

  steps(stored: Uint8Array, key: Uint8Array): AsyncGenerator<void, void> {
    return importSteps(this.#deps, key, stored);
  }

  async fail(key: Uint8Array, reason: string): Promise<void> {
    const stored = await this.#deps.store.get(key);
    const record = stored && decodeImport(stored, key);
    if (record?.status === 'IN_PROGRESS') await failImport(this.#deps, record, 'InternalError', reason);
  }

  /** When the earliest import is 90 days old. */
  async tidyAtMs(): Promise<number> {
    let first = Number.POSITIVE_INFINITY;
    for await (const { record } of readableRecords(this.#deps.store, importRange, decodeImport))
      if (record.endedAt !== undefined) first = Math.min(first, record.endedAt + keptMs);
    return first;
  }

  async tidy(): Promise<void> {
    const { store, signal } = this.#deps;
    for await (const { key, record } of readableRecords(store, importRange, decodeImport)) {
      if (!this.#isOld(record)) continue;
      const errors = importErrorKey(record, record.id);
      await store.deleteRange(errors, prefixEnd(errors)!, { signal });
      await store.transact({
        reads: [],
        decide: () => ({ result: undefined, mutations: [{ kind: 'delete', key }] }),
      });
    }
  }

  #isOld({ endedAt }: ImportRecord): boolean {
    return endedAt !== undefined && this.#deps.nowMs() - endedAt >= keptMs;
  }
}

/** A token counts only while its import runs (observed: ACK DDB-IMPORT-017). */
function replayed(record: ImportRecord, request: ImportRequest): ImportRecord | DynamoError {
  return JSON.stringify(record.request) === JSON.stringify(request)
    ? record
    : new DynamoError(
        'ImportConflictException',
        `The client token ${record.clientToken} was used for another import that is in progress`,
      );
}

const importsAtOnceMax = 50;
const keptMs = 90 * 86_400_000;
