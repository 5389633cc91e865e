import { parseTexts } from '../model/json/parse-texts.ts';

/** A name with its value, such as `TableName` and `Orders`. */
export interface Dimension {
  readonly name: string;
  readonly value: string;
}

/** Names one series of one account in one Region. */
export interface MetricKey {
  readonly accountId: string;
  readonly region: string;
  readonly namespace: string;
  readonly name: string;
  /** Sorted by name. */
  readonly dimensions: readonly Dimension[];
}

/** CloudWatch's units, as its API spells them. `None` stands for no unit. */
export type MetricUnit = string;

/** Dimensions in the order of their names. */
export function sortDimensions(dimensions: readonly Dimension[]): readonly Dimension[] {
  return dimensions.length < 2
    ? dimensions
    : [...dimensions].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The text that stands for a key in maps and in the store. Two keys are the same series exactly if their texts are equal. */
export function keyText({ accountId, region, namespace, name, dimensions }: MetricKey): string {
  const parts = [accountId, region, namespace, name];
  for (const dimension of dimensions) parts.push(dimension.name, dimension.value);
  return JSON.stringify(parts);
}

export function keyOfText(text: string): MetricKey {
  const [accountId, region, namespace, name, ...rest] = parseTexts(text);
  const dimensions: Dimension[] = [];
  for (let i = 0; i + 1 < rest.length; i += 2) dimensions.push({ name: rest[i]!, value: rest[i + 1]! });
  return { accountId: accountId!, region: region!, namespace: namespace!, name: name!, dimensions };
}
