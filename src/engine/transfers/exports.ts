import { DynamoError, limitExceeded } from '../../model/errors.ts';
import { prefixEnd } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { type Randomness, randomBytes } from '../../runtime/randomness.ts';
import type { Mutation } from '../../storage/store.ts';
import type { JobKind } from '../background/job-runner.ts';
import { readableRecords } from '../background/readable-records.ts';
import { encodeJob, newProgress } from '../backups/job.ts';
import { pagesOf } from '../check/range-pages.ts';
import type { Cut } from '../history/stamp.ts';
import { exportKey, exportRange, exportsOfScope, jobKey, type Scope } from '../store-keys.ts';
import { decodeExport, type ExportRecord, type ExportRequest, encodeExport } from './export-record.ts';
import { exportSteps, failExport } from './export-steps.ts';
import type { TransferStepDeps } from './import-steps.ts';

interface ExportsDeps extends TransferStepDeps {
  readonly random: Randomness;
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

/** Exports: those under way, and those of the last 90 days. */
export class Exports implements JobKind {
  readonly name = 'An export';
  readonly range = exportRange;
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

  isUnderWay(stored: Uint8Array, key: Uint8Array): boolean {
    return decodeExport(stored, key).status === 'IN_PROGRESS';
  }

  steps(stored: Uint8Array, key: Uint8Array): AsyncGenerator<void, void> {
    return exportSteps(this.#deps, key, stored);
  }

  async fail(key: Uint8Array, reason: string): Promise<void> {
    const stored = await this.#deps.store.get(key);
    const record = stored && decodeExport(stored, key);
    if (record?.status === 'IN_PROGRESS') await failExport(this.#deps, record, 'InternalError', reason);
  }

  /** When the earliest export is 90 days old. */
  async tidyAtMs(): Promise<number> {
    let first = Number.POSITIVE_INFINITY;
    for await (const { record } of readableRecords(this.#deps.store, exportRange, decodeExport))
      if (record.endedAt !== undefined) first = Math.min(first, record.endedAt + keptMs);
    return first;
  }

  async tidy(): Promise<void> {
    const { store } = this.#deps;
    for await (const { key, record } of readableRecords(store, exportRange, decodeExport))
      if (this.#isOld(record))
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
