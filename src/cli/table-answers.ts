import type { KeyAttribute, PhysicalIndex, PhysicalTable } from '../design/index.ts';
import { tableLimits } from '../model/limits.ts';
import { UsageError } from './failure.ts';

/** What the questions or the flags of `stator table-design` answer, as texts. */
export interface TableAnswers {
  readonly table: string;
  readonly partitionKey: string;
  /** Or `none`. */
  readonly sortKey: string;
  /** Or `none`. */
  readonly gsi: string;
  readonly billing: 'on-demand' | 'provisioned';
  readonly readCapacity: string;
  readonly writeCapacity: string;
  /** Or `none`. */
  readonly ttl: string;
  readonly stream: NonNullable<PhysicalTable['streamView']> | 'none';
  readonly recovery: boolean;
  readonly insights: boolean;
}

/** The table that was asked for. Refuses what the service would refuse. */
export function tableOf(answers: TableAnswers): PhysicalTable {
  const capacity = rangeOf(answers);
  const partitionKey = keyOf(answers.partitionKey);
  const sortKey = answers.sortKey === 'none' ? undefined : keyOf(answers.sortKey);
  const indexes = indexesOf(answers.gsi, capacity);
  const types = new Map<string, string>();
  const keys = [
    partitionKey,
    ...(sortKey === undefined ? [] : [sortKey]),
    ...indexes.flatMap(({ hash, range }) => [...hash, ...range]),
  ];
  for (const { name, type } of keys) {
    if ((types.get(name) ?? type) !== type)
      throw new UsageError(`The attribute ${name} cannot be both ${types.get(name)} and ${type}.`);
    types.set(name, type);
  }
  if (sortKey?.name === partitionKey.name)
    throw new UsageError(`${partitionKey.name} cannot be the partition key and the sort key.`);
  if ((types.get(answers.ttl) ?? 'N') !== 'N')
    throw new UsageError(`Items expire by a number, and the key attribute ${answers.ttl} is none.`);
  return {
    name: answers.table,
    description: 'A table made with stator table-design.',
    partitionKey,
    ...(sortKey === undefined ? {} : { sortKey }),
    indexes,
    ...(answers.ttl === 'none' ? {} : { ttlAttribute: answers.ttl }),
    ...(answers.stream === 'none' ? {} : { streamView: answers.stream }),
    consumers: [],
    pointInTimeRecovery: answers.recovery,
    contributorInsights: answers.insights,
    billing: answers.billing,
    capacity,
  };
}

function rangeOf({ readCapacity, writeCapacity }: TableAnswers): PhysicalTable['capacity'] {
  const [readMin, readMax] = unitsOf(readCapacity);
  const [writeMin, writeMax] = unitsOf(writeCapacity);
  return { readMin, readMax, writeMin, writeMax };
}

function unitsOf(text: string): readonly [number, number] {
  const found = /^([1-9]\d{0,6})-([1-9]\d{0,6})$/.exec(text);
  if (found === null || Number(found[1]) > Number(found[2]))
    throw new UsageError(`"${text}" must be two numbers such as 5-100, the smaller one first.`);
  return [Number(found[1]), Number(found[2])];
}

function keyOf(text: string): KeyAttribute {
  const [name, type = 'S'] = text.trim().split(':');
  if (name === '' || name === undefined || !/^[SNB]$/.test(type))
    throw new UsageError(
      `${JSON.stringify(text)} is no key.`,
      'Write a name, or a name with its type: id:S.',
    );
  return { name, type: type as KeyAttribute['type'] };
}

/** Reads `GSI1(GSI1PK,GSI1SK); ByMail(email) KEYS_ONLY; Open(day+shop,at:N) INCLUDE total,status`. */
function indexesOf(text: string, capacity: PhysicalTable['capacity']): PhysicalIndex[] {
  if (text.trim() === 'none' || text.trim() === '') return [];
  const seen = new Set<string>();
  const indexes = text.split(';').map((part): PhysicalIndex => {
    const found = /^\s*([^\s()]+)\s*\(([^(),]+)(?:,([^(),]+))?\)\s*(ALL|KEYS_ONLY|INCLUDE\s+\S.*)?\s*$/.exec(
      part,
    );
    if (found === null)
      throw new UsageError(
        `${JSON.stringify(part.trim())} is no index.`,
        'Write NAME(partition,sort), with + between several attributes of one of them, and behind it KEYS_ONLY or INCLUDE a,b unless everything is projected.',
      );
    const [, name, hashText, rangeText, projected = 'ALL'] = found;
    if (!/^[A-Za-z0-9_.-]{3,255}$/.test(name!))
      throw new UsageError(
        `The name of an index has 3 to 255 letters, digits, _, . and -, unlike "${name}".`,
      );
    if (seen.has(name!)) throw new UsageError(`There are two indexes ${name}.`);
    seen.add(name!);
    const hash = hashText!.split('+').map(keyOf);
    const range = rangeText === undefined ? [] : rangeText.split('+').map(keyOf);
    if (
      hash.length > tableLimits.globalIndexHashAttributesMax ||
      range.length > tableLimits.globalIndexRangeAttributesMax
    )
      throw new UsageError(`The index ${name} has more than four partition or sort attributes.`);
    const names = projected.startsWith('INCLUDE')
      ? projected
          .slice(7)
          .split(',')
          .map((one) => one.trim())
      : [];
    return {
      name: name!,
      kind: 'global',
      hash,
      range,
      projection:
        names.length > 0
          ? { type: 'INCLUDE', names: names.filter(Boolean) }
          : { type: projected === 'KEYS_ONLY' ? 'KEYS_ONLY' : 'ALL' },
      description: `By ${[...hash, ...range].map((key) => key.name).join(', ')}.`,
      capacity,
    };
  });
  if (indexes.length > tableLimits.globalIndexesMax)
    throw new UsageError(`A table has ${tableLimits.globalIndexesMax} global indexes at most.`);
  return indexes;
}
