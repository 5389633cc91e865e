import type { IndexDesign, Placement } from '../design.ts';
import type { Piece, Predicate, ReadPattern } from '../ir.ts';
import { delimiter } from '../key-pieces.ts';
import type { ModelFacts } from '../model-facts.ts';
import { implies, namesOfPredicate } from '../predicate-logic.ts';

/**
 * Whether finished key templates answer a pattern, read off the templates alone. Shares nothing with the search but
 * the model's numbers, so that it can judge the search's results as well as keys made by hand.
 */
export interface Slot {
  readonly name: string;
  readonly index?: IndexDesign;
  /** Every placement in the slot, copies included. */
  readonly placements: readonly Placement[];
}

/** Why placements do not answer a pattern. */
export interface NotServed {
  readonly rule: ServeRule;
  readonly message: string;
  /** The share of the items read that a filter would throw away. */
  readonly discards?: number;
}

/** The rules of serving, by the names that checks report them under. */
export type ServeRule =
  | 'strong-read-on-index'
  | 'no-scan'
  | 'sparse-index'
  | 'filter-discards'
  | 'projection-lacks'
  | 'different-partitions'
  | 'order-by-key'
  | 'range-leaks';

function because(rule: ServeRule, message: string, discards?: number): NotServed {
  return { rule, message, ...(discards === undefined ? {} : { discards }) };
}

/** Undefined if the placements answer the pattern by one bounded plan; else the rule that they break. */
export function whyNotServed(
  facts: ModelFacts,
  slot: Slot,
  placements: readonly Placement[],
  pattern: ReadPattern,
): NotServed | undefined {
  if (pattern.consistency === 'strong' && slot.index?.kind === 'global') {
    return because('strong-read-on-index', 'a global index has no strong reads');
  }
  const walks: Walk[] = [];
  for (const placement of placements) {
    const walk = walkKey(facts, placement, pattern, slot);
    if ('rule' in walk) return walk;
    walks.push(walk);
  }
  const [first] = walks;
  if (walks.some(({ partition }) => partition !== first!.partition))
    return because('different-partitions', 'the entities lie in different partitions');
  if (walks.some(({ prefix }) => prefix.join('\n') !== first!.prefix.join('\n')) && walks.length > 1) {
    return because('different-partitions', 'the entities do not share the beginning of the sort key');
  }
  const order =
    walks.length === 1 ? whyNotOrdered(facts, first!, pattern) : whyNotOrderedTogether(facts, walks, pattern);
  if (order !== undefined) return because('order-by-key', order);
  const leak = whyNotAlone(slot, walks);
  return leak === undefined ? undefined : because('range-leaks', leak);
}

/** How far a pattern's values reach into a placement's key. */
interface Walk {
  readonly placement: Placement;
  /** The partition template as text. */
  readonly partition: string;
  /** The segments of the sort key whose text the reader knows; constants in plain, attributes in braces. */
  readonly prefix: readonly string[];
  /** The segments behind them. */
  readonly rest: readonly Segment[];
}

/** A part of a key between delimiters. */
export type Segment =
  | { readonly constant: string }
  | { readonly piece: Exclude<Piece, { kind: 'constant' }> };

/** Cuts a template at its delimiters; attribute values contain none. */
export function segmentsOf(pieces: readonly Piece[]): Segment[] {
  const segments: Segment[] = [];
  let open = '';
  for (const piece of pieces) {
    if (piece.kind === 'constant') {
      const parts = (open + piece.text).split(delimiter);
      open = parts.pop()!;
      for (const part of parts) if (part !== '') segments.push({ constant: part });
    } else {
      if (open !== '') segments.push({ constant: open });
      open = '';
      segments.push({ piece });
    }
  }
  if (open !== '') segments.push({ constant: open });
  return segments;
}

