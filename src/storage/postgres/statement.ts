/** One SQL text, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A row as an array, in the order of the selected columns. */
export type Row = readonly unknown[];

/** Sends one statement and waits for its rows: one round trip. */
export type Run = (statement: Statement, values: readonly unknown[]) => Promise<readonly Row[]>;
