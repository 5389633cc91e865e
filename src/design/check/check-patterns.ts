import { requestLimits } from '../../model/limits.ts';
import { slotOf } from '../certificate/check-design.ts';
import { type NotServed, type ServeRule, type Slot, whyNotServed } from '../certificate/serves.ts';
import type { Placement, TableDesign } from '../design.ts';
import type { ReadPattern } from '../ir.ts';
import { namesOfPredicate } from '../predicate-logic.ts';
import type { Finding } from './finding.ts';
import { amount, bytesText, finding, percent, type Subject } from './subject.ts';

/** One bounded plan for each read, and what stands in the way where there is none. */
export function checkPatterns(subject: Subject): Finding[] {
  const { model, design } = subject;
  return [
    ...model.reads.flatMap((read) => {
      const plans = design.tables.flatMap((table) =>
        table.plans.filter((plan) => plan.pattern === read.name).map((plan) => ({ table, plan })),
      );
      if (plans.length > 1)
        return [
          finding('one-plan', `read ${read.name}`, {
            message: `it has ${plans.length} plans`,
            number: { value: plans.length, limit: 1, unit: 'plans' },
            fix: 'Keep one of them.',
          }),
        ];
      const [only] = plans;
      if (only === undefined) return [unserved(subject, read)];
      const slot = slotOf(only.table, only.plan.slot);
      const placements = read.entities.flatMap((entity) =>
        slot.placements.filter((one) => one.entity === entity && one.copy === only.plan.copy).slice(0, 1),
      );
      if (placements.length < read.entities.length) return [unserved(subject, read)];
      const why = whyNotServed(subject.facts, slot, placements, read);
      if (why !== undefined) return [notServed(read, slot.name, why)];
      return boundedCalls(subject, read, placements, only.plan.calls);
    }),
    ...checkPages(subject),
    ...checkExpiry(subject),
  ];
}

/** The number of parallel calls that the shards of the key make necessary. */
function boundedCalls(
  { model }: Subject,
  read: ReadPattern,
  placements: readonly Placement[],
  planned: number,
): Finding[] {
  const known = new Set(read.by);
  const calls = placements[0]!.partition.reduce((product, piece) => {
    if (piece.kind !== 'shard') return product;
    return product * (placements.length === 1 && piece.of.every((name) => known.has(name)) ? 1 : piece.count);
  }, 1);
  if (calls !== planned)
    return [
      finding('one-plan', `read ${read.name}`, {
        message: `its key has ${calls} shards to gather, but the plan makes ${planned} calls`,
        number: { value: planned, limit: calls, unit: 'calls' },
        fix: `Make ${calls} calls and merge them in order.`,
      }),
    ];
  if (calls <= model.environment.shardsMax) return [];
  return [
    finding('one-plan', `read ${read.name}`, {
      message: `it gathers ${calls} shards, and a plan may gather ${model.environment.shardsMax}`,
      number: { value: calls, limit: model.environment.shardsMax, unit: 'calls' },
      fix: 'Use fewer shards, or raise shardsMax.',
    }),
  ];
}

/** The nearer a slot comes to serving, the more its reason tells. */
const nearness: readonly ServeRule[] = [
  'strong-read-on-index',
  'sparse-index',
  'projection-lacks',
  'order-by-key',
  'filter-discards',
  'range-leaks',
  'different-partitions',
  'no-scan',
];

/** The reason of the slot that comes nearest to answering the pattern. */
function unserved(subject: Subject, read: ReadPattern): Finding {
  const reasons = subject.design.tables.flatMap((table) =>
    slotsOf(table).flatMap((slot) => reasonIn(subject, slot, read)),
  );
  const rank = ({ why, far }: Reason) => nearness.indexOf(why.rule) + (far ? nearness.length : 0);
  reasons.sort((a, b) => rank(a) - rank(b));
  const [nearest] = reasons;
  if (nearest !== undefined) return notServed(read, nearest.slot, nearest.why);
  const tables = read.entities.map((name) => subject.facts.entity(name).table ?? subject.model.name);
  if (new Set(tables).size > 1)
    return finding('different-partitions', `read ${read.name}`, {
      message: `${read.entities.join(', ')} are in ${new Set(tables).size} tables, and a Query reads one`,
      number: { value: new Set(tables).size, limit: 1, unit: 'tables' },
      fix: 'Put them into one table under one partition key, or split the pattern.',
    });
  return finding('one-plan', `read ${read.name}`, {
    message: `no table or index holds ${read.entities.join(' and ')}`,
    number: { value: 0, limit: 1, unit: 'plans' },
    fix: 'Give the entity a key that answers it, or leave its keys to derivation.',
  });
}

