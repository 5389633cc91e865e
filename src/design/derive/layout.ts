import type { EntityProblem, Variant } from './entity-problem.ts';

/** The kinds of slots. Local indexes share the table's partition key; copies are further items in the table. */
export type SlotKind = 'base' | 'copy' | 'local' | 'global';

/** Where one entity's items lie in one slot: a placement before it has texts. */
export interface Layout {
  /** Attributes in the partition key. */
  readonly partition: number;
  /** Atoms that must hold while an item is in the slot. */
  readonly predicate: number;
  readonly sort: readonly SortPiece[];
  /** The entity's head stands behind so many sort pieces; those before it are shared with its family. */
  readonly headAt: number;
}

export interface SortPiece {
  readonly bit: number;
  readonly inverted: boolean;
}

/** What a family of entities in one slot agreed on. */
export interface FamilyLayout {
  readonly partition: number;
  readonly prefix: readonly SortPiece[];
  readonly shards: number;
  /** For a child with an order of its own: whether its first ordered piece is inverted. Heads are ordered accordingly. */
  readonly flipped?: boolean;
}

/**
 * The placement with this partition and predicate that serves all the variants, if there is one.
 *
 * A variant wants three things of a sort key: first the rest of its equality attributes, in any order among themselves;
 * then its range and order attributes, one after the other; then anything. So each variant is a list of cells, a cell
 * being a set of attributes that may stand in any order, and all the lists must be refinements of one common sequence.
 * Two lists merge by taking, again and again, the smaller of the two first cells out of the larger one; they do not
 * merge if neither contains the other. The merged sequence is unique but for the order inside cells, which no variant
 * can tell, so nothing is lost by choosing one.
 */
export function layoutFor(
  problem: EntityProblem,
  kind: SlotKind,
  variants: readonly Variant[],
  partition: number,
  predicate: number,
  family?: FamilyLayout,
): Layout | undefined {
  if (problem.tenant & ~partition) return undefined;
  const inTable = kind === 'base' || kind === 'copy';
  const prefixMask = family === undefined ? 0 : maskOfPieces(family.prefix);
  let cells: number[] = family === undefined ? [] : family.prefix.map(({ bit }) => bit);
  const implied = impliedAttributes(problem, predicate);
  for (const variant of variants) {
    if (predicate & ~variant.implied) return undefined;
    const known = knownUnder(problem, variant, predicate);
    if (known === undefined || partition & ~known) return undefined;
    const rest = known & ~partition;
    // Before the head lie only pieces that the reader of this one entity can fill in.
    if (!variant.aggregate && prefixMask & ~rest) return undefined;
    const wanted = rest === 0 ? [] : [rest];
    for (const { bit } of variant.tail) if (!(bit & implied)) wanted.push(bit);
    const merged = mergeCells(cells, wanted);
    if (merged === undefined) return undefined;
    cells = merged;
  }
  const order = cells.flatMap((cell) => coarseToFine(problem, cell));
  let used = partition | implied;
  for (const bit of order) used |= bit;
  // The identity ends the key, so that keys of different instances differ.
  for (const name of problem.entity.identity) {
    const bit = 1 << problem.names.indexOf(name);
    if (bit & ~used) order.push(bit);
  }
  const all = order.reduce((mask, bit) => mask | bit, partition);
  if (inTable && all & ~problem.baseAllowed) return undefined;
  // An item without the attribute is not in the slot: only patterns that ask for items with it may read there.
  const missing = all & problem.optional;
  for (const variant of variants) if (missing & ~variant.present) return undefined;
  const sort = orient(problem, order, variants, implied, family);
  if (sort === undefined || !fits(problem, partition, sort)) return undefined;
  return { partition, predicate, sort, headAt: family?.prefix.length ?? 0 };
}

/** The attributes with one value under the slot's predicate plus the caller's; undefined if a predicate stays open. */
export function knownUnder(problem: EntityProblem, variant: Variant, predicate: number): number | undefined {
  let known = variant.given;
  for (const at of variant.atoms) {
    const atom = problem.atoms[at]!;
    if (atom.impliers & predicate) continue;
    if (atom.equal === 0) return undefined;
    known |= atom.equal;
  }
  return known;
}

/** Attributes that have one value in the whole slot. */
export function impliedAttributes(problem: EntityProblem, predicate: number): number {
  let mask = 0;
  problem.atoms.forEach((atom, at) => {
    if ((predicate >> at) & 1) mask |= atom.equal;
  });
  return mask;
}

