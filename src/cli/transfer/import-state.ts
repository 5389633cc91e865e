import { closeSync, existsSync, fsyncSync, ftruncateSync, readFileSync, rmSync, writeSync } from 'node:fs';
import type { AnonymiseReport } from '../../anonymise/anonymiser.ts';
import type { AttributeReport } from '../../anonymise/rule-tree.ts';
import { UnlistedPaths } from '../../anonymise/unlisted-paths.ts';
import { openPrivateFileSync } from '../../files/private-files.ts';
import { Failure, messageOf } from '../failure.ts';
import type { SegmentState } from '../scan/scan-file.ts';
import { writeWholeFiles } from '../write-output.ts';

/** How far reading has come: the segments of a table, or the file and the line of it that was taken last. */
export interface ReadPlace {
  readonly segments?: readonly SegmentState[];
  readonly file?: { readonly number: number; readonly line: number };
}

/** What was done to one page of rows. */
export interface PageCounts {
  readonly read: number;
  readonly written: number;
  readonly refused: readonly RefusedRow[];
  readonly anonymised: AnonymiseReport | undefined;
}

export interface RefusedRow {
  /** The file and line, or the segment of a table, that the row came from. */
  readonly source: string;
  readonly line?: number;
  readonly error: string;
  readonly keys?: unknown;
}

interface SavedImport {
  readonly format: 'stator-import/1';
  /** What was asked for. An import goes on only with the same request. */
  readonly request: string;
  /** The secret of hashes and fakes, in hexadecimal digits, if it was drawn. */
  readonly secret?: string;
  readonly place: ReadPlace;
  readonly read: number;
  readonly written: number;
  readonly refused: number;
  /** Bytes of the file of refused rows that the counts account for. */
  readonly errorBytes: number;
  readonly attributes: readonly AttributeReport[];
  readonly untouched: Readonly<Record<string, number>>;
  readonly untouchedIsCut: boolean;
}

/**
 * How far an import has come, in a file beside it, and its refused rows in another. A page counts once it is written to the
 * table: what a killed process wrote after the last save is written again, with the same values, and counted once.
 */
export class ImportState {
  readonly #path: string;
  readonly #errorsPath: string;
  #saved: SavedImport;
  #errors: number | undefined;
  readonly isResumed: boolean;

  constructor(path: string, errorsPath: string, request: object, restart: boolean) {
    this.#path = path;
    this.#errorsPath = errorsPath;
    if (restart) rmSync(path, { force: true });
    const asked = JSON.stringify(request);
    const found = this.#find(asked);
    this.isResumed = found !== undefined;
    this.#saved = found ?? {
      ...{ format: 'stator-import/1', request: asked, place: {} },
      ...{ read: 0, written: 0, refused: 0, errorBytes: 0 },
      ...{ attributes: [], untouched: {}, untouchedIsCut: false },
    };
    this.#openErrors();
  }

  get counts(): SavedImport {
    return this.#saved;
  }

  /** Keeps a drawn secret for as long as the import is not over. */
  keepSecret(secret: string): void {
    this.#saved = { ...this.#saved, secret };
  }

  /** Counts a page that is in the table. */
  add(place: ReadPlace, { read, written, refused, anonymised }: PageCounts): void {
    const before = this.#saved;
    const lines = refused.map((row) => `${JSON.stringify(row)}\n`).join('');
    const errorBytes = before.errorBytes + this.#writeErrors(lines, before.errorBytes);
    const unlisted = new UnlistedPaths();
    unlisted.addAll(Object.entries(before.untouched), before.untouchedIsCut);
    if (anonymised !== undefined) unlisted.addAll(anonymised.untouched, anonymised.untouchedIsCut);
    this.#saved = {
      ...before,
      place,
      read: before.read + read,
      written: before.written + written,
      refused: before.refused + refused.length,
      errorBytes,
      attributes:
        anonymised === undefined ? before.attributes : summed(before.attributes, anonymised.attributes),
      untouched: Object.fromEntries(unlisted.counts),
      untouchedIsCut: unlisted.isCut,
    };
  }

  save(): void {
    if (this.#errors !== undefined) fsyncSync(this.#errors);
    writeWholeFiles(new Map([[this.#path, JSON.stringify(this.#saved)]]), 'private');
  }

  /** Keeps the state for a later run. */
  keep(): void {
    this.save();
    this.#close();
  }

  /** The import is over. Refused rows stay. */
  complete(): void {
    this.#close();
    rmSync(this.#path, { force: true });
    if (this.#saved.refused === 0) rmSync(this.#errorsPath, { force: true });
  }

  /** Nothing was done: no file is left. */
  forget(): void {
    this.#close();
    rmSync(this.#path, { force: true });
    rmSync(this.#errorsPath, { force: true });
  }

  #openErrors(): void {
    const { errorBytes } = this.#saved;
    if (errorBytes === 0 || !existsSync(this.#errorsPath)) return;
    this.#errors = openPrivateFileSync(this.#errorsPath, 'r+');
    ftruncateSync(this.#errors, errorBytes);
  }

  #writeErrors(lines: string, at: number): number {
    if (lines === '') return 0;
    try {
      // An older file is of an import that is over.
      this.#errors ??= openPrivateFileSync(this.#errorsPath, 'w');
      const bytes = Buffer.from(lines);
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#errors, bytes, done, bytes.length - done, at + done);
      return bytes.length;
    } catch (error) {
      throw new Failure(`${this.#errorsPath} cannot be written: ${messageOf(error)}.`, undefined, error);
    }
  }

  #close(): void {
    if (this.#errors !== undefined) closeSync(this.#errors);
    this.#errors = undefined;
  }

  #find(request: string): SavedImport | undefined {
    if (!existsSync(this.#path)) return undefined;
    const restart = 'Give the earlier command again, or add --restart to forget what it has done.';
    let saved: SavedImport;
    try {
      saved = JSON.parse(readFileSync(this.#path, 'utf8')) as SavedImport;
    } catch (error) {
      throw new Failure(`${this.#path} cannot be read: ${messageOf(error)}.`, restart, error);
    }
    if (saved?.format !== 'stator-import/1')
      throw new Failure(`${this.#path} is not the state of an import.`, restart);
    if (saved.request !== request)
      throw new Failure(`${this.#path} belongs to an import with other flags.`, restart);
    return saved;
  }
}

function summed(before: readonly AttributeReport[], page: readonly AttributeReport[]): AttributeReport[] {
  return page.map((each, i) => {
    const known = before[i];
    if (known === undefined) return each;
    return {
      path: each.path,
      changed: known.changed + each.changed,
      kept: known.kept + each.kept,
      dropped: known.dropped + each.dropped,
      unmatched: known.unmatched + each.unmatched,
    };
  });
}
