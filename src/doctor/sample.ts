/** A value in DynamoDB JSON, as the wire has it. */
export type WireValue = Readonly<Record<string, unknown>>;
export type WireItem = Readonly<Record<string, WireValue>>;

export interface SampledItem {
  readonly item: WireItem;
  /** The size in DynamoDB's bytes. */
  readonly bytes: number;
}

/** Some items of a table, from places spread over its hash space. */
export interface Sample {
  readonly items: readonly SampledItem[];
  readonly readUnits: number;
  /** Whether these are all items that the table has. */
  readonly isWhole: boolean;
  /** Segments of the hash space that were read, and how many of them held anything. */
  readonly segments: number;
  readonly segmentsWithItems: number;
}

/** The text of a scalar value, as a key is shown. */
export function shownValue(value: WireValue | undefined): string {
  if (value === undefined) return '?';
  const text = typeof value.S === 'string' ? value.S : typeof value.N === 'string' ? value.N : undefined;
  if (text === undefined) return JSON.stringify(value).slice(0, 60);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