export function mergeCells(first: readonly number[], second: readonly number[]): number[] | undefined {
  const [a, b] = [[...first], [...second]];
  const merged: number[] = [];
  while (a.length > 0 && b.length > 0) {
    const [x, y] = [a[0]!, b[0]!];
    const both = x & y;
    if (both !== x && both !== y) return undefined;
    merged.push(both);
    if (x === both) a.shift();
    else a[0] = x & ~both;
    if (y === both) b.shift();
    else b[0] = y & ~both;
  }
  return [...merged, ...a, ...b];
}

function coarseToFine({ names, entity, facts }: EntityProblem, cell: number): number[] {
  if ((cell & (cell - 1)) === 0) return [cell];
  return names
    .map((name, at) => ({ bit: 1 << at, values: facts.distinct(entity, name) }))
    .filter(({ bit }) => bit & cell)
    .sort((a, b) => a.values - b.values || a.bit - b.bit)
    .map(({ bit }) => bit);
}

/**
 * Chooses which pieces are inverted, so that every variant reads its tail in one direction. The tail of a variant ties
 * its pieces together: two of them are either turned alike or turned against each other. Each tied group can be turned
 * in two ways; the one with fewer inversions wins.
 */
function orient(
  problem: EntityProblem,
  order: readonly number[],
  variants: readonly Variant[],
  implied: number,
  family: FamilyLayout | undefined,
): SortPiece[] | undefined {
  const mixed = variants.some(({ tail }) => tail.length > 1);
  if (!mixed && family === undefined) return order.map((bit) => ({ bit, inverted: false }));
  const ties = new Map<number, { bit: number; against: boolean }[]>(order.map((bit) => [bit, []]));
  const tie = (a: number, b: number, against: boolean) => {
    ties.get(a)!.push({ bit: b, against });
    ties.get(b)!.push({ bit: a, against });
  };
  for (const { tail } of variants) {
    const pieces = tail.filter(({ bit }) => !(bit & implied));
    for (let at = 1; at < pieces.length; at++) {
      const [before, piece] = [pieces[at - 1]!, pieces[at]!];
      tie(before.bit, piece.bit, before.descending !== piece.descending);
    }
  }
  const turned = new Map<number, boolean>();
  const given = new Map(family?.prefix.map(({ bit, inverted }) => [bit, inverted]));
  if (family?.flipped !== undefined) {
    for (const { aggregate, tail } of variants) {
      const first = tail.find(({ bit }) => !(bit & implied) && !given.has(bit));
      if (aggregate && first !== undefined) given.set(first.bit, family.flipped);
    }
  }
  for (const start of order) {
    if (turned.has(start)) continue;
    const group = new Map<number, boolean>([[start, false]]);
    for (const [bit, inverted] of group) {
      for (const next of ties.get(bit)!) {
        const wanted = inverted !== next.against;
        if (!group.has(next.bit)) group.set(next.bit, wanted);
        else if (group.get(next.bit) !== wanted) return undefined;
      }
    }
    const chosen = [false, true]
      .map((flip) => [...group].map(([bit, inverted]) => ({ bit, inverted: inverted !== flip })))
      .filter((pieces) => pieces.every(({ bit, inverted }) => !inverted || bit & problem.invertible))
      .filter((pieces) => pieces.every(({ bit, inverted }) => (given.get(bit) ?? inverted) === inverted))
      .sort((a, b) => inversions(a) - inversions(b))[0];
    if (chosen === undefined) return undefined;
    for (const { bit, inverted } of chosen) turned.set(bit, inverted);
  }
  return order.map((bit) => ({ bit, inverted: turned.get(bit)! }));
}

function inversions(pieces: readonly SortPiece[]): number {
  return pieces.filter(({ inverted }) => inverted).length;
}

/** The longest texts stay within the service's limits, with room for heads and a shard number. */
function fits(
  { names, entity, facts }: EntityProblem,
  partition: number,
  sort: readonly SortPiece[],
): boolean {
  const room = 64;
  const longest = (mask: number) =>
    names.reduce(
      (sum, name, at) => ((mask >> at) & 1 ? sum + 1 + facts.keyBytes(entity, name).max : sum),
      room,
    );
  return longest(partition) <= 2_048 && longest(maskOfPieces(sort)) <= 1_024;
}

export function maskOfPieces(pieces: readonly SortPiece[]): number {
  return pieces.reduce((mask, { bit }) => mask | bit, 0);
}
