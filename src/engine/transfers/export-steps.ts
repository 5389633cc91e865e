import { DynamoError } from '../../model/errors.ts';
import { parseJson } from '../../model/json/parse-json.ts';
import { itemJson, readItemBytes } from '../../model/stored/stored-item.ts';
import { tableArnIn } from '../../model/tables/table-arn.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { fromHex, toHex } from '../../model/values/hex.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import type { Mutation } from '../../storage/store.ts';
import { releaseTable } from '../backups/job-steps.ts';
import { type ChangeBetween, readChangesPage } from '../history/changes-between.ts';
import { historyPlace } from '../history/history-keys.ts';
import { type PastSource, readPastPage } from '../history/past-pages.ts';
import { entryPrefix, exportKey, jobKey } from '../store-keys.ts';
import { type ExportFilter, exportFilter, readExportFilter, unfiltered } from './export-filter.ts';
import { type ExportedFile, exportPlaces, manifestFiles, manifestSummary } from './export-manifest.ts';
import { billedBytes, decodeExport, type ExportRecord, encodeExport } from './export-record.ts';
import type { TransferStepDeps } from './import-steps.ts';
import { ObjectsError, type TransferTools, toolsFor } from './objects.ts';

/** A data file holds about so many bytes before it is packed. */
const fileBytes = 8 * 1024 * 1024;
/** A file ends where so much was read for it, however little a filter took: what is noted is not read again. */
const readBytes = 32 * fileBytes;
/** So many entries are read for a file at most: after a kill they are read again. */
const fileEntriesMax = 1_000_000;
const pageLimits = { limit: 500, maxBytes: 512 * 1024 };

/**
 * Does an export from where it stands. Every `yield` ends a step. The manifests are written last: whoever finds them
 * finds a whole export.
 */
export async function* exportSteps(
  deps: TransferStepDeps,
  key: Uint8Array,
  stored: Uint8Array,
): AsyncGenerator<void, void> {
  let record = decodeExport(stored, key);
  const { signal } = deps;
  if (deps.tools === undefined) {
    await failExport(deps, record, 'S3Error', 'This server was started without a place for buckets');
    return;
  }
  const { S3Bucket: bucket, S3BucketOwner: expectedOwner, S3Prefix: prefix } = record.request;
  const tools = toolsFor(deps.tools, { account: record.account, expectedOwner });
  const places = exportPlaces(prefix, record.id, record.kind);
  const filter = filterOf(deps, record);
  try {
    if (record.files.length === 0)
      await tools.objects.write(bucket, places.started, new Uint8Array(), signal);
    for (let before = stored; record.files.length === 0 || record.next !== undefined; ) {
      const lines: Uint8Array[] = [];
      let bytes = 0;
      let itemBytes = 0;
      let looked = 0;
      let entriesRead = 0;
      let next = record.next;
      do {
        const page = await readLines(deps, record, filter, next);
        for (const line of page.lines) {
          lines.push(line);
          bytes += line.length;
        }
        itemBytes += page.bytes;
        looked += page.looked;
        entriesRead += page.entriesRead;
        next = page.next;
        yield;
      } while (
        next !== undefined &&
        bytes < fileBytes &&
        itemBytes < readBytes &&
        entriesRead < fileEntriesMax
      );
      const file = await writeFile(tools, record, lines, signal);
      const { next: _, ...rest } = record;
      const after: ExportRecord = {
        ...rest,
        ...(next !== undefined && { next }),
        files: [...record.files, file],
        items: record.items + lines.length,
        ...(record.request.FilterSpecification && { looked: (record.looked ?? 0) + looked }),
        bytes: record.bytes + itemBytes,
      };
      if (!(await advanced(deps, before, after))) return;
      record = after;
      before = encodeExport(after);
    }
    await endExport(deps, tools, record);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof ObjectsError)) throw error;
    await failExport(deps, record, error.code, error.message);
  }
}

