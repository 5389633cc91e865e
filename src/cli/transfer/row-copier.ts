import { createHmac } from 'node:crypto';
import {
  Anonymiser,
  MalformedItem,
  type WireItem as PlainItem,
  UnmatchedValue,
} from '../../anonymise/anonymiser.ts';
import type { Rules } from '../../anonymise/rules.ts';
import type { SentRow } from '../../rows/import-rows.ts';
import { Failure } from '../failure.ts';
import type { BatchWriter, RowWrite, WireItem } from './batch-writer.ts';
import type { ImportState, ReadPlace, RefusedRow } from './import-state.ts';
import type { TargetTable } from './target-table.ts';

export interface CopierOptions {
  readonly target: TargetTable;
  readonly writer: BatchWriter;
  readonly state: ImportState;
  /** How to anonymise items, and the secret of it; undefined leaves them as they are. */
  readonly anonymise: { readonly rules: Rules; readonly secret: Uint8Array } | undefined;
}

/** The damage of a file, which has no line of its own. */
export interface UnplacedError {
  readonly line: undefined;
  readonly error: string;
}

/** Anonymises pages of rows, writes them to the table, and counts them. */
export class RowCopier {
  readonly #options: CopierOptions;

  constructor(options: CopierOptions) {
    this.#options = options;
  }

  /** Copies a page. It counts, and `place` is where to go on, once all of it is in the table. */
  async copy(
    source: string,
    rows: readonly (SentRow | UnplacedError)[],
    place: () => ReadPlace,
  ): Promise<void> {
    const { writer, state, anonymise, target } = this.#options;
    // Each page has its own counts: pages of several segments are under way, and only whole ones are saved.
    const anonymiser = anonymise && new Anonymiser(anonymise.rules, keyedDigest(anonymise.secret));
    const writes: RowWrite[] = [];
    const refused: RefusedRow[] = [];
    for (const row of rows) {
      const sent = row.error === undefined ? rowWrite(row) : row.error;
      const write =
        typeof sent === 'string' || anonymiser === undefined ? sent : anonymised(anonymiser, sent, source);
      if (typeof write === 'string')
        refused.push({ source, ...(row.line !== undefined && { line: row.line }), error: write });
      else writes.push(write);
    }
    for (const { row, error } of await writer.write(writes)) {
      const item = row.put ?? row.delete!;
      const keys = Object.fromEntries(target.keyNames.map((name) => [name, item[name]]));
      refused.push({ source, ...(row.line !== undefined && { line: row.line }), error, keys });
    }
    state.add(place(), {
      read: rows.length,
      written: rows.length - refused.length,
      refused,
      anonymised: anonymiser?.report(),
    });
  }
}

/** A row of a full export or of CSV is put; a change of an incremental export is put, or deleted if it has no new image. */
function rowWrite({ line, sent }: Extract<SentRow, { readonly error?: undefined }>): RowWrite | string {
  const { Item, Keys, NewImage } = sent;
  if (isItem(Item)) return { line, put: Item };
  if (isItem(NewImage)) return { line, put: NewImage };
  if (isItem(Keys) && NewImage === undefined) return { line, delete: Keys };
  return 'The line has neither an Item nor a change (Keys and NewImage)';
}

function isItem(value: unknown): value is WireItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The row anonymised, or what is wrong with it. */
function anonymised(anonymiser: Anonymiser, row: RowWrite, source: string): RowWrite | string {
  try {
    const change = (item: WireItem) => anonymiser.item(item as PlainItem);
    return row.put === undefined ? { ...row, delete: change(row.delete!) } : { ...row, put: change(row.put) };
  } catch (error) {
    if (error instanceof MalformedItem) return error.message;
    if (!(error instanceof UnmatchedValue)) throw error;
    const where = row.line === undefined ? source : `${source}, line ${row.line}`;
    throw new Failure(
      `${where}: ${error.message}.`,
      'Add a template to the rules, or an otherwise other than fail; the same command goes on.',
      error,
    );
  }
}

function keyedDigest(secret: Uint8Array): (text: string) => Uint8Array {
  return (text) => createHmac('sha256', secret).update(text).digest();
}
