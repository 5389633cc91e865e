import { tableLimits } from '../../model/limits.ts';
import type { Placement, Plan, Projection, SortCondition } from '../design.ts';
import type { Piece, ReadPattern } from '../ir.ts';
import { afterDelimiter, delimiter, joinPieces, templateText } from '../key-pieces.ts';
import { canonical } from '../predicate-logic.ts';
import type { Block } from './block-evaluator.ts';
import { type EntityProblem, namesOf, type Variant } from './entity-problem.ts';
import type { FamilyChoice } from './family-layouts.ts';
import { knownUnder, type SortPiece } from './layout.ts';

/** A block with the slot and the family that the labelling gave it. */
export interface LabelledBlock {
  readonly problem: EntityProblem;
  readonly block: Block;
  readonly slot: string;
  readonly copy?: number;
  readonly family?: FamilyChoice;
  /** For the table and local indexes: the family that shares the table's partitions, whose kinds need heads. */
  readonly baseFamily?: FamilyChoice;
}

/** Constant texts that tell kinds apart. Heads of a family sort in the family's order. */
function headOf(name: string, family: FamilyChoice | undefined): string {
  const head = name.toUpperCase();
  if (family === undefined) return head;
  const heads = family.members.map((one) => one.toUpperCase());
  const sorted = heads.every((one, at) => at === 0 || heads[at - 1]! < one);
  return sorted ? head : `${family.members.indexOf(name)}.${head}`;
}

/** The family's partition is named after its parent: the member that one partition and prefix hold once. */
function rootOf(family: FamilyChoice, problems: ReadonlyMap<string, EntityProblem>): string {
  const [first] = [...family.members].sort();
  const single = [...family.members].sort().find((name) => {
    const { partition, prefix } = family.layouts.get(name)!;
    const problem = problems.get(name)!;
    return (problem.identity & ~prefix.reduce((mask, { bit }) => mask | bit, partition)) === 0;
  });
  return single ?? first!;
}

export function partitionPieces(
  { problem, block, copy, family: own, baseFamily }: LabelledBlock,
  problems: ReadonlyMap<string, EntityProblem>,
): Piece[] {
  const { entity, facts } = problem;
  const family = baseFamily ?? own;
  const name = family === undefined ? entity.name : rootOf(family, problems);
  const head = `${name.toUpperCase()}${copy === undefined ? '' : `.COPY${copy}`}`;
  const names = namesOf(problem, block.layout.partition);
  const tenant = namesOf(problem, problem.tenant)[0];
  // The tenant leads, then coarse to fine; a family has one order, its parent's.
  const leader = problems.get(name)!.entity;
  names.sort((a, b) => {
    if (a === tenant || b === tenant) return a === tenant ? -1 : 1;
    return facts.distinct(leader, a) - facts.distinct(leader, b) || (a < b ? -1 : 1);
  });
  const attributes = names.map((one): Piece => ({ kind: 'attribute', attribute: one }));
  const { shards } = block.cost;
  const shard: Piece[] = shards > 1 ? [{ kind: 'shard', of: [...entity.identity], count: shards }] : [];
  const constant: Piece = { kind: 'constant', text: head };
  const lead =
    tenant === undefined ? [constant, ...attributes] : [attributes[0]!, constant, ...attributes.slice(1)];
  return joinPieces([...lead, ...shard]);
}

export function sortPieces({ problem, block, family: own, baseFamily }: LabelledBlock): Piece[] {
  const family = own ?? baseFamily;
  const { sort, headAt } = block.layout;
  const pieces = sort.map((piece) => attributePiece(problem, piece));
  if (family !== undefined) {
    const head: Piece = { kind: 'constant', text: headOf(problem.entity.name, family) };
    return joinPieces([...pieces.slice(0, headAt), head, ...pieces.slice(headAt)]);
  }
  return pieces.length > 0
    ? joinPieces(pieces)
    : [{ kind: 'constant', text: problem.entity.name.toUpperCase() }];
}

function attributePiece(problem: EntityProblem, { bit, inverted }: SortPiece): Piece {
  const attribute = problem.names[31 - Math.clz32(bit)]!;
  return inverted ? { kind: 'attribute', attribute, inverted } : { kind: 'attribute', attribute };
}

export function projectionOf(blocks: readonly LabelledBlock[]): Projection {
  const names = new Set<string>();
  for (const { block } of blocks) {
    if (block.cost.projected === undefined) return { type: 'ALL' };
    for (const name of block.cost.projected) names.add(name);
  }
  if (names.size === 0) return { type: 'KEYS_ONLY' };
  if (names.size > tableLimits.nonKeyAttributesPerIndexMax) return { type: 'ALL' };
  return { type: 'INCLUDE', names: [...names].sort() };
}

/**
 * The same index with several key attributes instead of texts. The kind comes first in the partition, or items of other
 * kinds with the same attributes would leak in; a sparse placement sets that marker only while its predicate holds.
 * Undefined where the service's four and four attributes are too few.
 */
export function attributeKeysOf(
  index: string,
  placements: readonly Placement[],
): { readonly hash: string[]; readonly range: string[] } | undefined {
  const alone = placements.length === 1 ? placements[0] : undefined;
  const named = (pieces: readonly Piece[], letter: string) => {
    const parts = pieces.filter((piece) => piece.kind !== 'constant');
    return parts.map((piece, at) => {
      if (alone !== undefined && piece.kind === 'attribute' && !piece.inverted) return piece.attribute;
      return `${index}${letter}${at + 1}`;
    });
  };
  const longest = (lists: readonly string[][]) => lists.reduce((a, b) => (b.length > a.length ? b : a), []);
  const marker = alone?.when.length === 0 ? '_type' : `${index}Type`;
  const families = placements.some(({ family }) => family !== undefined);
  const hash = [marker, ...longest(placements.map(({ partition }) => named(partition, 'P')))];
  const range = longest(placements.map(({ sort }) => named(sort, 'S')));
  if (families) return undefined;
  if (hash.length > tableLimits.globalIndexHashAttributesMax) return undefined;
  return range.length > tableLimits.globalIndexRangeAttributesMax ? undefined : { hash, range };
}

