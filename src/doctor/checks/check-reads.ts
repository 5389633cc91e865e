import type { ReportedPattern } from '../../observe/patterns/report-patterns.ts';
import { type Finding, finding } from '../finding.ts';
import { aws, bytes, counted, listed, number, percent, quoted, stator } from '../phrases.ts';
import type { Context, TableView } from '../table-view.ts';
import { countOf, partitionQuery, signalsOf, spanOf, topKey } from './about-signals.ts';
import { readAgain } from './read-again.ts';

/** A consistent read unit. Most reads are eventual and read twice as much: what is said here is the least. */
const unitBytes = 4_096;
const unitsMin = 50;
const pairsMin = 8;

/** Reads that cost more than they bring, or do not bring what their caller expects. */
export function checkReads(view: TableView, context: Context): Finding[] {
  return [
    ...filters(view, context),
    ...scans(view, context),
    ...emptyRanges(view, context),
    ...staleReads(view, context),
    ...readsBeforeWrites(view, context),
  ];
}

/** The mean size of an item, from the description or else from the sample. */
function meanBytes({ description, sample }: TableView): number {
  const { ItemCount = 0, TableSizeBytes = 0 } = description;
  if (ItemCount > 0 && TableSizeBytes > 0) return Math.max(1, TableSizeBytes / ItemCount);
  const sizes = sample?.items.map((item) => item.bytes) ?? [];
  return sizes.length === 0 ? 400 : Math.max(1, sizes.reduce((sum, size) => sum + size, 0) / sizes.length);
}

function filters(view: TableView, context: Context): Finding[] {
  if (view.patterns === undefined) return filtersByMetrics(view, context);
  return view.patterns.flatMap((pattern): Finding[] => {
    const { filter, readUnits, requests, results, operation } = pattern;
    if (filter === null || (operation !== 'Query' && operation !== 'Scan') || results === null) return [];
    const mean = meanBytes(view);
    const returned = Math.round(results.count * results.average);
    // Every request rounds up: one unit of each is no waste.
    const examined = (Math.max(0, readUnits - requests) * unitBytes) / mean;
    // Somebody who looks something up once is no access pattern.
    if (requests < 3 || readUnits < unitsMin || examined < 5 * (returned + requests)) return [];
    const needed = Math.max(requests * 0.5, (returned * mean) / (2 * unitBytes));
    return [
      finding('filter-discards', view.name, {
        ...told(pattern),
        symptom: `"${pattern.name}" uses far more read units than its results are worth.`,
        cause: `The filter ${filter} removes items after they were read and paid for.`,
        evidence: [
          `${number(readUnits)} read units in ${counted(requests, 'request')}, at least ${bytes(readUnits * unitBytes)} read, for ${counted(returned, 'item')} returned`,
          `By a key these items would take about ${number(needed)} units`,
        ],
        confirm: readAgain(view, pattern, context),
        fix: `Put what the filter asks for into a key: a global index whose partition or sort key holds the filtered attribute, sparse if few items match, or overloaded with other entities.`,
        command: 'stator design derive <model>',
      }),
    ];
  });
}

/** AWS tells no patterns: what all reads returned, against what they consumed. */
function filtersByMetrics(view: TableView, context: Context): Finding[] {
  const { name } = view;
  const { metrics } = context;
  const units = metrics.sum(name, { metric: 'ConsumedReadCapacityUnits' });
  const operations = metrics.operations(name);
  const scans = operations.get('Scan') ?? 0;
  const queries = operations.get('Query') ?? 0;
  const returned = ['Scan', 'Query'].reduce(
    (sum, operation) => sum + metrics.sum(name, { metric: 'ReturnedItemCount', operation }),
    0,
  );
  const singles = (operations.get('GetItem') ?? 0) + 100 * (operations.get('BatchGetItem') ?? 0);
  const examined = (Math.max(0, units - scans - queries) * unitBytes) / meanBytes(view);
  if (units < 1_000 || scans + queries < 10 || examined < 10 * (returned + singles + scans + queries))
    return [];
  return [
    finding('filter-discards', name, {
      symptom: `Reads of ${name} use far more units than their results are worth.`,
      cause: `A Scan or Query with a FilterExpression: items are removed after they were read and paid for.`,
      evidence: [
        `${number(units)} read units, for ${counted(returned, 'item')} returned by ${counted(scans, 'Scan')} and ${counted(queries, 'Query')}`,
      ],
      confirm: readAgain(view, undefined, context),
      fix: 'Put what the filter asks for into a key of the table or of a global index, so that the key condition selects.',
      command: 'stator design derive <model>',
    }),
  ];
}

