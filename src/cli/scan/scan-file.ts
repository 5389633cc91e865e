import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { openPrivateFileSync } from '../../files/private-files.ts';
import { Failure, messageOf } from '../failure.ts';
import { writeWholeFiles } from '../write-output.ts';

/** How far a segment has come: a key to go on behind, or its end. */
export type SegmentState = { readonly at: unknown } | 'start' | 'end';

interface SavedScan {
  readonly format: 'stator-scan/1';
  /** What was asked for. A scan goes on only with the same request. */
  readonly request: string;
  /** Bytes of the part file that the states below account for. */
  readonly bytes: number;
  readonly items: number;
  readonly segments: readonly SegmentState[];
}

/**
 * The file of a scan: lines in `<file>.part`, the state of the segments in `<file>.state`. The part gets its own name when
 * the scan is complete. A state accounts for the bytes that were on the disk before it, so that lines behind them, of a
 * page whose state was not saved, are cut off and read again.
 */
export class ScanFile {
  readonly #path: string;
  readonly #request: string;
  readonly #descriptor: number;
  #bytes: number;
  items: number;
  readonly segments: SegmentState[];

  constructor(
    path: string,
    request: object,
    segments: number,
    choices: { overwrite: boolean; restart: boolean },
  ) {
    this.#path = path;
    this.#request = JSON.stringify(request);
    if (existsSync(path) && !choices.overwrite)
      throw new Failure(`${path} is there already.`, 'Add --overwrite to replace it, or name another file.');
    if (choices.restart) this.#forget();
    const saved = this.#saved();
    this.#bytes = saved?.bytes ?? 0;
    this.items = saved?.items ?? 0;
    this.segments = saved === undefined ? Array<SegmentState>(segments).fill('start') : [...saved.segments];
    try {
      this.#descriptor = openPrivateFileSync(this.#part, saved === undefined ? 'w' : 'r+');
      ftruncateSync(this.#descriptor, this.#bytes);
    } catch (error) {
      throw new Failure(`${this.#part} cannot be written: ${messageOf(error)}.`, undefined, error);
    }
  }

  get isResumed(): boolean {
    return this.#bytes > 0 || this.segments.some((segment) => segment !== 'start');
  }

  /** Adds a page of a segment. */
  add(segment: number, lines: string, items: number, state: SegmentState): void {
    const bytes = Buffer.from(lines);
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(this.#descriptor, bytes, at, bytes.length - at, this.#bytes + at);
    }
    this.#bytes += bytes.length;
    this.items += items;
    this.segments[segment] = state;
  }

  /** Saves how far all segments have come. */
  save(): void {
    fsyncSync(this.#descriptor);
    const saved: SavedScan = {
      format: 'stator-scan/1',
      request: this.#request,
      bytes: this.#bytes,
      items: this.items,
      segments: this.segments,
    };
    writeWholeFiles(new Map([[this.#state, JSON.stringify(saved)]]), 'private');
  }

  /** Gives the file its name. */
  complete(): void {
    fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
    renameSync(this.#part, this.#path);
    rmSync(this.#state, { force: true });
  }

  /** Keeps what was read for a later run, or nothing if nothing was. */
  keep(): void {
    if (this.isResumed) this.save();
    closeSync(this.#descriptor);
    if (!this.isResumed) this.#forget();
  }

  get #part(): string {
    return `${this.#path}.part`;
  }

  get #state(): string {
    return `${this.#path}.state`;
  }

  #forget(): void {
    rmSync(this.#part, { force: true });
    rmSync(this.#state, { force: true });
  }

  #saved(): SavedScan | undefined {
    if (!existsSync(this.#state) || !existsSync(this.#part)) return undefined;
    const restart = 'Give the earlier command again, or add --restart to forget what it has read.';
    let saved: SavedScan;
    try {
      saved = JSON.parse(readFileSync(this.#state, 'utf8')) as SavedScan;
    } catch (error) {
      throw new Failure(`${this.#state} cannot be read: ${messageOf(error)}.`, restart, error);
    }
    if (saved?.format !== 'stator-scan/1')
      throw new Failure(`${this.#state} is not the state of a scan.`, restart);
    if (saved.request !== this.#request)
      throw new Failure(`${this.#state} belongs to a scan with other flags.`, restart);
    return saved;
  }
}
