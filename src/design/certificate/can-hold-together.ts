import type { Entity, ReadPattern } from '../ir.ts';
import { canHoldAlone, type Holder, partitionFits, sublistsOf, usable } from './can-hold.ts';

/**
 * Whether entities that aggregates tie can lie in one slot so that all patterns are answered. The entities share a
 * partition and the first pieces of the sort key; then come their heads. Every such beginning is tried, and every
 * order of the heads; behind the heads each entity is on its own.
 */
export function canHoldTogether(
  holder: Holder,
  entities: readonly Entity[],
  patterns: readonly ReadPattern[],
): boolean {
  if (holder.kind === 'global' && patterns.some(({ consistency }) => consistency === 'strong')) return false;
  const aggregates = patterns.filter((pattern) => pattern.entities.length > 1);
  if (aggregates.some(({ where }) => where.some(({ kind }) => kind !== 'equals'))) return false;
  const shapes = aggregates.map((pattern) => ({ pattern, known: knownOf(pattern), order: orderOf(pattern) }));
  const [first] = shapes;
  const shared = first!.known.filter((name) => shapes.every(({ known }) => known.includes(name)));
  const names = new Set(
    shapes.flatMap(({ known, order }) => [...known, ...order.map(({ attribute }) => attribute)]),
  );
  const common = [...names].filter((name) =>
    entities.every((entity) => usable(holder, entity).includes(name)),
  );
  return sublistsOf(shared).some((partition) => {
    if (!entities.every((entity) => partitionFits(holder, entity, partition))) return false;
    if (!partition.every((name) => common.includes(name))) return false;
    const rest = common.filter((name) => !partition.includes(name));
    return beginningsOf(rest).some((prefix) =>
      ordersOf(entities.map(({ name }) => name)).some((heads) =>
        fits(holder, entities, patterns, partition, prefix, heads),
      ),
    );
  });
}

function fits(
  holder: Holder,
  entities: readonly Entity[],
  patterns: readonly ReadPattern[],
  partition: readonly string[],
  prefix: readonly string[],
  heads: readonly string[],
): boolean {
  /** Orders of single entities that an aggregate asks for behind the head, with the direction that the heads force. */
  const behind = new Map<string, ReadPattern[]>();
  const turned = new Map<string, boolean>();
  for (const pattern of patterns.filter((one) => one.entities.length > 1)) {
    const rest = knownOf(pattern).filter((name) => !partition.includes(name));
    if (!rest.every((name) => prefix.slice(0, rest.length).includes(name))) return false;
    const whole = pattern.entities.length === entities.length;
    const order = orderOf(pattern);
    const having = entities.filter(
      ({ name, attributes }) =>
        pattern.entities.includes(name) &&
        order.every(({ attribute }) => attributes.some((one) => one.name === attribute)),
    );
    if (order.length > 0 && having.length === pattern.entities.length) {
      // All kinds have the order and interleave: it stands before the heads.
      const pieces = prefix.slice(rest.length, rest.length + order.length);
      if (!whole || order.some(({ attribute }, at) => pieces[at] !== attribute)) return false;
      for (const { attribute, descending } of order) {
        if (descending === undefined || order[0]!.descending === undefined) continue;
        const relative = descending !== order[0]!.descending;
        const key = `${order[0]!.attribute} ${attribute}`;
        if ((turned.get(key) ?? relative) !== relative) return false;
        turned.set(key, relative);
      }
      continue;
    }
    if (order.length === 0) {
      if (rest.length !== prefix.length && !whole) return false;
      const places = pattern.entities.map((name) => heads.indexOf(name));
      if (Math.max(...places) - Math.min(...places) >= places.length) return false;
      continue;
    }
    const [child] = having;
    if (having.length !== 1 || pattern.range !== undefined || rest.length !== prefix.length) return false;
    const places = pattern.entities.map((name) => heads.indexOf(name));
    const place = heads.indexOf(child!.name);
    const forward = place === Math.max(...places);
    if (
      Math.max(...places) - Math.min(...places) >= places.length ||
      (!forward && place !== Math.min(...places))
    )
      return false;
    behind.set(child!.name, [...(behind.get(child!.name) ?? []), pattern]);
    // All children of one entity are read in the direction that its place among the heads gives.
    const key = `${child!.name} forward`;
    if ((turned.get(key) ?? forward) !== forward) return false;
    turned.set(key, forward);
  }
  return entities.every((entity) => {
    const singles = patterns.filter((one) => one.entities.length === 1 && one.entities[0] === entity.name);
    // A reader of one kind must know everything before its head.
    if (!singles.every((one) => prefix.every((name) => knownOf(one).includes(name)))) return false;
    const alone = [...singles, ...(behind.get(entity.name) ?? [])].map((one) => ({
      ...one,
      entities: [entity.name],
      page: one.page,
    }));
    const tied = [...partition, ...prefix];
    if (!alone.every((one) => tied.every((name) => knownOf(one).includes(name)))) return false;
    if (!optionalFits(holder, entity, patterns, tied)) return false;
    // Behind the head the key goes on as if partition and prefix together were the partition.
    const others = patterns.filter((one) => one.entities.length > 1 && one.entities.includes(entity.name));
    return canHoldBehind(holder, entity, alone, tied, others);
  });
}

function canHoldBehind(
  holder: Holder,
  entity: Entity,
  patterns: readonly ReadPattern[],
  tied: readonly string[],
  others: readonly ReadPattern[],
): boolean {
  if (patterns.length > 0) return canHoldAlone(holder, entity, patterns, tied, others);
  return entity.identity.every((name) => usable(holder, entity).includes(name));
}

function optionalFits(
  { facts }: Holder,
  entity: Entity,
  patterns: readonly ReadPattern[],
  names: readonly string[],
): boolean {
  return patterns
    .filter((pattern) => pattern.entities.includes(entity.name))
    .every((pattern) => {
      const sure = new Set([...knownOf(pattern), pattern.range?.attribute]);
      return names.every((name) => facts.attribute(entity, name).optional !== true || sure.has(name));
    });
}

function knownOf({ by, where }: ReadPattern): string[] {
  return [...by, ...where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : []))];
}

function orderOf(pattern: ReadPattern): { readonly attribute: string; readonly descending?: boolean }[] {
  const known = knownOf(pattern);
  const order: { attribute: string; descending?: boolean }[] = pattern.order
    .filter(({ attribute }) => !known.includes(attribute))
    .map(({ attribute, direction }) => ({ attribute, descending: direction === 'desc' }));
  const range = pattern.range?.attribute;
  if (range !== undefined && order[0]?.attribute !== range) order.unshift({ attribute: range });
  return order;
}

/** Every sequence of some of the names. */
function beginningsOf(names: readonly string[]): string[][] {
  return sublistsOf(names).flatMap(ordersOf);
}

function ordersOf<T>(values: readonly T[]): T[][] {
  if (values.length < 2) return [[...values]];
  return values.flatMap((value, at) =>
    ordersOf([...values.slice(0, at), ...values.slice(at + 1)]).map((rest) => [value, ...rest]),
  );
}
