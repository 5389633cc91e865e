import { type Finding, finding } from '../finding.ts';
import { aws, counted, listed, number, percent, quoted } from '../phrases.ts';
import { type SampledItem, shownValue } from '../sample.ts';
import type { Context, IndexDescription, TableView } from '../table-view.ts';
import { signalsOf } from './about-signals.ts';
import { entityOf, entriesOf, itemKey, type KeySlot, keySlots } from './sampled-keys.ts';

const writeUnitsMany = 100;
const readsMany = 100;

/** Indexes that are incomplete, stuffed, unread or wider than anybody needs. */
export function checkIndexes(view: TableView, context: Context): Finding[] {
  const { GlobalSecondaryIndexes = [] } = view.description;
  const slots = keySlots(view);
  return GlobalSecondaryIndexes.flatMap((index): Finding[] => {
    const slot = slots.find((each) => each.index === index.IndexName)!;
    if (isFilling(index)) return [filling(view, index, context)];
    return [
      ...queue(view, slot, context),
      ...missing(view, slot, index, context),
      ...unread(view, index, context),
      ...projection(view, index, context),
    ];
  });
}

function isFilling({ IndexStatus = 'ACTIVE', Backfilling = false }: IndexDescription): boolean {
  return Backfilling || IndexStatus === 'CREATING';
}

function count({ endpoint }: Context, table: string, index: string): string {
  return aws(
    endpoint,
    'dynamodb',
    `scan --table-name ${quoted(table)} --index-name ${quoted(index)} --select COUNT --limit 1000 --no-paginate`,
  );
}

function filling({ name, description }: TableView, index: IndexDescription, context: Context): Finding {
  const { metrics, endpoint } = context;
  const { IndexName, IndexStatus = '?', Backfilling = false, ItemCount = 0 } = index;
  const progress = metrics.sum(name, { metric: 'OnlineIndexPercentageProgress', index: IndexName });
  return finding('index-backfilling', name, {
    index: IndexName,
    symptom: `Reads of ${IndexName} are refused, or lack older items.`,
    cause: 'The index is new: DynamoDB is still putting the items of the table into it.',
    evidence: [
      `IndexStatus is ${IndexStatus}, Backfilling is ${Backfilling}`,
      `${number(ItemCount)} entries for ${counted(description.ItemCount ?? 0, 'item')} of the table`,
      ...(progress > 0 ? [`OnlineIndexPercentageProgress is ${number(progress)}`] : []),
    ],
    confirm: aws(
      ...([endpoint, 'dynamodb'] as const),
      `describe-table --table-name ${quoted(name)} --query ${quoted('Table.GlobalSecondaryIndexes[].[IndexName,IndexStatus,Backfilling]')}`,
    ),
    fix: 'Read from the index only when it is ACTIVE: deploy the index first, its readers later. Items that lack its key attributes stay out until a throttled, repeatable job sets them (attribute_not_exists).',
  });
}

const finished =
  /^(done|complete|completed|finished|closed|delivered|cancell?ed|archived|processed|shipped|resolved|succeeded|success|expired|rejected)$/i;
