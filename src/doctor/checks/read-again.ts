import { aws, quoted } from '../phrases.ts';
import type { SampledItem, WireValue } from '../sample.ts';
import type { Context, TableView } from '../table-view.ts';
import { entriesOf, keySlots } from './sampled-keys.ts';

interface Read {
  readonly operation: string;
  readonly index: string | null;
  readonly filter: string | null;
}

/**
 * The read of a pattern once more, for what it counts and what it costs. Values of the key and the filter are those of
 * sampled items, because a pattern has none. A filter is left out if it is not one comparison, or if the sample has no
 * value that few items have.
 */
export function readAgain(view: TableView, read: Read | undefined, { endpoint }: Context): string {
  const index = read?.index ?? undefined;
  const slot = keySlots(view).find((each) => each.index === index);
  const entries = slot === undefined ? [] : entriesOf(view, slot);
  const [hash, ...others] = slot?.hash ?? [];
  const key =
    read?.operation === 'Query' && others.length === 0 ? valuesOf(entries, hash).at(0)?.value : undefined;
  const filtered = /^([\w.-]+) = \?$/.exec(read?.filter ?? '')?.[1];
  const rarest = valuesOf(entries, filtered).at(-1);
  const filter = rarest !== undefined && rarest.count <= entries.length / 5 ? rarest.value : undefined;
  const names = { ...(key && { '#p': hash }), ...(filter && { '#f': filtered }) };
  const values = { ...(key && { ':p': key }), ...(filter && { ':f': filter }) };
  const words = [
    `${key === undefined ? 'scan' : 'query'} --table-name ${quoted(view.name)}`,
    ...(index === undefined ? [] : [`--index-name ${quoted(index)}`]),
    ...(key === undefined ? [] : [`--key-condition-expression ${quoted('#p = :p')}`]),
    ...(filter === undefined ? [] : [`--filter-expression ${quoted('#f = :f')}`]),
    ...(key === undefined && filter === undefined
      ? []
      : [
          `--expression-attribute-names ${quoted(JSON.stringify(names))} --expression-attribute-values ${quoted(JSON.stringify(values))}`,
        ]),
    '--limit 500 --select COUNT --return-consumed-capacity TOTAL --no-paginate',
  ];
  return aws(endpoint, 'dynamodb', words.join(' '));
}

interface Counted {
  readonly value: WireValue;
  count: number;
}

/** The texts and numbers that an attribute has, the most frequent first. */
function valuesOf(entries: readonly SampledItem[], attribute: string | undefined): Counted[] {
  if (attribute === undefined) return [];
  const counts = new Map<string, Counted>();
  for (const { item } of entries) {
    const value = item[attribute];
    if (typeof value?.S !== 'string' && typeof value?.N !== 'string') continue;
    const id = JSON.stringify(value);
    const known = counts.get(id);
    if (known === undefined) counts.set(id, { value, count: 1 });
    else known.count++;
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}
