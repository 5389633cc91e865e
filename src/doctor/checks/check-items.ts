import { type Finding, finding } from '../finding.ts';
import { aws, bytes, counted, number, percent, quoted, stator, time } from '../phrases.ts';
import type { SampledItem, WireValue } from '../sample.ts';
import type { Context, TableView } from '../table-view.ts';
import { keyArgument, signalsOf, topKey } from './about-signals.ts';
import { itemKey, itemKeyValues } from './sampled-keys.ts';

const itemBytesMax = 409_600;
const largeBytes = 102_400;
const entriesMany = 100;
const listBytes = 32_768;
const appendsMany = 20;

/** Items that grow, and sort keys that do not sort. */
export function checkItems(view: TableView, context: Context): Finding[] {
  return [...largeItems(view, context), ...growingLists(view, context), ...sortKeys(view, context)];
}

function getItem(view: TableView, values: readonly string[], { endpoint }: Context): string {
  const argument = keyArgument(view.description, values);
  return argument === undefined
    ? stator(endpoint, `doctor --table ${quoted(view.name)}`)
    : aws(
        ...([endpoint, 'dynamodb'] as const),
        `get-item --table-name ${quoted(view.name)} --key ${argument} --return-consumed-capacity TOTAL --query ConsumedCapacity.CapacityUnits`,
      );
}

function largeItems(view: TableView, context: Context): Finding[] {
  const { name, sample, sampleBefore, patterns = [] } = view;
  const large = (sample?.items ?? []).filter((item) => item.bytes >= largeBytes);
  const seen = patterns.reduce((most, { itemBytes }) => Math.max(most, itemBytes?.max ?? 0), 0);
  if (large.length === 0 && seen < largeBytes) return [];
  const largest = large.reduce<SampledItem | undefined>(
    (most, one) => (most === undefined || one.bytes > most.bytes ? one : most),
    undefined,
  );
  const most = Math.max(largest?.bytes ?? 0, seen);
  const key = largest && itemKey(view, largest.item);
  const before = sampleBefore?.items.find(({ item }) => itemKey(view, item) === key)?.bytes;
  return [
    finding('large-items', name, {
      severity: most >= 0.75 * itemBytesMax ? 'warning' : 'note',
      key,
      symptom: `${name} has items of up to ${bytes(most)}; at 400 KB writes are refused.`,
      cause:
        before !== undefined && largest !== undefined && largest.bytes > before
          ? 'Large items, and growing: something is added to them all the time.'
          : 'Large values stand in items. Every read pays a unit for each 4 KB and every write one for each KB of the whole item, whatever it changes.',
      evidence: [
        ...(largest === undefined
          ? []
          : [
              `${key} has ${bytes(largest.bytes)} (${percent(largest.bytes / itemBytesMax)} of the limit): a write of it takes ${number(Math.ceil(largest.bytes / 1_024))} units`,
              `${number(large.length)} of ${counted(sample!.items.length, 'sampled item')} ${large.length === 1 ? 'has' : 'have'} more than 100 KB`,
              ...heaviestAttribute(largest),
            ]),
        ...(seen > (largest?.bytes ?? 0)
          ? [`A request has read or written an item of about ${bytes(seen)}`]
          : []),
        ...(before === undefined || largest === undefined || largest.bytes <= before
          ? []
          : [`At the look before it had ${bytes(before)}`]),
      ],
      confirm: getItem(view, largest === undefined ? [] : itemKeyValues(view, largest.item), context),
      fix: 'Move what is large into items of its own below the same partition key, or into object storage with a reference in the item; compress texts. Keep what is read often small.',
      command: 'stator design check <model>',
    }),
  ];
}

function heaviestAttribute({ item }: SampledItem): string[] {
  const [heaviest] = Object.entries(item)
    .map(([attribute, value]) => ({ attribute, size: JSON.stringify(value).length }))
    .sort((a, b) => b.size - a.size);
  return heaviest === undefined ? [] : [`Its largest attribute is ${heaviest.attribute}`];
}

interface GrowingList {
  readonly item: SampledItem;
  readonly attribute: string;
  readonly entries: number;
  readonly size: number;
}