const waiting =
  /(^|[#:|_-])(open|pending|queue|queued|todo|new|waiting|unprocessed|ready|in_?progress)($|[#:|_-])/i;
const statusNames = /(^|_)(status|state|phase|stage)$|(Status|State|Phase|Stage)$/i;

/** Entries of a queue whose items have left the state that the queue is for. */
function queue(view: TableView, slot: KeySlot, context: Context): Finding[] {
  const { name, sample, sampleBefore } = view;
  const [hash] = slot.hash;
  const entries = entriesOf(view, slot);
  const statuses = new Set<string>();
  for (const { item } of sample?.items ?? []) {
    const status = statusOf(item);
    if (status !== undefined) statuses.add(status.toLowerCase());
  }
  // An index by the status itself is right by itself: only a key that says another state than its item is stale.
  if (hash === undefined || statusNames.test(hash)) return [];
  const stale = entries.filter(({ item }) => {
    const status = statusOf(item);
    const key = shownValue(item[hash]);
    if (status === undefined || key.toLowerCase().includes(status.toLowerCase())) return false;
    const says = key.split(/[#:|]/).some((part) => statuses.has(part.toLowerCase()));
    return says || (waiting.test(key) && finished.test(status));
  });
  if (stale.length < 3 || stale.length < 0.2 * entries.length) return [];
  const [first] = stale;
  const key = itemKey(view, first!.item);
  const before = sampleBefore === undefined ? undefined : entriesOf({ ...view, sample: sampleBefore }, slot);
  const found = [...new Set(stale.map(({ item }) => statusOf(item)!))];
  const names = [...slot.hash, ...slot.range];
  return [
    finding('queue-never-drains', name, {
      index: slot.index,
      key,
      symptom: `The queue in ${slot.index} grows and never drains.`,
      cause: `Items keep their index keys when their state moves on, so that they stay in the queue.`,
      evidence: [
        `${number(stale.length)} of ${counted(entries.length, 'sampled entry')} of ${slot.index} are in the state ${listed(found, 4)}`,
        `${key} is ${statusOf(first!.item)} and still has ${hash} = ${shownValue(first!.item[hash])}`,
        ...(before === undefined || before.length >= entries.length
          ? []
          : [`The look before counted ${number(before.length)} entries in its sample`]),
      ],
      confirm: count(context, name, slot.index!),
      fix: `Take the item out of the queue in the update that ends the state: SET status = :done REMOVE ${names.join(', ')}. Clean up what is there by a throttled job with the same REMOVE.`,
      command: 'stator design check <model>',
    }),
  ];
}

function statusOf(item: SampledItem['item']): string | undefined {
  for (const name in item)
    if (statusNames.test(name) && typeof item[name]?.S === 'string') return item[name].S;
  return undefined;
}

const timeNames = /(created|updated|inserted|at|time|timestamp|date)$/i;

/** Items like those in the index, but older and without its keys. */
function missing(view: TableView, slot: KeySlot, index: IndexDescription, context: Context): Finding[] {
  const { name, description } = view;
  const isNew = context.metrics.sum(name, {
    metric: 'OnlineIndexPercentageProgress',
    index: index.IndexName,
  });
  const groups = new Map<string, { in: SampledItem[]; out: SampledItem[] }>();
  const inside = new Set(entriesOf(view, slot));
  for (const one of view.sample?.items ?? []) {
    const entity = entityOf(view, one.item);
    const group = groups.get(entity) ?? { in: [], out: [] };
    groups.set(entity, group);
    (inside.has(one) ? group.in : group.out).push(one);
  }
  for (const group of groups.values()) {
    if (group.in.length < 3 || group.out.length < 5) continue;
    // An attribute that tells the two apart, such as a status, makes the index sparse on purpose.
    if (isSparseOnPurpose(group.in, group.out)) continue;
    const older = olderBy(group.in, group.out);
    if (older === undefined && isNew === 0) continue;
    const key = itemKey(view, group.out[0]!.item);
    const names = [...slot.hash, ...slot.range];
    return [
      finding('index-misses-old-items', name, {
        index: slot.index,
        key,
        symptom: `Queries of ${slot.index} find nothing of what was written earlier.`,
        cause: `Older items do not carry ${listed(names)}: the index holds only items that do, and a new index fills itself only with those.`,
        evidence: [
          `${number(group.out.length)} of ${number(group.out.length + group.in.length)} sampled items of one kind are not in ${slot.index}, for example ${key}`,
          ...(older === undefined
            ? []
            : [
                `All of them are older by ${older.attribute}: the newest has ${older.newest}, the oldest in the index has ${older.oldest}`,
              ]),
          ...(index.ItemCount === undefined
            ? []
            : [
                `${slot.index} has ${counted(index.ItemCount, 'entry')}, ${name} has ${counted(description.ItemCount ?? 0, 'item')}`,
              ]),
        ],
        confirm: count(context, name, slot.index!),
        fix: `Set ${listed(names)} on the old items by a job that can be repeated (a parallel Scan at a limited rate, UpdateItem under attribute_not_exists), then compare the counts. Query the index for history only after that.`,
        command: `stator scan --table ${quoted(name)} --rate 25 --filter ${quoted(`attribute_not_exists(${names[0]})`)}${context.endpoint.ownFlags === '' ? '' : ` ${context.endpoint.ownFlags}`} --output missing.jsonl`,
      }),
    ];
  }
  return [];
}

/** Whether the values of some attribute divide the items of the index from the others. */
function isSparseOnPurpose(inside: readonly SampledItem[], outside: readonly SampledItem[]): boolean {
  const names = new Set(inside.flatMap(({ item }) => Object.keys(item)));
  for (const name of names) {
    const values = new Set(inside.map(({ item }) => JSON.stringify(item[name])));
    if (values.size > 8 || values.size > inside.length / 2) continue;
    const others = new Set(outside.map(({ item }) => JSON.stringify(item[name])));
    if (
      others.size <= 8 &&
      !(others.size === 1 && others.has(undefined as never)) &&
      disjoint(values, others)
    )
      return true;
  }
  return false;
}

function disjoint(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean {
  for (const one of a) if (b.has(one)) return false;
  return true;
}

function olderBy(
  inside: readonly SampledItem[],
  outside: readonly SampledItem[],
): { readonly attribute: string; readonly newest: string; readonly oldest: string } | undefined {
  for (const attribute of Object.keys(inside[0]!.item)) {
    if (!timeNames.test(attribute)) continue;
    const times = (items: readonly SampledItem[]) =>
      items.map(({ item }) => {
        const { S, N } = item[attribute] ?? {};
        return typeof S === 'string' ? S : typeof N === 'string' ? N.padStart(20, '0') : undefined;
      });
    const [within, without] = [times(inside), times(outside)];
    if (within.includes(undefined) || without.includes(undefined)) continue;
    const oldest = (within as string[]).sort()[0]!;
    const newest = (without as string[]).sort().at(-1)!;
    if (newest < oldest)
      return { attribute, newest: newest.replace(/^0+(?=\d)/, ''), oldest: oldest.replace(/^0+(?=\d)/, '') };
  }
  return undefined;
}

function unread(
  { name }: TableView,
  index: IndexDescription,
  { metrics, endpoint, nowMs }: Context,
): Finding[] {
  const { IndexName, Projection, ItemCount = 0, IndexSizeBytes = 0 } = index;
  const written = metrics.sum(name, { metric: 'ConsumedWriteCapacityUnits', index: IndexName });
  const read = metrics.sum(name, { metric: 'ConsumedReadCapacityUnits', index: IndexName });
  const reads = ['GetItem', 'Query', 'Scan', 'BatchGetItem'].reduce(
    (sum, operation) => sum + (metrics.operations(name).get(operation) ?? 0),
    0,
  );
  if (read > 0 || written < writeUnitsMany || reads < readsMany) return [];
  const isAll = Projection?.ProjectionType === 'ALL';
  return [
    finding('unread-index', name, {
      index: IndexName,
      symptom: `Writes to ${name} pay for an index that nobody reads.`,
      cause: isAll
        ? `${IndexName} holds a copy of every item (projection ALL), and no request reads it.`
        : `No request reads ${IndexName}.`,
      evidence: [
        `${number(written)} write units went into ${IndexName} in ${number(metrics.minutes)} minutes, no read units; the table had ${counted(reads, 'read')}`,
        `${counted(ItemCount, 'entry')}, ${number(IndexSizeBytes / 1_024)} KB`,
      ],
      confirm: aws(
        ...([endpoint, 'cloudwatch'] as const),
        `get-metric-statistics --namespace AWS/DynamoDB --metric-name ConsumedReadCapacityUnits --dimensions ${quoted(`Name=TableName,Value=${name}`)} ${quoted(`Name=GlobalSecondaryIndexName,Value=${IndexName}`)} --start-time ${iso(metrics.fromMs)} --end-time ${iso(nowMs)} --period 3600 --statistics Sum`,
      ),
      fix: `Look at a whole month first (a report may read it once). Then remove the index${isAll ? ', or make it again with KEYS_ONLY or the few attributes that its reader needs' : ''}.`,
      command: aws(
        ...([endpoint, 'dynamodb'] as const),
        `update-table --table-name ${quoted(name)} --global-secondary-index-updates ${quoted(JSON.stringify([{ Delete: { IndexName } }]))}`,
      ),
    }),
  ];
}

function iso(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).concat('Z');
}

/** Of an index with all attributes, callers ask for a few only. */
function projection(view: TableView, index: IndexDescription, context: Context): Finding[] {
  const { IndexName, Projection } = index;
  if (Projection?.ProjectionType !== 'ALL') return [];
  const reads = signalsOf(view, 'index-projection').filter((each) => each.index === IndexName);
  const total = reads.reduce((sum, each) => sum + each.count, 0);
  if (total < 10 || reads.some(({ detail }) => detail === '*')) return [];
  const asked = [...new Set(reads.flatMap(({ detail }) => (detail ?? '').split(', ')))].filter(
    (name) => name !== '',
  );
  const written = context.metrics.sum(view.name, { metric: 'ConsumedWriteCapacityUnits', index: IndexName });
  return [
    finding('wide-projection', view.name, {
      index: IndexName,
      symptom: `Every write to ${view.name} copies whole items into ${IndexName}.`,
      cause: `${IndexName} projects ALL attributes, and its readers ask for ${asked.length === 0 ? 'counts only' : `${listed(asked)} only`}.`,
      evidence: [
        `${counted(total, 'sampled read')} of ${IndexName}, ${percent(1)} of them with a projection`,
        `${number(written)} write units went into it in ${number(context.metrics.minutes)} minutes`,
      ],
      confirm: aws(
        ...([context.endpoint, 'dynamodb'] as const),
        `describe-table --table-name ${quoted(view.name)} --query ${quoted('Table.GlobalSecondaryIndexes[].[IndexName,Projection]')}`,
      ),
      fix: `Make a new index with ${asked.length === 0 ? 'KEYS_ONLY' : `INCLUDE ${listed(asked)}`}, let its readers move over, remove the old one. A projection cannot be changed in place.`,
      command: 'stator design derive <model>',
    }),
  ];
}
