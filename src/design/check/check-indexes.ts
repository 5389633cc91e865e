import { tableLimits } from '../../model/limits.ts';
import type { IndexDesign, TableDesign } from '../design.ts';
import { templateText } from '../key-pieces.ts';
import { whereOf } from './check-keys.ts';
import type { Finding } from './finding.ts';
import { bytesText, finding, type Subject } from './subject.ts';

/** Indexes are read, project what is read and no more, and fit the limits. */
export function checkIndexes(subject: Subject): Finding[] {
  return [
    ...subject.design.tables.flatMap((table) => [
      ...limits(table),
      ...table.indexes.flatMap((index) => [
        ...unread(table, index),
        ...wide(subject, table, index),
        ...local(table, index),
      ]),
    ]),
    ...declaredOnly(subject),
    ...apart(subject),
  ];
}

function limits({ name, indexes }: TableDesign): Finding[] {
  const where = `table ${name}`;
  const count = (kind: IndexDesign['kind']) => indexes.filter((index) => index.kind === kind).length;
  const names = indexes.reduce(
    (sum, { projection }) => sum + (projection.type === 'INCLUDE' ? projection.names.length : 0),
    0,
  );
  const rows: [number, number, string, string][] = [
    [
      count('global'),
      tableLimits.globalIndexesMax,
      'global indexes',
      'Overload indexes: several entities share one.',
    ],
    [
      count('local'),
      tableLimits.localIndexesMax,
      'local indexes',
      'Use global indexes where reads may be eventually consistent.',
    ],
    [
      names,
      tableLimits.nonKeyAttributesPerTableMax,
      'projected names',
      'Project ALL in the widest index: its names do not count.',
    ],
  ];
  return rows
    .filter(([value, limit]) => value > limit)
    .map(([value, limit, unit, fix]) =>
      finding('index-limits', where, {
        message: `it has ${value} ${unit}, and ${limit} is the limit`,
        number: { value, limit, unit },
        fix,
      }),
    );
}

function unread(table: TableDesign, index: IndexDesign): Finding[] {
  const inIndex = table.placements.filter(({ slot }) => slot === index.name);
  if (!table.plans.some(({ slot }) => slot === index.name))
    return [
      finding('unread-index', `index ${index.name}`, {
        message: `no pattern reads it, and ${inIndex.map(({ entity }) => entity).join(', ') || 'nothing'} is written to it`,
        number: { value: 0, unit: 'patterns' },
        fix: 'Remove the index, or list the pattern that reads it.',
      }),
    ];
  return inIndex
    .filter(
      ({ entity }) => !table.plans.some((plan) => plan.slot === index.name && plan.entities.includes(entity)),
    )
    .map((placement) =>
      finding('unread-entry', whereOf(placement), {
        message: `no pattern reads ${placement.entity} in ${index.name} (${templateText(placement.partition)})`,
        number: { value: 0, unit: 'patterns' },
        fix: `Do not write the key attributes of ${index.name} on ${placement.entity} items.`,
      }),
    );
}

/** Bytes beyond which a wider projection is worth a word. */
const wideBytes = 200;

function wide({ facts, model }: Subject, table: TableDesign, index: IndexDesign): Finding[] {
  if (index.projection.type !== 'ALL') return [];
  const plans = table.plans.filter(({ slot }) => slot === index.name);
  const needed = new Map<string, Set<string>>();
  for (const { pattern, entities, fetch } of plans) {
    const read = model.reads.find(({ name }) => name === pattern);
    if (read === undefined || fetch) continue;
    if (read.needs === undefined) return [];
    for (const entity of entities) {
      const names = needed.get(entity) ?? new Set<string>();
      for (const name of read.needs) names.add(name);
      needed.set(entity, names);
    }
  }
  return table.placements
    .filter(({ slot, entity }) => slot === index.name && needed.has(entity))
    .flatMap((placement) => {
      const entity = facts.entity(placement.entity);
      const names = [...needed.get(entity.name)!];
      const extra = facts.attributesBytes(entity) - facts.attributesBytes(entity, names);
      if (extra < wideBytes) return [];
      return [
        finding('wide-projection', whereOf(placement), {
          message: `${index.name} projects ALL, but its readers need ${names.join(', ')}: ${bytesText(extra)} of each entry are never read`,
          number: { value: extra, limit: wideBytes, unit: 'bytes an entry' },
          fix: `Project INCLUDE ${names.join(', ')}.`,
        }),
      ];
    });
}

function local(table: TableDesign, index: IndexDesign): Finding[] {
  if (index.kind !== 'local') return [];
  return table.placements
    .filter(({ slot }) => slot === index.name)
    .flatMap((placement) => {
      const base = table.placements.find(
        (one) => one.entity === placement.entity && one.slot === 'table' && one.copy === undefined,
      );
      if (base === undefined || JSON.stringify(base.partition) === JSON.stringify(placement.partition))
        return [];
      return [
        finding('local-index-partition', whereOf(placement), {
          message: `its partition key ${templateText(placement.partition)} is not the table's ${templateText(base.partition)}`,
          fix: 'Make it a global index.',
        }),
      ];
    });
}

/** Indexes that a model by hand declares, and that hold nothing. */
function declaredOnly({ model, design }: Subject): Finding[] {
  const known = new Set(design.tables.flatMap(({ indexes }) => indexes.map(({ name }) => name)));
  return (model.environment.indexes ?? [])
    .filter(({ name }) => !known.has(name))
    .map(({ name }) =>
      finding('unread-index', `index ${name}`, {
        message: 'no entity has a key in it, and no pattern reads it',
        number: { value: 0, unit: 'patterns' },
        fix: 'Remove the index, or give entities a key in it.',
      }),
    );
}

/** Three tables or more, each with one entity: the shape of a relational schema. */
function apart({ model, design }: Subject): Finding[] {
  const single = design.tables.filter(({ entities }) => entities.length === 1);
  if (single.length < 3 || single.length < design.tables.length) return [];
  const related = model.entities.filter(({ attributes }) =>
    attributes.some(({ refersTo }) => refersTo !== undefined),
  );
  if (related.length === 0) return [];
  return [
    finding('table-per-entity', `model ${model.name}`, {
      message: `${single.length} tables hold one entity each, and ${related.map(({ name }) => name).join(', ')} refer to others: what belongs together takes a call for each table`,
      number: { value: single.length, limit: 2, unit: 'tables with one entity' },
      fix: 'Let entities that are read together share a table; keep apart what has other owners or retention.',
    }),
  ];
}