/** The expressions were checked when the export was asked for. */
function filterOf(
  { writeSettings, slices }: TransferStepDeps,
  { request, source, schema }: ExportRecord,
): ExportFilter {
  const itemPrefix = entryPrefix(source.storageId, 0);
  const sent = request.FilterSpecification;
  if (sent === undefined) return unfiltered(itemPrefix);
  const read = readExportFilter(sent, schema!);
  if (read instanceof DynamoError)
    throw new Error(`an export with the filter of a refused request: ${read.message}`);
  return exportFilter(read, itemPrefix, writeSettings().h16, slices);
}

interface LinesPage {
  readonly lines: readonly Uint8Array[];
  /** The number of items that were read, and their size, whatever a filter took of them. */
  readonly looked: number;
  readonly bytes: number;
  /** The number of items and old images that were read from the store. */
  readonly entriesRead: number;
  readonly next: string | undefined;
}

async function readLines(
  { store }: TransferStepDeps,
  record: ExportRecord,
  filter: ExportFilter,
  next: string | undefined,
): Promise<LinesPage> {
  const { storageId, historySlot, cut } = record.source;
  const source: PastSource = {
    itemPrefix: entryPrefix(storageId, 0),
    history: historySlot === undefined ? undefined : historyPlace(storageId, historySlot),
  };
  const bounds = next === undefined ? filter.bounds : { ...filter.bounds, from: fromHex(next) };
  let bytes = 0;
  if (record.before !== undefined) {
    const window = { from: record.before, to: cut };
    const page = await readChangesPage(store, source, window, bounds.from, bounds.to);
    const lines: Uint8Array[] = [];
    for (const change of page.changes) {
      const { before, after } = change;
      bytes += (before ? readItemBytes(before) : 0) + (after ? readItemBytes(after) : 0);
      // The latest image decides, and of a deleted item the old one (S3DataExport.Filtered).
      if (await filter.takes((after ?? before)!)) lines.push(changeLine(record, filter, change));
    }
    const { entriesRead } = page;
    return { lines, looked: page.changes.length, bytes, entriesRead, next: page.next && toHex(page.next) };
  }
  const page = await readPastPage(store, source, { bounds, cuts: [cut], ...pageLimits });
  const lines: Uint8Array[] = [];
  for (const { states } of page.items) {
    const item = states[0]!;
    bytes += readItemBytes(item);
    if (await filter.takes(item)) lines.push(itemLine(filter.json(item)));
  }
  const { entriesRead } = page;
  return { lines, looked: page.items.length, bytes, entriesRead, next: page.next && toHex(page.next) };
}

const itemHead = encodeUtf8('{"Item":');
const itemTail = encodeUtf8('}\n');

function itemLine(json: Uint8Array): Uint8Array {
  return joined([itemHead, json, itemTail]);
}

/** What an incremental export tells of an item; with the view NEW_IMAGE no old image. */
function changeLine(
  { request, keyNames }: ExportRecord,
  filter: ExportFilter,
  change: ChangeBetween,
): Uint8Array {
  const { before, after, writtenMicros } = change;
  const view = request.IncrementalExportSpecification?.ExportViewType ?? 'NEW_AND_OLD_IMAGES';
  const image = (stored: Uint8Array) => decodeUtf8(filter.json(stored));
  const either = parseJson(decodeUtf8(itemJson((after ?? before)!))) as Record<string, unknown>;
  const keys = JSON.stringify(Object.fromEntries(keyNames.map((name) => [name, either[name]])));
  const old = before !== undefined && view !== 'NEW_IMAGE' ? `,"OldImage":${image(before)}` : '';
  const now = after === undefined ? '' : `,"NewImage":${image(after)}`;
  // The guide shows a bare text; readers of the service's own files (Glue schemas, bulk tools) expect a number attribute.
  const metadata = JSON.stringify({ WriteTimestampMicros: { N: String(writtenMicros) } });
  return encodeUtf8(`{"Metadata":${metadata},"Keys":${keys}${old}${now}}\n`);
}

