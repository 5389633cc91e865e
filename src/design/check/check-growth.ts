import { itemLimits, tableLimits } from '../../model/limits.ts';
import { partitionCeilings } from '../../physics/partition-use.ts';
import type { Placement, TableDesign } from '../design.ts';
import { templateText } from '../key-pieces.ts';
import { whereOf } from './check-keys.ts';
import type { Finding } from './finding.ts';
import { entryBytes } from './forecast.ts';
import { amount, bytesText, finding, percent, type Subject } from './subject.ts';

/** S4's advice: what is larger belongs into items of its own, or into an object store. */
const largeItemBytes = 100 * 1024;

/** Heat at the peak, and sizes over three years. */
export function checkGrowth(subject: Subject): Finding[] {
  return [
    ...heat(subject),
    ...itemSizes(subject),
    ...subject.design.tables.flatMap((table) => collections(subject, table)),
  ];
}

function heat({ forecast, model, design }: Subject): Finding[] {
  const { headroom } = model.environment;
  return forecast.partitions.flatMap((one) => {
    if (one.use <= headroom) return [];
    const byWrites = one.writeUnits / partitionCeilings.write >= one.readUnits / partitionCeilings.read;
    const [value, ceiling, what] = byWrites
      ? ([one.writeUnits, partitionCeilings.write, 'write'] as const)
      : ([one.readUnits, partitionCeilings.read, 'read'] as const);
    const causes = one.from.slice(0, 3).map(({ pattern, share }) => `${pattern} ${percent(share)}`);
    const place = one.slot === 'table' ? `table ${one.table}` : `index ${one.slot}`;
    const shards = Math.ceil((one.shards * value) / (headroom * ceiling));
    const many = design.tables.length > 1 && one.slot !== 'table' ? ` of table ${one.table}` : '';
    return [
      finding('hot-partition', `${place}${many}`, {
        severity: one.use > 1 ? 'error' : 'warning',
        message: `the hottest value of ${one.template} takes ${amount(value)} ${what} units a second at the peak (${causes.join(', ')}); a partition gives ${amount(ceiling)}, and ${percent(headroom)} of it are planned`,
        number: { value, limit: headroom * ceiling, unit: `${what} units a second` },
        fix: byWrites
          ? `Spread the value over ${shards} shards, or put an attribute with more values into the partition key.`
          : 'Cache the answer, or put an attribute with more values into the partition key: shards divide writes, not the reads of a list.',
      }),
    ];
  });
}

function itemSizes({ model, facts }: Subject): Finding[] {
  return model.entities.flatMap((entity) => {
    const most = facts.itemBytesMax(entity);
    const where = `entity ${entity.name}`;
    const largest = [...entity.attributes]
      .map((attribute) => ({ attribute, bytes: facts.attributesBytesMax(entity, [attribute.name]) }))
      .sort((a, b) => b.bytes - a.bytes)[0];
    const part =
      largest === undefined ? '' : `, ${bytesText(largest.bytes)} of it in "${largest.attribute.name}"`;
    if (most > itemLimits.itemBytesMax)
      return [
        finding('item-size', where, {
          message: `an item may reach ${bytesText(most)}${part}; 400 KB is the limit`,
          number: { value: most, limit: itemLimits.itemBytesMax, unit: 'bytes' },
          fix: 'Split it into several items under one partition key, or keep the large attribute in an object store.',
        }),
      ];
    if (most <= largeItemBytes) return [];
    return [
      finding('large-item', where, {
        message: `an item may reach ${bytesText(most)}${part}; each write pays for all of it`,
        number: { value: most, limit: largeItemBytes, unit: 'bytes' },
        fix: 'Split hot from cold attributes, or keep the large one in an object store.',
      }),
    ];
  });
}

