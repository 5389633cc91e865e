import { DamagedData } from '../../rows/damaged-data.ts';
import type { SentRow } from '../../rows/import-rows.ts';
import { machine } from '../../runtime/machine/machine.ts';
import { Failure, messageOf } from '../failure.ts';
import { figure, progressText } from '../progress-text.ts';
import type { Copying } from './copy-table.ts';
import type { UnplacedError } from './row-copier.ts';
import { fileRows, type SourceFile, type SourceFiles, verifyFile } from './source-files.ts';
import type { SourcePlace } from './source-place.ts';

const saveEveryMs = 1_000;
/** Rows that are written together: enough for all requests that may be under way. */
const batchRows = 25;

/** Copies the rows of files, one file after the other: of several rows with one key the last one stays. */
export async function copyFiles(
  place: SourcePlace,
  { files, items }: SourceFiles,
  copying: Copying,
): Promise<void> {
  const { state, output, signal } = copying;
  let began = machine.stopwatchMs();
  const before = state.counts.read;
  const bytesTotal = items === undefined ? files.reduce((sum, { bytes = 0 }) => sum + bytes, 0) : undefined;
  const first = state.counts.place.file ?? { number: 0, line: 0 };
  let bytesDone = files.slice(0, first.number).reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  // What an earlier run has done, which says nothing about how fast this one is.
  let skipped = bytesDone;
  let savedAt = began;
  const progress = () => {
    const now = machine.stopwatchMs();
    if (now - savedAt > saveEveryMs) {
      state.save();
      savedAt = now;
    }
    const { read, refused } = state.counts;
    const seconds = (now - began) / 1_000;
    const more = refused === 0 ? [] : [`${figure(refused)} refused`];
    output.progress(
      bytesTotal === undefined
        ? progressText({ done: read, total: items, seconds, unit: 'items', before }, more)
        : progressText({ done: bytesDone, total: bytesTotal, seconds, unit: 'bytes', before: skipped }, [
            `${figure(read)} items`,
            ...more,
          ]),
    );
  };
  for (const [number, file] of files.entries()) {
    if (number < first.number) continue;
    const after = number === first.number ? first.line : 0;
    try {
      await copyFile(place, { file, number, after }, copying, {
        read(bytes) {
          bytesDone += bytes;
        },
        reached() {
          skipped = bytesDone;
          began = machine.stopwatchMs();
        },
        progress,
      });
    } catch (error) {
      if (error instanceof Failure || signal.aborted || !(error instanceof Error)) throw error;
      // The service's refusals speak for themselves; what remains concerns the file.
      if ('code' in error && String(error.code).startsWith('S3'))
        throw new Failure(`${file.key} cannot be read: ${messageOf(error)}.`, undefined, error);
      throw error;
    }
  }
}

interface FileEvents {
  /** So many bytes of the file were read. */
  read(bytes: number): void;
  /** The first row that an earlier run has not copied is reached. */
  reached(): void;
  progress(): void;
}

async function copyFile(
  place: SourcePlace,
  { file, number, after }: { readonly file: SourceFile; readonly number: number; readonly after: number },
  { settings, signal, copier, target }: Copying,
  { read, reached, progress }: FileEvents,
): Promise<void> {
  await verifyFile(place, file, signal);
  const windowRows = settings.parallel.value * batchRows * 2;
  let window: (SentRow | UnplacedError)[] = [];
  let last = after;
  const flush = async (at: { readonly number: number; readonly line: number }) => {
    if (signal.aborted) throw signal.reason;
    await copier.copy(file.key, window, () => ({ file: at }));
    window = [];
    progress();
  };
  try {
    for await (const page of fileRows(place, file, { settings, keys: target.keys, signal }, read))
      for (const row of page) {
        if (row.line <= after) continue;
        if (last === after && after > 0) reached();
        window.push(row);
        last = row.line;
        if (window.length >= windowRows) await flush({ number, line: row.line });
      }
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error;
    // As in an import of the server: what stands behind the damage is not read.
    const rest = last === 0 ? 'Nothing of the file' : `Nothing behind line ${last}`;
    window.push({ line: undefined, error: `${error.message}. ${rest} is imported` });
  }
  await flush({ number: number + 1, line: 0 });
}