/** A reader who knows the identity computes the shard; others, and readers of several kinds, gather them all. */
export function callsOf(blocks: readonly LabelledBlock[], variant: Variant): number {
  return blocks.length === 1 && variant.namesItem ? 1 : blocks[0]!.block.cost.shards;
}

/** The call that answers a pattern from the placements that hold its entities. */
export function planFor(
  pattern: ReadPattern,
  blocks: readonly LabelledBlock[],
  variant: Variant,
  problems: ReadonlyMap<string, EntityProblem>,
  reason: string,
): Plan {
  const first = blocks[0]!;
  const { problem, block, slot, copy } = first;
  const known = knownUnder(problem, variant, block.layout.predicate)! & ~block.layout.partition;
  const single = blocks.length === 1;
  const sort = single ? sortCondition(first, variant, known) : aggregateCondition(pattern, blocks, known);
  const complete = single && sort.kind === 'equals';
  const inTable = slot === 'table';
  const tail = variantTail(blocks, pattern);
  const orientation =
    tail === undefined ? undefined : tail.block.block.layout.sort.find(({ bit }) => bit === tail.piece.bit);
  const filter = [...variant.filterBy.map((name) => `${name} = :${name}`), ...variant.filter.map(canonical)];
  return {
    pattern: pattern.name,
    entities: pattern.entities,
    slot,
    ...(copy === undefined ? {} : { copy }),
    operation: complete && inTable ? 'GetItem' : 'Query',
    calls: callsOf(blocks, variant),
    partition: templateText(partitionPieces(first, problems)),
    sort,
    forward:
      tail === undefined || orientation === undefined || tail.piece.descending === orientation.inverted,
    limit: pattern.page,
    filter,
    fetch: variant.fetch,
    reason,
  };
}

/** The entity that the pattern's order applies to, with its first ordered piece. */
function variantTail(blocks: readonly LabelledBlock[], pattern: ReadPattern) {
  for (const block of blocks) {
    const variant = block.block.variants.find((one) => one.pattern.name === pattern.name)!;
    const piece = variant.tail[0];
    if (piece !== undefined) return { block, piece };
    // Kinds of which one call finds one item each still interleave by the order before their heads.
    const { problem, block: found } = block;
    const prefix = found.layout.sort.slice(0, found.layout.headAt);
    const known = knownUnder(problem, variant, found.layout.predicate)!;
    const asked = pattern.order.find(({ attribute }) => !(known & (1 << problem.names.indexOf(attribute))));
    const bit = asked === undefined ? 0 : 1 << problem.names.indexOf(asked.attribute);
    if (asked !== undefined && prefix.some((one) => one.bit === bit)) {
      return { block, piece: { bit, descending: asked.direction === 'desc' } };
    }
  }
  return undefined;
}

function sortCondition(labelled: LabelledBlock, variant: Variant, known: number): SortCondition {
  const { problem, block } = labelled;
  const family = labelled.family ?? labelled.baseFamily;
  const { sort, headAt } = block.layout;
  const equal = sort.findIndex(({ bit }) => !(bit & known));
  const length = equal < 0 ? sort.length : equal;
  const pieces: Piece[] = sort.slice(0, length).map((piece) => attributePiece(problem, piece));
  if (family !== undefined)
    pieces.splice(headAt, 0, { kind: 'constant', text: headOf(problem.entity.name, family) });
  const prefix = templateText(joinPieces(pieces));
  if (length === sort.length) {
    return { kind: 'equals', text: templateText(sortPieces(labelled)) };
  }
  const { range } = variant.pattern;
  if (range !== undefined && variant.tail.length > 0) {
    const start = prefix === '' ? '' : `${prefix}${delimiter}`;
    if (range.kind === 'prefix') return { kind: 'prefix', text: `${start}{${range.attribute}…` };
    return { kind: 'between', from: `${start}{from}`, to: `${start}{to}${afterDelimiter}` };
  }
  return prefix === '' ? { kind: 'none' } : { kind: 'prefix', text: `${prefix}${delimiter}` };
}

/** One range over the neighbouring heads, or over everything behind the shared prefix. */
function aggregateCondition(
  pattern: ReadPattern,
  blocks: readonly LabelledBlock[],
  known: number,
): SortCondition {
  const { problem, block, family } = blocks[0]!;
  const { sort, headAt } = block.layout;
  const length = sort.slice(0, headAt).filter(({ bit }) => bit & known).length;
  const prefix = templateText(
    joinPieces(sort.slice(0, length).map((piece) => attributePiece(problem, piece))),
  );
  const start = prefix === '' ? '' : `${prefix}${delimiter}`;
  const { range } = pattern;
  if (range !== undefined && length < headAt) {
    if (range.kind === 'prefix') return { kind: 'prefix', text: `${start}{${range.attribute}…` };
    return { kind: 'between', from: `${start}{from}`, to: `${start}{to}${afterDelimiter}` };
  }
  const members = family!.members;
  const whole = pattern.entities.length === members.length;
  if (whole) return prefix === '' ? { kind: 'none' } : { kind: 'prefix', text: start };
  const heads = members.filter((name) => pattern.entities.includes(name)).map((name) => headOf(name, family));
  return { kind: 'between', from: `${start}${heads[0]!}`, to: `${start}${heads.at(-1)!}${afterDelimiter}` };
}