function told({ name, index }: ReportedPattern) {
  return { pattern: name, index: index ?? undefined };
}

function scans(view: TableView, context: Context): Finding[] {
  const { name, patterns } = view;
  const { metrics } = context;
  const all = [...metrics.operations(name).values()].reduce((sum, count) => sum + count, 0);
  const found = patterns?.filter(({ operation }) => operation === 'Scan') ?? [
    // The doctor's own sample is at most eight of these.
    { name: 'Scan', index: null, requests: (metrics.operations(name).get('Scan') ?? 0) - 8, readUnits: 0 },
  ];
  return found.flatMap((pattern): Finding[] => {
    const { requests, readUnits, index } = pattern;
    if (requests < 30 || requests < 0.05 * all) return [];
    return [
      finding('scan-on-hot-path', name, {
        pattern: pattern.name,
        index: index ?? undefined,
        symptom: `${name} is scanned again and again.`,
        cause:
          'A Scan serves a program: it reads the whole table page by page, and gets dearer as the table grows.',
        evidence: [
          `${counted(requests, 'Scan')} in ${number(metrics.minutes)} minutes, ${percent(requests / Math.max(1, all))} of all requests of the table`,
          ...(readUnits > 0
            ? [`${number(readUnits)} read units, ${number(readUnits / requests)} for each Scan`]
            : []),
        ],
        confirm: readAgain(view, undefined, context),
        fix: 'Serve the pattern by a Query: a key or an index that selects. Reports and exports belong on an export of the table.',
        command: 'stator design derive <model>',
      }),
    ];
  });
}

function emptyRanges(view: TableView, { endpoint }: Context): Finding[] {
  const { name, patterns = [], description } = view;
  const [flaw] = view.flaws;
  const upside = signalsOf(view, 'upside-down-range');
  const empty = signalsOf(view, 'empty-range');
  const never = patterns.filter(
    ({ operation, keyCondition, results }) =>
      operation === 'Query' &&
      keyCondition !== null &&
      /between|begins_with|[<>]/i.test(keyCondition) &&
      results !== null &&
      results.count >= 10 &&
      results.max === 0,
  );
  const refusedCount = upside.reduce((sum, { count }) => sum + count, 0);
  if (refusedCount < 3 && never.length === 0) return [];
  const signals = never.length > 0 ? empty : upside;
  const top = topKey(signals);
  const [pattern] = never;
  return [
    finding('empty-ranges', name, {
      key: top?.key,
      index: pattern?.index ?? undefined,
      pattern: pattern?.name,
      symptom: `Range reads of ${name} return nothing, or are refused, although the items are there.`,
      cause:
        flaw?.cause ??
        'The sort key does not sort as its author thinks: numbers as text, parts from fine to coarse, or another format than the bounds have.',
      evidence: [
        ...(pattern === undefined
          ? []
          : [
              `"${pattern.name}" was asked ${counted(pattern.results!.count, 'time')} and never found anything ${spanOf(empty)}`.trim(),
            ]),
        ...(empty[0]?.message === undefined ? [] : [`Asked for: ${empty[0].message}`]),
        ...(refusedCount === 0
          ? []
          : [
              `${counted(refusedCount, 'range')} refused, because the upper bound sorts before the lower: "${upside[0]!.message}"`,
            ]),
        ...(top === undefined ? [] : [`Most often for ${top.key}`]),
        ...(flaw === undefined ? [] : flaw.evidence),
      ],
      confirm: aws(
        ...([endpoint, 'dynamodb'] as const),
        `query --table-name ${quoted(name)} ${partitionQuery(description, top?.values[0])}`,
      ),
      fix:
        flaw?.fix ??
        'Look at the sort keys that are stored (the command) beside the bounds that were asked for. Compose from coarse to fine, pad numbers with zeros, write times as ISO 8601 in UTC.',
    }),
  ];
}

