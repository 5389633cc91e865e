import { DynamoError, limitExceeded } from '../../model/errors.ts';
import { prefixEnd } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Mutation, Store } from '../../storage/store.ts';
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

/** Makes the record of an export, and what is committed with it. It may run more than once. */
export type ExportDraft = (what: NewExport) => {
  readonly record: ExportRecord;
  readonly mutations: readonly Mutation[];
};

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

  /** Draws what an export needs. Its record and its job are committed with the reader that keeps the table's past. */
  draft(scope: Scope, request: ExportRequest, clientToken: string | undefined): ExportDraft {
    const { random, nowMs } = this.#deps;
    const now = nowMs();
    const id = `${String(now).padStart(14, '0')}-${toHex(randomBytes(random, 4))}`;
    return ({ itemsExpected, ...what }) => {
      const record: ExportRecord = {
        ...scope,
        ...what,
        id,
        status: 'IN_PROGRESS',
        startedAt: now,
        ...(clientToken !== undefined && { clientToken }),
        request,
        ...{ files: [], items: 0, bytes: 0 },
      };
      const job = encodeJob({
        kind: 'export',
        ...newProgress(what.jobId, scope, what.tableName, now, itemsExpected),
        exportId: id,
      });
      return {
        record,
        mutations: [
          { kind: 'put', key: exportKey(scope, id), value: encodeExport(record) },
          { kind: 'put', key: jobKey(what.jobId), value: job },
        ],
      };
    };
  }

  /** Called once an export is committed. */
  begin(): void {
    this.#deps.begun();
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
    const key = exportKey(scope, id);
    const bytes = await this.#deps.store.get(key);
    return bytes && decodeExport(bytes, key);
  }

  /** All exports of an account in a Region that are not forgotten yet, oldest first. */
  async list(scope: Scope): Promise<ExportRecord[]> {
    const prefix = exportsOfScope(scope);
    const records: ExportRecord[] = [];
    for await (const page of pagesOf(this.#deps.store, prefix, prefixEnd(prefix)!))
      for (const { key, value } of page) records.push(decodeExport(value, key));
    return records.filter((record) => !this.#isOld(record));
  }

  /** Forgets what ended more than 90 days ago. */
  async forgetOld(): Promise<void> {
    const { store } = this.#deps;
    for await (const page of pagesOf(store, exportRange.from, exportRange.to))
      for (const { key, value } of page)
        if (this.#isOld(decodeExport(value, key)))
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