async function writeFile(
  tools: TransferTools,
  record: ExportRecord,
  lines: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<ExportedFile> {
  const { S3Bucket: bucket, S3Prefix: prefix } = record.request;
  const name = toHex(tools.md5(encodeUtf8(`${record.id}/${record.files.length}`))).slice(0, 26);
  const key = exportPlaces(prefix, record.id, record.kind).dataFile(name);
  const packed = await tools.gzip(joined(lines));
  const { etag } = await tools.objects.write(bucket, key, packed, signal);
  return {
    itemCount: lines.length,
    md5Checksum: base64(tools.md5(packed)),
    etag,
    dataFileS3Key: key,
  };
}

/** Notes a file, unless another process has gone on with the export. */
async function advanced(
  { store }: TransferStepDeps,
  before: Uint8Array,
  after: ExportRecord,
): Promise<boolean> {
  const key = exportKey(after, after.id);
  return store.transact({
    reads: [key],
    decide: ({ values: [found] }) =>
      found !== undefined && equalBytes(found, before)
        ? { result: true, mutations: [{ kind: 'put', key, value: encodeExport(after) }] }
        : { result: false, mutations: [] },
  });
}

async function endExport(deps: TransferStepDeps, tools: TransferTools, record: ExportRecord): Promise<void> {
  const { signal, nowMs } = deps;
  const { request, kind, timeMs } = record;
  const { S3Bucket: bucket, S3Prefix: prefix, IncrementalExportSpecification: window } = request;
  const places = exportPlaces(prefix, record.id, kind);
  const endedAt = nowMs();
  const write = async (key: string, checksumKey: string, body: Uint8Array) => {
    await tools.objects.write(bucket, key, body, signal);
    await tools.objects.write(bucket, checksumKey, encodeUtf8(base64(tools.md5(body))), signal);
  };
  await write(places.files, places.filesChecksum, manifestFiles(record.files));
  const summary = manifestSummary({
    exportArn: exportArn(record),
    startTimeMs: record.startedAt,
    endTimeMs: endedAt,
    tableArn: request.TableArn,
    tableId: record.tableId,
    time:
      kind === 'FULL_EXPORT'
        ? { atMs: timeMs! }
        : { fromMs: window!.ExportFromTime! * 1000, toMs: record.endMs! },
    s3Bucket: bucket,
    s3Prefix: prefix,
    s3SseAlgorithm: request.S3SseAlgorithm,
    s3SseKmsKeyId: request.S3SseKmsKeyId,
    manifestFilesS3Key: places.files,
    billedSizeBytes: billedBytes(record),
    itemCount: record.items,
    outputView: kind === 'FULL_EXPORT' ? undefined : (window!.ExportViewType ?? 'NEW_AND_OLD_IMAGES'),
  });
  await write(places.summary, places.summaryChecksum, summary);
  await ended(deps, { ...record, status: 'COMPLETED', endedAt });
}

/** Ends an export that cannot go on. What it wrote stays in the bucket, without a manifest. */
export async function failExport(
  deps: TransferStepDeps,
  record: ExportRecord,
  code: string,
  message: string,
): Promise<void> {
  deps.log(`Export ${record.id} of table ${record.tableName} failed: ${message}`);
  await ended(deps, { ...record, status: 'FAILED', endedAt: deps.nowMs(), failure: { code, message } });
}

/** Notes the end and lets the table's past go. A reader without a job, should we be killed in between, is forgotten. */
async function ended(deps: TransferStepDeps, record: ExportRecord): Promise<void> {
  const { next: _, ...rest } = record;
  const mutations: Mutation[] = [
    { kind: 'put', key: exportKey(record, record.id), value: encodeExport(rest) },
    { kind: 'delete', key: jobKey(record.jobId) },
  ];
  await deps.store.transact({ reads: [], decide: () => ({ result: undefined, mutations }) });
  await releaseTable(deps, record.source, record.jobId);
}

export function exportArn({ account, region, tableName, id }: ExportRecord): string {
  return tableArnIn({ account, region }, tableName, { kind: 'export', name: id });
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