function walkKey(
  facts: ModelFacts,
  placement: Placement,
  pattern: ReadPattern,
  slot: Slot,
): Walk | NotServed {
  const entity = facts.entity(placement.entity);
  for (const held of placement.when) {
    if (!pattern.where.some((one) => implies(one, held)))
      return because('sparse-index', 'the index holds only part of what is asked for');
  }
  const wanted = new Set(pattern.by);
  const open: Predicate[] = [];
  for (const one of pattern.where) {
    if (placement.when.some((held) => implies(held, one))) continue;
    if (one.kind === 'equals') wanted.add(one.attribute);
    else open.push(one);
  }
  const left = new Set(wanted);
  for (const piece of placement.partition) {
    if (piece.kind === 'attribute') {
      if (!wanted.has(piece.attribute))
        return because(
          'no-scan',
          `the partition key needs "${piece.attribute}", which the caller does not give`,
        );
      left.delete(piece.attribute);
    }
    if (piece.kind === 'bucket' && !wanted.has(piece.attribute))
      return because('no-scan', `the partition key is bucketed by "${piece.attribute}"`);
  }
  const segments = segmentsOf(placement.sort);
  const prefix: string[] = [];
  for (const segment of segments) {
    if ('constant' in segment) prefix.push(segment.constant);
    else if (segment.piece.kind === 'attribute' && wanted.has(segment.piece.attribute)) {
      prefix.push(`{${segment.piece.attribute}}`);
      left.delete(segment.piece.attribute);
    } else break;
  }
  // Constants behind the last known value separate kinds; a family reads across them.
  const members = pattern.entities.length > 1;
  while (members && prefix.length > 0 && !prefix.at(-1)!.startsWith('{')) prefix.pop();
  const kept =
    [...left].reduce((share, name) => share / facts.distinct(entity, name), 1) *
    open.reduce((share, one) => share * facts.holds(entity, one), 1);
  if (left.size + open.length > 0 && 1 - kept > pattern.mayDiscard) {
    const what = [...left, ...open.flatMap(namesOfPredicate)].join(', ');
    const message = `${what} would be filtered after reading, which discards ${Math.round((1 - kept) * 100)} %`;
    return because('filter-discards', message, 1 - kept);
  }
  const sure = new Set([...pattern.by, ...pattern.where.flatMap(namesOfPredicate), pattern.range?.attribute]);
  for (const piece of [...placement.partition, ...placement.sort]) {
    if (piece.kind !== 'attribute' && piece.kind !== 'bucket') continue;
    const { optional } = facts.attribute(entity, piece.attribute);
    if (optional && !sure.has(piece.attribute))
      return because('sparse-index', `items without "${piece.attribute}" are not in the index`);
  }
  const unread = whyNotProjected(facts, placement, pattern, slot);
  if (unread !== undefined) return because('projection-lacks', unread);
  return {
    placement,
    partition: JSON.stringify(placement.partition.map(withoutOwner)),
    prefix,
    rest: segments.slice(prefix.length),
  };
}

/** Two entities shard by their own identities and still share a partition. */
function withoutOwner(piece: Piece): Piece {
  return piece.kind === 'shard' ? { ...piece, of: [] } : piece;
}

function whyNotProjected(
  facts: ModelFacts,
  placement: Placement,
  pattern: ReadPattern,
  slot: Slot,
): string | undefined {
  const projection = slot.index?.projection;
  if (projection === undefined || projection.type === 'ALL' || pattern.mayFetch) return undefined;
  const names = new Set(projection.type === 'INCLUDE' ? projection.names : []);
  const { attributes } = facts.entity(placement.entity);
  const needed = attributes.map(({ name }) => name).filter((name) => pattern.needs?.includes(name) ?? true);
  const missing = needed.filter((name) => !names.has(name));
  return missing.length === 0 ? undefined : `the index does not project ${missing.join(', ')}`;
}

type Direction = 'forward' | 'backward' | 'either';

interface Asked {
  readonly attribute: string;
  /** Absent for a range that comes without an order. */
  readonly direction?: 'asc' | 'desc';
}

function constantsOf(pattern: ReadPattern): ReadonlySet<string> {
  return new Set([
    ...pattern.by,
    ...pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
  ]);
}

/** The range attribute and the order, without attributes that have one value. */
function askedOrder(pattern: ReadPattern): Asked[] {
  const constants = constantsOf(pattern);
  const asked: Asked[] = pattern.order.filter(({ attribute }) => !constants.has(attribute));
  const range = pattern.range?.attribute;
  if (range !== undefined && asked[0]?.attribute !== range) asked.unshift({ attribute: range });
  return asked;
}

