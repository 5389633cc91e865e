import type { Placement } from '../design.ts';
import type { Entity, Predicate, ReadPattern } from '../ir.ts';
import { implies } from '../predicate-logic.ts';
import { afterAll, attributeNamed, namesOfPiece, pieceText, valueText } from './key-values.ts';
import { PatternError } from './requests.ts';
import type { Value, Values } from './values.ts';

/** The bounds that the caller gives for the pattern's range attribute. */
export interface Bounds {
  readonly from?: Value | undefined;
  readonly to?: Value | undefined;
  readonly prefix?: string | undefined;
}

/** The part of a sort key that a call reads: all of it, one text, what begins with a text, or a span with both ends. */
export type SortRange =
  | { readonly kind: 'all' }
  | { readonly kind: 'equals'; readonly text: string }
  | { readonly kind: 'begins'; readonly text: string }
  | { readonly kind: 'between'; readonly low: string; readonly high: string };

/** What of a pattern the key of a placement answers, and what is left to a filter. */
export interface KeyReach {
  /** How many leading pieces of the sort key have values that the caller knows. */
  readonly known: number;
  /** Whether the range attribute follows them. */
  readonly ranged: boolean;
  readonly leftBy: readonly string[];
  readonly leftWhere: readonly Predicate[];
  /** The bounds are not answered by the key. */
  readonly leftRange: boolean;
}

/** Values that the pattern itself fixes. */
export function fixedValues(pattern: ReadPattern): Record<string, Value> {
  return Object.fromEntries(
    pattern.where.flatMap((one) => (one.kind === 'equals' ? [[one.attribute, one.value]] : [])),
  );
}

export function reachOf({ partition, sort, when }: Placement, pattern: ReadPattern): KeyReach {
  const values = new Set([...pattern.by, ...Object.keys(fixedValues(pattern))]);
  const told = new Set<string>();
  for (const piece of partition) if (piece.kind === 'attribute') told.add(piece.attribute);
  let known = 0;
  while (known < sort.length && namesOfPiece(sort[known]!).every((name) => values.has(name))) {
    const piece = sort[known++]!;
    if (piece.kind === 'attribute') told.add(piece.attribute);
  }
  const next = sort[known];
  const ranged =
    pattern.range !== undefined && next?.kind === 'attribute' && next.attribute === pattern.range.attribute;
  const implied = (predicate: Predicate) => when.some((held) => implies(held, predicate));
  const leftWhere = pattern.where.filter(
    (one) => !implied(one) && !(one.kind === 'equals' && told.has(one.attribute)) && !isPresent(one),
  );
  return {
    known,
    ranged,
    leftBy: pattern.by.filter((name) => !told.has(name)),
    leftWhere,
    leftRange: pattern.range !== undefined && !ranged,
  };

  /** An item whose key holds the attribute has it. */
  function isPresent(one: Predicate): boolean {
    return (
      one.kind === 'exists' &&
      [...partition, ...sort].some((piece) => namesOfPiece(piece).includes(one.attribute))
    );
  }
}

/** The range of one entity's items in a slot. */
export function rangeOf(
  pattern: ReadPattern,
  entity: Entity,
  placement: Placement,
  reach: KeyReach,
  values: Values,
  bounds: Bounds,
): SortRange {
  const { sort } = placement;
  let text = '';
  for (const piece of sort.slice(0, reach.known)) {
    const part = pieceText(pattern.name, entity, piece, values);
    if (part === undefined) throw missing(pattern, namesOfPiece(piece), values);
    text += part;
  }
  if (reach.known === sort.length) return { kind: 'equals', text: sort.length === 0 ? '#' : text };
  if (!reach.ranged) return text === '' ? { kind: 'all' } : { kind: 'begins', text };
  return boundedBy(pattern, entity, placement, reach.known, text, bounds);
}

function boundedBy(
  pattern: ReadPattern,
  entity: Entity,
  { sort }: Placement,
  at: number,
  start: string,
  { from, to, prefix }: Bounds,
): SortRange {
  const { attribute: name, kind } = pattern.range!;
  const attribute = attributeNamed(entity, name);
  if (kind === 'prefix') {
    if (typeof prefix !== 'string')
      throw new PatternError(pattern.name, `"prefix" must give the first characters of "${name}"`);
    const text = start + (prefix === '' ? '' : valueText(pattern.name, attribute, prefix)!);
    return text === '' ? { kind: 'all' } : { kind: 'begins', text };
  }
  const piece = sort[at]!;
  const inverted = piece.kind === 'attribute' && (piece.inverted ?? false);
  const [first, last] = inverted ? [to, from] : [from, to];
  const low = valueText(pattern.name, attribute, first, inverted);
  const high = valueText(pattern.name, attribute, last, inverted);
  if (low === undefined && high === undefined)
    return start === '' ? { kind: 'all' } : { kind: 'begins', text: start };
  // What follows the value belongs to the span, and the span ends with the value if nothing follows.
  const tail = at === sort.length - 1 ? '' : `${delimiterBehind(sort, at)}${afterAll}`;
  return {
    kind: 'between',
    low: start + (low ?? ''),
    high: high === undefined ? `${start}${afterAll}` : `${start}${high}${tail}`,
  };
}

function delimiterBehind(sort: Placement['sort'], at: number): string {
  const next = sort[at + 1];
  return next?.kind === 'constant' ? next.text.slice(0, 1) : '';
}

/** One span that holds the ranges of all kinds of an aggregate. */
export function spanOf(ranges: readonly SortRange[]): SortRange {
  const [first] = ranges;
  if (ranges.length === 1) return first!;
  if (ranges.some(({ kind }) => kind === 'all')) return { kind: 'all' };
  const text = (one: SortRange) => ('text' in one ? one.text : undefined);
  if (first!.kind === 'begins' && ranges.every((one) => one.kind === 'begins' && text(one) === text(first!)))
    return first!;
  const lows = ranges.map((one) => (one.kind === 'between' ? one.low : text(one)!));
  const highs = ranges.map((one) => {
    if (one.kind === 'between') return one.high;
    return one.kind === 'equals' ? one.text : `${text(one)!}${afterAll}`;
  });
  const low = lows.reduce((a, b) => (compareTexts(a, b) <= 0 ? a : b));
  const high = highs.reduce((a, b) => (compareTexts(a, b) >= 0 ? a : b));
  return { kind: 'between', low, high };
}

/** Key texts in the service's order, that of UTF-8, which is that of code points. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x === y) continue;
    // Surrogates stand for code points above all others.
    const [high, low] = [x >= 0xd800 && x <= 0xdfff, y >= 0xd800 && y <= 0xdfff];
    return high === low ? x - y : high ? 1 : -1;
  }
  return a.length - b.length;
}

export function missing(pattern: ReadPattern, names: readonly string[], values: Values): PatternError {
  const absent = names.filter((name) => values[name] === undefined || values[name] === null);
  return new PatternError(pattern.name, `the caller must give ${absent.map((one) => `"${one}"`).join(', ')}`);
}
