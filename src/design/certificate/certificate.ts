/**
 * Why no design has fewer slots. Each claim says that some number of slots is too few for some entities; its proof is
 * either a set of patterns no two of which can share a slot, or a tree that tries every distribution and ends each
 * branch at a slot that cannot hold its patterns.
 */
export interface Certificate {
  readonly claims: readonly Claim[];
  /** The same for every other choice of entities to embed: why it needs no fewer slots than the table has. */
  readonly others?: readonly { readonly embedded: readonly string[]; readonly claims: readonly Claim[] }[];
  /** Choices for which the search found no design at all. */
  readonly refused?: readonly (readonly string[])[];
  /** Why no partition is too hot, and why no key has more shards than its traffic needs: one for each placement. */
  readonly heat: readonly HeatClaim[];
}

/**
 * What the hottest partition value of a placement must take at the peak. Entities that share a partition on purpose
 * heat it together, so their demands add up.
 */
export interface HeatClaim {
  readonly entity: string;
  readonly slot: string;
  readonly copy?: number;
  readonly writes: readonly HeatLine[];
  readonly reads: readonly HeatLine[];
  /** Units a second on the hottest value, over all its shards. */
  readonly demand: { readonly write: number; readonly read: number };
  /** Units a second that one partition may be asked for: the model's headroom times what the service gives. */
  readonly ceiling: { readonly write: number; readonly read: number };
  /** The partitions over which the value is spread. */
  readonly shards: number;
}

/** The share of a demand that one pattern causes: units of a call × calls a second × share of the hottest value. */
export interface HeatLine {
  readonly pattern: string;
  readonly units: number;
  readonly peak: number;
  readonly share: number;
  /** The share of the hottest item, where that is more than a shard's part: no number of shards divides one item. */
  readonly item?: number;
}

/** Units a second on the hottest of so many shards. */
export function hottestShard(lines: readonly HeatLine[], shards: number): number {
  return lines.reduce(
    (sum, { units, peak, share, item = 0 }) => sum + units * peak * Math.max(share / shards, item),
    0,
  );
}

/** A statement that no design needs less than this, with its proof. */
export interface Claim {
  /** No design exists with at most this room. */
  readonly copies: number;
  readonly locals: number;
  readonly globals: number;
  /** The entities that already do not fit, each with its own share of the patterns. */
  readonly entities: readonly string[];
  readonly proof: Proof;
}

/** The proof of a claim, which the checker follows without searching. */
export type Proof =
  /** No two of the patterns fit one slot, and at most `inTable` (0 or 1) of them can be answered by the table. */
  | { readonly kind: 'clique'; readonly patterns: readonly string[]; readonly inTable: 0 | 1 }
  | { readonly kind: 'tree'; readonly order: readonly string[]; readonly root: RefutationNode }
  /** The search exhausted all distributions, but writing them down would be too long. */
  | { readonly kind: 'searched' }
  /** The search was cut short, so that fewer slots may do; the table says that it is not proved. */
  | { readonly kind: 'unproved' };

/** Either a slot that cannot hold the patterns given to it so far, or one branch for each slot of the next pattern. */
export type RefutationNode =
  | { readonly full: number; readonly patterns: readonly string[] }
  | { readonly branches: readonly RefutationNode[] };