function slotsOf(table: TableDesign): Slot[] {
  return [...new Set(['table', ...table.indexes.map(({ name }) => name)])].map((name) => slotOf(table, name));
}

interface Reason {
  readonly slot: string;
  readonly why: NotServed;
  /** The slot breaks another rule as well. */
  readonly far: boolean;
}

function reasonIn(subject: Subject, slot: Slot, read: ReadPattern): Reason[] {
  const own = read.entities.flatMap((entity) =>
    slot.placements.filter((one) => one.entity === entity).slice(0, 1),
  );
  if (own.length < read.entities.length) return [];
  const why = whyNotServed(subject.facts, slot, own, read);
  if (why === undefined) return [];
  // A slot that would serve but for one rule tells more than one that breaks several.
  const without =
    why.rule === 'strong-read-on-index'
      ? whyNotServed(subject.facts, slot, own, { ...read, consistency: 'eventual' })
      : why.rule === 'sparse-index'
        ? whyNotServed(
            subject.facts,
            slot,
            own.map((one) => ({ ...one, when: [] })),
            read,
          )
        : undefined;
  return [
    {
      slot: slot.name,
      why: without !== undefined && why.rule !== 'sparse-index' ? without : why,
      far: without !== undefined,
    },
  ];
}

function notServed(read: ReadPattern, slot: string, { rule, message, discards }: NotServed): Finding {
  const where = `read ${read.name}`;
  const place = slot === 'table' ? 'the table' : slot;
  switch (rule) {
    case 'filter-discards':
      return finding(rule, where, {
        message: `${place}: ${message}, and ${percent(read.mayDiscard)} are declared`,
        number: { value: discards ?? 1, limit: read.mayDiscard, unit: 'share discarded' },
        fix: 'Put the attribute into a key before the order, make the index sparse, or declare the loss with mayDiscard.',
      });
    case 'no-scan':
      return finding(rule, where, {
        message: `only a Scan could answer it: in ${place} ${message}`,
        fix: `Place the entity in an index under ${given(read)}, or let the caller give the missing value.`,
      });
    case 'strong-read-on-index':
      return finding(rule, where, {
        message: `${place}: ${message}`,
        fix: 'Read eventually consistent, give the table key that answers it, or keep a copy in the table.',
      });
    case 'order-by-key':
      return finding(rule, where, {
        message: `${place}: ${message}`,
        fix: 'Put the ordered attribute directly behind the known part of the sort key, or sort in the caller.',
      });
    case 'projection-lacks':
      return finding(rule, where, {
        message: `${place}: ${message}`,
        fix: 'Project these attributes, or allow a second call with mayFetch.',
      });
    case 'sparse-index':
      return finding(rule, where, {
        message: `${place}: ${message}`,
        fix: 'Ask for what the index holds, or key an index that holds every item.',
      });
    case 'range-leaks':
      return finding(rule, where, {
        message: `${place}: ${message}`,
        fix: 'Give each kind a head of its own in the sort key, so that a prefix tells them apart.',
      });
    case 'different-partitions':
      return finding(rule, where, {
        message: `${place}: ${message}`,
        fix: 'Give the entities one partition template, parent first.',
      });
  }
}

function given({ by, where }: ReadPattern): string {
  const names = [...by, ...where.flatMap(namesOfPredicate)];
  return names.length === 0 ? 'a sharded constant' : names.join(', ');
}

/** AWS's own toolkit warns at 0.9 × 900 KiB; a page really ends at 1 MB. */
function checkPages({ forecast }: Subject): Finding[] {
  return forecast.reads
    .filter(({ bytes }) => bytes > requestLimits.pageBytesMax)
    .map(({ pattern, bytes, items, plan }) =>
      finding('page-1mb', `read ${pattern.name}`, {
        message: `one answer reads ${amount(items / plan.calls)} items, ${bytesText(bytes)}: ${amount(Math.ceil(bytes / requestLimits.pageBytesMax))} round trips of 1 MB`,
        number: { value: bytes, limit: requestLimits.pageBytesMax, unit: 'bytes' },
        fix:
          pattern.page === 'all'
            ? 'Read pages instead of everything, or project less.'
            : 'Ask for a smaller page, or project less.',
      }),
    );
}

function checkExpiry({ model, facts }: Subject): Finding[] {
  return model.reads.flatMap((read) =>
    read.entities.flatMap((name) => {
      const { ttl } = facts.entity(name);
      const asks = read.where.some((one) => namesOfPredicate(one).includes(ttl ?? ''));
      if (ttl === undefined || asks || read.range?.attribute === ttl) return [];
      return [
        finding('expired-items', `read ${read.name}`, {
          message: `it may return ${name} items that have expired: the service removes them within days`,
          fix: `Compare "${ttl}" with the time in the caller, or in a filter.`,
        }),
      ];
    }),
  );
}