function staleReads(view: TableView, { endpoint }: Context): Finding[] {
  const { name, patterns = [], description } = view;
  return signalsOf(view, 'stale-index-read').flatMap((signal): Finding[] => {
    const reads = patterns
      .filter(({ index }) => index === signal.index)
      .reduce((sum, { requests }) => sum + requests, 0);
    if (signal.count < 10 || signal.count < 0.25 * reads) return [];
    const top = topKey([signal]);
    const index = description.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === signal.index);
    return [
      finding('stale-index-reads', name, {
        index: signal.index,
        key: top?.key,
        symptom: `Reads of ${signal.index} miss items that were just written.`,
        cause:
          'The program reads a global index right after it wrote. An index follows its table with a delay, and cannot be read consistently.',
        evidence: [
          `${number(signal.count)} of ${counted(reads, 'read')} of ${signal.index} were answered from before the latest writes, ${spanOf([signal])}`,
          ...(top === undefined ? [] : [`Most often for ${top.key}: ${counted(top.count, 'time')}`]),
        ],
        confirm: aws(
          ...([endpoint, 'dynamodb'] as const),
          `query --table-name ${quoted(name)} --index-name ${quoted(signal.index ?? '')} ${partitionQuery(
            {
              KeySchema: index?.KeySchema ?? description.KeySchema,
              AttributeDefinitions: description.AttributeDefinitions,
            },
            top?.values[0],
          )}`,
        ),
        fix: 'After a write, read the item from the table by its key (GetItem with ConsistentRead), or show what was written without reading it. Where an old answer is fine for a moment, accept it.',
      }),
    ];
  });
}

function readsBeforeWrites(view: TableView, { endpoint }: Context): Finding[] {
  const sampled = countOf(view, 'sampled-get');
  const pairs = signalsOf(view, 'get-then-write');
  const count = countOf(view, 'get-then-write');
  if (count < pairsMin || count < 0.5 * sampled) return [];
  const top = topKey(pairs);
  const operations = [...new Set(pairs.map(({ operation }) => operation))];
  return [
    finding('reads-before-writes', view.name, {
      key: top?.key,
      symptom: `Writes to ${view.name} cost twice, and sometimes undo each other.`,
      cause: `The program reads an item, decides, and writes it back without a condition. Between the two another writer can change it.`,
      evidence: [
        `${number(count)} of ${number(sampled)} sampled GetItems were followed by a write of the same item without a condition (${listed(operations)})`,
        ...(top === undefined ? [] : [`For example ${top.key}`]),
      ],
      confirm: stator(endpoint, `top ${quoted(view.name)} --once --minutes 60`),
      fix: 'Let one request do both: an update expression (SET stock = stock - :n) with a ConditionExpression (stock >= :n). Where the program must decide, keep a version and write under the condition that it has not moved.',
    }),
  ];
}

/** Tables that are read one after the other by the same key. */
export function checkTablesReadTogether(views: readonly TableView[], { endpoint }: Context): Finding[] {
  const found = new Map<string, Finding>();
  for (const view of views) {
    const sampled = countOf(view, 'sampled-read');
    for (const signal of signalsOf(view, 'read-together')) {
      if (signal.count < pairsMin || signal.count < 0.5 * sampled) continue;
      const tables = [view.name, signal.detail ?? '?'].sort();
      const top = topKey([signal]);
      const id = tables.join('\n');
      if (found.has(id)) continue;
      found.set(
        id,
        finding('tables-read-together', tables[0]!, {
          key: top?.key,
          symptom: `One screen needs several requests: ${tables.join(' and ')} are read one after the other.`,
          cause: 'A table for each entity brings joins back, over the network.',
          evidence: [
            `${number(signal.count)} of ${number(sampled)} sampled reads of ${view.name} were followed by a read of ${signal.detail} by the same partition key`,
            ...(top === undefined ? [] : [`For example ${top.key}`]),
          ],
          confirm: stator(endpoint, 'top --once --minutes 60'),
          fix: 'Put what is read together under one partition key of one table: one Query then answers the screen. Tables that are written and secured apart may stay apart.',
          command: 'stator design derive <model>',
        }),
      );
    }
  }
  return [...found.values()];
}