/** The reading direction in which the segments give the order; undefined if neither does. */
function directionOf(rest: readonly Segment[], asked: readonly Asked[]): Direction | undefined {
  let direction: Direction = 'either';
  for (const [at, { attribute, direction: wanted }] of asked.entries()) {
    const segment = rest[at];
    if (segment === undefined || !('piece' in segment)) return undefined;
    const { piece } = segment;
    if (piece.kind !== 'attribute' || piece.attribute !== attribute) return undefined;
    if (wanted === undefined) continue;
    const needed = (wanted === 'asc') !== (piece.inverted ?? false) ? 'forward' : 'backward';
    if (direction !== 'either' && direction !== needed) return undefined;
    direction = needed;
  }
  return direction;
}

function whyNotOrdered(
  facts: ModelFacts,
  { placement, rest }: Walk,
  pattern: ReadPattern,
): string | undefined {
  const constants = constantsOf(pattern);
  const asked = askedOrder(pattern);
  const atMostOne = facts.entity(placement.entity).identity.every((name) => constants.has(name));
  const needed = atMostOne ? asked.slice(0, pattern.range === undefined ? 0 : 1) : asked;
  if (directionOf(rest, needed) !== undefined) return undefined;
  return `the key does not deliver the order ${needed.map(({ attribute }) => attribute).join(', ')}`;
}

/** Several kinds: either all have the order and interleave, or one has it and the others come before it. */
function whyNotOrderedTogether(
  facts: ModelFacts,
  walks: readonly Walk[],
  pattern: ReadPattern,
): string | undefined {
  const asked = askedOrder(pattern);
  if (asked.length === 0) return undefined;
  const has = ({ placement }: Walk) =>
    asked.every(({ attribute }) =>
      facts.entity(placement.entity).attributes.some(({ name }) => name === attribute),
    );
  const ordered = walks.filter(has);
  if (ordered.length === walks.length) {
    const directions = new Set(walks.map(({ rest }) => directionOf(rest, asked)));
    const turned = new Set(walks.map(({ rest }) => JSON.stringify(rest.slice(0, asked.length))));
    return directions.has(undefined) || turned.size > 1
      ? 'the kinds do not interleave in the order asked for'
      : undefined;
  }
  const [child] = ordered;
  if (ordered.length !== 1 || pattern.range !== undefined)
    return 'the order applies to some of the kinds only';
  const constants = constantsOf(pattern);
  const { identity } = facts.entity(child!.placement.entity);
  const direction = identity.every((name) => constants.has(name))
    ? 'either'
    : directionOf(child!.rest.slice(1), asked);
  if (direction === undefined) return 'the key does not deliver the order of the children';
  const late = walks.some((walk) => {
    if (walk === child || direction === 'either') return false;
    return headText(walk) < headText(child!) !== (direction === 'forward');
  });
  return late ? 'the parent comes behind its children in the direction of reading' : undefined;
}

/** The constant directly behind the known prefix. */
function headText({ rest }: Walk): string {
  const [first] = rest;
  return first !== undefined && 'constant' in first ? first.constant : '';
}

/** The key range holds nothing else: no other entity, and no copy of this one. */
function whyNotAlone(slot: Slot, walks: readonly Walk[]): string | undefined {
  const heads = walks.map(headText).sort();
  for (const other of slot.placements) {
    if (walks.some(({ placement }) => placement === other)) continue;
    const [first] = walks;
    if (!mayMeet(segmentsOf(first!.placement.partition), segmentsOf(other.partition), true)) continue;
    const sort = segmentsOf(other.sort);
    if (!mayMeet(asSegments(first!), sort, false)) continue;
    const head = sort[first!.prefix.length];
    const outside =
      walks.length > 1 &&
      heads[0] !== '' &&
      head !== undefined &&
      'constant' in head &&
      (head.constant < heads[0]! || head.constant > heads.at(-1)!);
    if (!outside) return `the range would return ${other.entity} as well`;
  }
  return undefined;
}

function asSegments({ placement, prefix }: Walk): Segment[] {
  return segmentsOf(placement.sort).slice(0, prefix.length);
}

/** Whether two templates can give the same text, or, unless `whole`, whether the first can begin the second. */
export function mayMeet(first: readonly Segment[], second: readonly Segment[], whole: boolean): boolean {
  if (whole ? first.length !== second.length : first.length > second.length) return false;
  return first.every((segment, at) => {
    const other = second[at]!;
    return !('constant' in segment && 'constant' in other) || segment.constant === other.constant;
  });
}
