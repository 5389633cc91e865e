import { createHash } from 'node:crypto';
import type { KeyAttribute } from '../../model/tables/table-schema.ts';
import { DamagedData } from '../../rows/damaged-data.ts';
import { type ImportFormat, type SentRow, sentRows } from '../../rows/import-rows.ts';
import { Failure } from '../failure.ts';
import type { Settings } from '../settings.ts';
import type { SourcePlace } from './source-place.ts';
import type { importOptions } from './transfer-options.ts';

export interface SourceFile {
  readonly key: string;
  /** The size as it lies there; unknown of a file of an export. */
  readonly bytes: number | undefined;
  /** What the manifest of an export says. */
  readonly manifest: { readonly md5: string; readonly items: number } | undefined;
}

/** The files of an import, in their order. */
export interface SourceFiles {
  readonly files: readonly SourceFile[];
  /** The export that they belong to. */
  readonly exportArn: string | undefined;
  readonly items: number | undefined;
}

interface Summary {
  readonly version: string;
  readonly exportArn: string;
  readonly manifestFilesS3Key: string;
  readonly itemCount: number;
  readonly outputFormat: string;
  readonly exportType?: string;
  readonly exportTime?: string;
  readonly exportFromTime?: string;
  readonly exportToTime?: string;
}

interface ManifestFile {
  readonly itemCount: number;
  readonly md5Checksum: string;
  readonly dataFileS3Key: string;
}

const summaryName = 'manifest-summary.json';
/** Of full and of incremental exports: "DynamoDB table export output format" in the developer guide. */
const knownVersions: readonly string[] = ['2020-06-30', '2023-08-01'];
const knownTypes: readonly string[] = ['FULL_EXPORT', 'INCREMENTAL_EXPORT'];

/** Finds the files of an export by its manifests, whose checksums must be right; else all files that hold rows. */
export async function findFiles(place: SourcePlace, signal: AbortSignal): Promise<SourceFiles> {
  const { tools, bucket, prefix } = place;
  const found: { readonly key: string; readonly bytes: number }[] = [];
  for await (const object of tools.objects.list(bucket, prefix, signal)) found.push(object);
  const summaries = found.filter(({ key }) => key === summaryName || key.endsWith(`/${summaryName}`));
  if (summaries.length === 1) return exportFiles(place, summaries[0]!.key, signal);
  if (summaries.length > 1)
    throw new Failure(
      `There are ${summaries.length} exports under that place.`,
      `Name one of them:\n${summaries.map(({ key }) => `  ${key.slice(0, -summaryName.length)}`).join('\n')}`,
    );
  if (found.some(({ key }) => key.endsWith('/_started')))
    throw new Failure(
      'The export at that place is not complete: it has no manifest.',
      'Wait for its end, or export again.',
    );
  const files = found
    .filter(({ key }) => /\.(json|jsonl|ndjson|csv)(\.gz|\.zst)?$/i.test(key) || key === prefix)
    .map(({ key, bytes }) => ({ key, bytes, manifest: undefined }));
  if (files.length === 0)
    throw new Failure(
      'There is nothing to import at that place.',
      'Files end in .json, .jsonl, .ndjson or .csv, and in .gz or .zst if they are packed.',
    );
  return { files, exportArn: undefined, items: undefined };
}

async function exportFiles(
  place: SourcePlace,
  summaryKey: string,
  signal: AbortSignal,
): Promise<SourceFiles> {
  const folder = summaryKey.slice(0, -summaryName.length);
  const summary = JSON.parse(await checkedText(place, summaryKey, signal)) as Summary;
  if (summary.outputFormat !== 'DYNAMODB_JSON')
    throw new Failure(`The export is in the format ${summary.outputFormat}.`, 'Export as DYNAMODB_JSON.');
  checkKind(summary);
  const lines = (await checkedText(place, `${folder}manifest-files.json`, signal)).split('\n');
  // A copy of an export lies elsewhere than its manifest says: what counts is where its files lie beside the manifest.
  const told = summary.manifestFilesS3Key.slice(0, -'manifest-files.json'.length);
  const [toldParent, parent] = [parentOf(told), parentOf(folder)];
  const files = lines
    .filter((line) => line !== '')
    .map((line): SourceFile => {
      const { dataFileS3Key: key, md5Checksum: md5, itemCount: items } = JSON.parse(line) as ManifestFile;
      const here = key.startsWith(told)
        ? `${folder}${key.slice(told.length)}`
        : key.startsWith(toldParent)
          ? `${parent}${key.slice(toldParent.length)}`
          : key;
      return { key: here, bytes: undefined, manifest: { md5, items } };
    });
  const listed = files.reduce((sum, { manifest }) => sum + manifest!.items, 0);
  if (listed !== summary.itemCount)
    throw new Failure(
      `The manifests contradict each other: manifest-files.json lists files with ${listed} items, and ${summaryName} says ${summary.itemCount}.`,
      'Copy the export again.',
    );
  return { files, exportArn: summary.exportArn, items: summary.itemCount };
}

