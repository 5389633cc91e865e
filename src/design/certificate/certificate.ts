/**
 * Why no design has fewer slots. Each claim says that some number of slots is too few for some entities; its proof is
 * either a set of patterns no two of which can share a slot, or a tree that tries every distribution and ends each
 * branch at a slot that cannot hold its patterns.
 */
export interface Certificate {
  readonly claims: readonly Claim[];
}

export interface Claim {
  /** No design exists with at most this room. */
  readonly copies: number;
  readonly locals: number;
  readonly globals: number;
  /** The entities that already do not fit, each with its own share of the patterns. */
  readonly entities: readonly string[];
  readonly proof: Proof;
}

export type Proof =
  /** No two of the patterns fit one slot, and at most `inTable` (0 or 1) of them can be answered by the table. */
  | { readonly kind: 'clique'; readonly patterns: readonly string[]; readonly inTable: 0 | 1 }
  | { readonly kind: 'tree'; readonly order: readonly string[]; readonly root: RefutationNode }
  /** The search exhausted all distributions, but writing them down would be too long. */
  | { readonly kind: 'searched' };

/** Either a slot that cannot hold the patterns given to it so far, or one branch for each slot of the next pattern. */
export type RefutationNode =
  | { readonly full: number; readonly patterns: readonly string[] }
  | { readonly branches: readonly RefutationNode[] };