function growingLists(view: TableView, context: Context): Finding[] {
  const { name, sample, sampleBefore } = view;
  const lists = new Map<string, GrowingList>();
  const lengths = new Map<string, number[]>();
  for (const item of sample?.items ?? [])
    for (const [attribute, value] of Object.entries(item.item)) {
      const entries = entriesIn(value);
      if (entries < entriesMany) continue;
      lengths.set(attribute, [...(lengths.get(attribute) ?? []), entries]);
      const size = JSON.stringify(value).length;
      if (size < listBytes || size <= (lists.get(attribute)?.size ?? 0)) continue;
      lists.set(attribute, { item, attribute, entries, size });
    }
  const appended = signalsOf(view, 'list-append').filter(({ count }) => count >= appendsMany);
  for (const [attribute, all] of lengths) if (isFixed(all)) lists.delete(attribute);
  const attributes = new Set([...lists.keys(), ...appended.map(({ detail }) => attributeOf(detail ?? ''))]);
  return [...attributes].map((attribute): Finding => {
    const list = lists.get(attribute);
    const signal = appended.find(({ detail }) => attributeOf(detail ?? '') === attribute);
    const top = signal === undefined ? undefined : topKey([signal]);
    const values = list === undefined ? (top?.values ?? []) : itemKeyValues(view, list.item.item);
    const key = values.join(' / ') || undefined;
    const before = sampleBefore?.items.find(({ item }) => itemKey(view, item) === key)?.item[attribute];
    const minutes = signal?.minutes.length ?? 0;
    return finding('growing-list', name, {
      key,
      symptom: `Writes to ${name} get dearer with every entry, until one is refused at 400 KB.`,
      cause: `The attribute ${attribute} collects entries and is never emptied. Every append pays for the whole item.`,
      evidence: [
        ...(list === undefined
          ? []
          : [
              `${key} has ${counted(list.entries, 'entry')} in ${attribute}, and ${bytes(list.item.bytes)} in all`,
            ]),
        ...(before === undefined || list === undefined || entriesIn(before) >= list.entries
          ? []
          : [`At the look before it had ${number(entriesIn(before))}`]),
        ...(signal === undefined
          ? []
          : [
              `list_append was called ${counted(signal.count, 'time')} in ${counted(minutes, 'minute')}, the last time at ${time(signal.minutes.at(-1)?.atMs ?? 0)}`,
              ...(top === undefined ? [] : [`Most often for ${top.key}: ${counted(top.count, 'time')}`]),
            ]),
      ],
      confirm: getItem(view, values, context),
      fix: `Write each entry of ${attribute} as an item below the same partition key, with the time in its sort key, and keep at most the latest few in the parent.`,
      command: 'stator design check <model>',
    });
  });
}

/** Lists of one length in every item are vectors: nothing is added to them. */
function isFixed(lengths: readonly number[]): boolean {
  return lengths.length >= 3 && new Set(lengths).size === 1;
}

function attributeOf(path: string): string {
  return path.replace(/[.[].*$/, '');
}

/** How many entries a list, a map or a set has. */
function entriesIn(value: WireValue): number {
  const [inner] = Object.values(value);
  if (Array.isArray(inner)) return inner.length;
  return typeof inner === 'object' && inner !== null ? Object.keys(inner).length : 0;
}

function sortKeys(view: TableView, { endpoint }: Context): Finding[] {
  return view.flaws.map((flaw) =>
    finding(flaw.id, view.name, {
      index: flaw.index,
      key: flaw.key,
      symptom: `Ranges and sorted pages by ${flaw.attribute} of ${view.name} are wrong or empty.`,
      cause: flaw.cause,
      evidence: flaw.evidence,
      confirm: aws(
        ...([endpoint, 'dynamodb'] as const),
        `scan --table-name ${quoted(view.name)}${flaw.index === undefined ? '' : ` --index-name ${quoted(flaw.index)}`} --limit 50 --no-paginate --projection-expression ${quoted('#s')} --expression-attribute-names ${quoted(JSON.stringify({ '#s': flaw.attribute }))}`,
      ),
      fix: flaw.fix,
      command: 'stator design check <model>',
    }),
  );
}
