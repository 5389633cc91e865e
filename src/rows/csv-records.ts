import { DamagedData } from './damaged-data.ts';

/** One record of a CSV file. */
export interface CsvRecord {
  /** The line on which the record starts, counted from one. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The delimiters that the service takes. */
export const csvDelimiters = [',', '\t', ':', ';', '|', ' '] as const;

/**
 * Reads CSV as the service imports it: cells are apart by the delimiter, a cell in double quotes may hold delimiters,
 * line breaks and doubled quotes, and a record ends with a line feed, with or without a carriage return. Empty lines
 * are no records. A byte order mark at the start is skipped.
 *
 * A quote inside an unquoted cell is kept as it stands, as RFC 4180's readers do (guess). A quoted cell that never ends
 * is damage: nothing after it can be trusted.
 */
export class CsvReader {
  readonly #delimiter: string;
  readonly #cellsMax: number;
  readonly #recordCharsMax: number;
  #cells: string[] = [];
  #cell = '';
  #chars = 0;
  #state: 'start' | 'plain' | 'quoted' | 'quote' = 'start';
  #line = 1;
  #startLine = 1;
  #isFirst = true;
  #skipsLineFeed = false;

  constructor(delimiter: string, limits: { readonly cellsMax: number; readonly recordCharsMax: number }) {
    this.#delimiter = delimiter;
    this.#cellsMax = limits.cellsMax;
    this.#recordCharsMax = limits.recordCharsMax;
  }

  /** Takes more text, and answers the records that it completes. */
  *push(text: string): Generator<CsvRecord> {
    let from = 0;
    if (this.#isFirst && text.length > 0) {
      this.#isFirst = false;
      if (text.charCodeAt(0) === 0xfeff) from = 1;
    }
    for (let i = from; i < text.length; i++) {
      const char = text[i]!;
      if (this.#skipsLineFeed) {
        this.#skipsLineFeed = false;
        if (char === '\n') continue;
      }
      const record = this.#take(char);
      if (record !== undefined) yield record;
    }
  }

  /** The last record, if the text did not end with a line break. */
  *end(): Generator<CsvRecord> {
    if (this.#state === 'quoted')
      throw new DamagedData(`The quoted cell that starts on line ${this.#startLine} never ends`);
    const record = this.#endRecord();
    if (record !== undefined) yield record;
  }

  #take(char: string): CsvRecord | undefined {
    if (this.#state === 'quoted') {
      if (char === '"') this.#state = 'quote';
      else this.#add(char);
      if (char === '\n') this.#line++;
      return undefined;
    }
    if (this.#state === 'quote' && char === '"') {
      this.#add('"');
      this.#state = 'quoted';
      return undefined;
    }
    if (char === '"' && this.#state === 'start') {
      this.#state = 'quoted';
      return undefined;
    }
    if (char === this.#delimiter) {
      this.#endCell();
      return undefined;
    }
    if (char === '\n' || char === '\r') {
      this.#skipsLineFeed = char === '\r';
      const record = this.#endRecord();
      this.#line++;
      this.#startLine = this.#line;
      return record;
    }
    this.#add(char);
    this.#state = 'plain';
    return undefined;
  }

  #add(char: string): void {
    this.#cell += char;
    if (++this.#chars > this.#recordCharsMax)
      throw new DamagedData(
        `The record that starts on line ${this.#startLine} is longer than ${this.#recordCharsMax} characters`,
      );
  }

  #endCell(): void {
    if (this.#cells.length >= this.#cellsMax)
      throw new DamagedData(
        `The record that starts on line ${this.#startLine} has more than ${this.#cellsMax} cells`,
      );
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'start';
  }

  #endRecord(): CsvRecord | undefined {
    const isEmpty = this.#cells.length === 0 && this.#cell === '' && this.#state === 'start';
    if (isEmpty) return undefined;
    this.#endCell();
    const record = { line: this.#startLine, cells: this.#cells };
    this.#cells = [];
    this.#chars = 0;
    return record;
  }
}