function collections(subject: Subject, table: TableDesign): Finding[] {
  const local = table.indexes.filter(({ kind }) => kind === 'local');
  return table.placements.flatMap((placement) => {
    const index = table.indexes.find(({ name }) => name === placement.slot);
    if (index?.kind === 'local') return [];
    return [
      ...(placement.slot === 'table' && local.length > 0 ? tenGigabytes(subject, table, placement) : []),
      ...fewValues(subject, placement, index === undefined ? 'table' : 'index'),
    ];
  });
}

/** A table with a local index ties each collection to one partition. */
function tenGigabytes({ facts }: Subject, table: TableDesign, placement: Placement): Finding[] {
  const entity = facts.entity(placement.entity);
  const items = facts.collectionMax(entity, spread(placement)) / placement.shards;
  const local = table.indexes.filter(({ kind }) => kind === 'local');
  const entries = local.reduce((sum, index) => {
    const inIndex = table.placements.find((one) => one.entity === entity.name && one.slot === index.name);
    return inIndex === undefined ? sum : sum + entryBytes(facts, inIndex, index);
  }, facts.itemBytes(entity));
  const bytes = items * entries;
  if (bytes <= 0.8 * tableLimits.itemCollectionBytesMax) return [];
  return [
    finding('collection-10gb', whereOf(placement), {
      severity: bytes > tableLimits.itemCollectionBytesMax ? 'error' : 'warning',
      message: `one value of ${templateText(placement.partition)} may hold ${amount(items)} items, ${bytesText(bytes)} with ${local.map(({ name }) => name).join(', ')}; 10 GB is the limit of a table with local indexes`,
      number: { value: bytes, limit: tableLimits.itemCollectionBytesMax, unit: 'bytes' },
      fix: 'Use a global index instead, or put an attribute with more values into the partition key.',
    }),
  ];
}

/** A partition key of constants and closed sets: few values, which all grow with the table. */
function fewValues({ facts }: Subject, placement: Placement, kind: 'table' | 'index'): Finding[] {
  const entity = facts.entity(placement.entity);
  const names = spread(placement);
  const share = placement.when.reduce((product, one) => product * facts.holds(entity, one), 1);
  const bytes = facts.itemBytes(entity);
  const isOpen = names.some((name) => facts.isOpen(entity, name));
  const values =
    names.reduce((product, name) => product * facts.distinct(entity, name), 1) * placement.shards;
  const items = (facts.total(entity) * share) / values;
  const growth = entity.population.kind === 'count' ? (entity.population.growthPerDay * share) / values : 0;
  const bucketed = placement.partition.some(({ kind: one }) => one === 'bucket');
  // A reference to one of a few counted instances is open and has few values all the same.
  if (isOpen && (values > countedFewMax || items * bytes < smallPartitionBytes)) return [];
  if (bucketed || (!isOpen && facts.spreads(entity, names, bytes))) return [];
  // A sparse working set stays small by itself.
  if (kind === 'index' && items * bytes < smallPartitionBytes) return [];
  const growing = growth > 0 ? `, and ${amount(growth)} more each day` : '';
  return [
    finding(kind === 'table' ? 'low-cardinality-partition' : 'partition-growth', whereOf(placement), {
      severity: kind === 'table' && !isOpen ? 'error' : 'warning',
      message: `${templateText(placement.partition)} has ${amount(values)} ${values === 1 ? 'value' : 'values'} for ${amount(facts.total(entity) * share)} items: ${amount(items)} under each${growing}`,
      number: { value: values, unit: 'partition values' },
      fix:
        kind === 'table'
          ? 'Put an identity into the partition key.'
          : 'Put an attribute with many values into the partition key, shard it, or make the index sparse.',
    }),
  ];
}

/** So many counted instances are few for a partition key. */
const countedFewMax = 100;

/** Entries of one value that a handful of pages still reads. */
const smallPartitionBytes = 100e6;

function spread({ partition }: Placement): string[] {
  return partition.flatMap((piece) => (piece.kind === 'attribute' ? [piece.attribute] : []));
}
