import { DynamoError, limitExceeded } from '../../model/errors.ts';
import { prefixEnd } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Store } from '../../storage/store.ts';
import { encodeJob, newProgress } from '../backups/job.ts';
import { pagesOf } from '../check/range-pages.ts';
import type { Cut } from '../history/stamp.ts';
import { type Randomness, randomBytes } from '../randomness.ts';
import { exportKey, exportRange, exportsOfScope, jobKey, type Scope } from '../store-keys.ts';
import { decodeExport, type ExportRecord, type ExportRequest, encodeExport } from './export-record.ts';

interface ExportsDeps {
  readonly store: Store;
  readonly random: Randomness;
  readonly nowMs: () => number;
  /** Called when there is a new export to do. */
  readonly begun: () => void;
}

/** What an export is of. */
export type NewExport = Pick<
  ExportRecord,
  | 'tableName'
  | 'tableId'
  | 'kind'
  | 'timeMs'
  | 'endMs'
  | 'jobId'
  | 'source'
  | 'before'
  | 'keyNames'
  | 'schema'
> & { readonly itemsExpected: number };

/** The records of exports: those under way, and those of the last 90 days. */
export class Exports {
  readonly #deps: ExportsDeps;

  constructor(deps: ExportsDeps) {
    this.#deps = deps;
  }

  /** The export that a token stands for, a refusal, or undefined. A token counts for eight hours. */
  async earlier(
    scope: Scope,
    request: ExportRequest,
    clientToken: string | undefined,
  ): Promise<ExportRecord | DynamoError | undefined> {
    const all = await this.list(scope);
    const since = this.#deps.nowMs() - tokenMs;
    const same =
      clientToken === undefined
        ? undefined
        : all.find((each) => each.clientToken === clientToken && each.startedAt > since);
    if (same !== undefined)
      return JSON.stringify(same.request) === JSON.stringify(request)
        ? same
        : new DynamoError(
            'ExportConflictException',
            `The client token ${clientToken} was used for another export in the last eight hours`,
          );
    return all.filter(({ status }) => status === 'IN_PROGRESS').length >= exportsAtOnceMax
      ? limitExceeded(
          `Too many operations for a given subscriber: ${exportsAtOnceMax} exports are in progress`,
        )
      : undefined;
  }

  /** Begins an export of a table whose past is held already. */
  async begin(
    scope: Scope,
    { itemsExpected, ...what }: NewExport,
    request: ExportRequest,
    clientToken: string | undefined,
  ): Promise<ExportRecord> {
    const { store, random, nowMs } = this.#deps;
    const now = nowMs();
    const record: ExportRecord = {
      format: 1,
      ...scope,
      ...what,
      id: `${String(now).padStart(14, '0')}-${toHex(randomBytes(random, 4))}`,
      status: 'IN_PROGRESS',
      startedAt: now,
      ...(clientToken !== undefined && { clientToken }),
      request,
      ...{ files: [], items: 0, bytes: 0 },
    };
    const job = encodeJob({
      kind: 'export',
      ...newProgress(what.jobId, scope, what.tableName, now, itemsExpected),
      exportId: record.id,
    });
    await store.transact({
      reads: [],
      decide: () => ({
        result: undefined,
        mutations: [
          { kind: 'put', key: exportKey(scope, record.id), value: encodeExport(record) },
          { kind: 'put', key: jobKey(what.jobId), value: job },
        ],
      }),
    });
    this.#deps.begun();
    return record;
  }

  /**
   * The cut of an earlier export of the table that ended at a time: an incremental export that begins there goes on from
   * it, whatever clocks did meanwhile, so that both together neither lack nor repeat a change.
   */
  async cutOfEnd(scope: Scope, storageId: string, endMs: number): Promise<Cut | undefined> {
    const all = await this.list(scope);
    return all.findLast(
      ({ source, status, timeMs, endMs: end }) =>
        source.storageId === storageId && status !== 'FAILED' && (end ?? timeMs) === endMs,
    )?.source.cut;
  }

  async find(scope: Scope, id: string): Promise<ExportRecord | undefined> {
    const bytes = await this.#deps.store.get(exportKey(scope, id));
    return bytes && decodeExport(bytes);
  }

  /** All exports of an account in a Region that are not forgotten yet, oldest first. */
  async list(scope: Scope): Promise<ExportRecord[]> {
    const prefix = exportsOfScope(scope);
    const records: ExportRecord[] = [];
    for await (const page of pagesOf(this.#deps.store, prefix, prefixEnd(prefix)!))
      for (const { value } of page) records.push(decodeExport(value));
    return records.filter((record) => !this.#isOld(record));
  }

  /** Forgets what ended more than 90 days ago. */
  async forgetOld(): Promise<void> {
    const { store } = this.#deps;
    for await (const page of pagesOf(store, exportRange.from, exportRange.to))
      for (const { key, value } of page)
        if (this.#isOld(decodeExport(value)))
          await store.transact({
            reads: [],
            decide: () => ({ result: undefined, mutations: [{ kind: 'delete', key }] }),
          });
  }

  #isOld({ endedAt }: ExportRecord): boolean {
    return endedAt !== undefined && this.#deps.nowMs() - endedAt >= keptMs;
  }
}

const exportsAtOnceMax = 300;
const tokenMs = 8 * 3_600_000;
const keptMs = 90 * 86_400_000;