/** Rows of another format version could mean something else. */
function checkKind({ version, exportType }: Summary): void {
  if (!knownVersions.includes(version))
    throw new Failure(
      `The export has the format version ${version}, and this version of Stator knows ${knownVersions.join(' and ')}.`,
      'Use a newer Stator.',
    );
  if (exportType !== undefined && !knownTypes.includes(exportType))
    throw new Failure(`The export has the unknown type ${exportType}.`, 'Use a newer Stator.');
}

function parentOf(folder: string): string {
  return folder.replace(/[^/]*\/$/, '');
}

/** The text of a manifest, which must have the MD5 that stands beside it. */
async function checkedText(place: SourcePlace, key: string, signal: AbortSignal): Promise<string> {
  const text = await wholeText(place, key, signal);
  const told = (await wholeText(place, key.replace(/\.json$/, '.checksum'), signal)).trim();
  const md5 = createHash('md5').update(text).digest('base64');
  if (md5 !== told)
    throw new Failure(`${key} is damaged: its MD5 is ${md5}, and its checksum file says ${told}.`);
  return text;
}

async function wholeText({ tools, bucket }: SourcePlace, key: string, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tools.objects.read(bucket, key, signal)) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks).toString();
}

/** Reads a file of an export once for its MD5, so that nothing of a damaged file is imported. */
export async function verifyFile(
  { tools, bucket }: SourcePlace,
  { key, manifest }: SourceFile,
  signal: AbortSignal,
): Promise<void> {
  if (manifest === undefined) return;
  const hash = createHash('md5');
  for await (const chunk of tools.objects.read(bucket, key, signal)) hash.update(chunk);
  const md5 = hash.digest('base64');
  if (md5 !== manifest.md5)
    throw new Failure(`${key} is damaged: its MD5 is ${md5}, and the manifest says ${manifest.md5}.`);
}

/** The rows of a file, a page at a time. `bytes` is told how much was read, as it lies there. */
export async function* fileRows(
  { tools, bucket }: SourcePlace,
  { key, manifest }: SourceFile,
  { settings, keys, signal }: FileReading,
  bytes: (count: number) => void,
): AsyncGenerator<readonly SentRow[]> {
  const counted = async function* () {
    for await (const chunk of tools.objects.read(bucket, key, signal)) {
      bytes(chunk.length);
      yield chunk;
    }
  };
  const compression = manifest === undefined ? compressionOf(key, settings) : compressionOf(key);
  let rows = 0;
  for await (const page of sentRows(formatOf(key, settings, keys), tools.unpack(compression, counted()))) {
    rows += page.length;
    yield page;
  }
  if (manifest !== undefined && rows !== manifest.items)
    throw new DamagedData(`The file has ${rows} rows, and the manifest says ${manifest.items}`);
}

export interface FileReading {
  readonly settings: Settings<typeof importOptions>;
  /** The key attributes of the table and its indexes. */
  readonly keys: readonly KeyAttribute[];
  readonly signal: AbortSignal;
}

function compressionOf(key: string, settings?: Settings<typeof importOptions>): 'NONE' | 'GZIP' | 'ZSTD' {
  const chosen = settings?.compression.value ?? 'auto';
  if (chosen !== 'auto') return chosen.toUpperCase() as 'NONE' | 'GZIP' | 'ZSTD';
  return /\.gz$/i.test(key) ? 'GZIP' : /\.zst$/i.test(key) ? 'ZSTD' : 'NONE';
}

function formatOf(
  key: string,
  { format, delimiter, header }: Settings<typeof importOptions>,
  keys: readonly KeyAttribute[],
): ImportFormat {
  const isCsv = format.value === 'auto' ? /\.csv(\.gz|\.zst)?$/i.test(key) : format.value === 'csv';
  if (!isCsv) return { kind: 'DYNAMODB_JSON' };
  const names = header.value?.split(',').map((name) => name.trim());
  return { kind: 'CSV', delimiter: delimiter.value, header: names, keys };
}
