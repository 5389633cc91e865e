import type { Certificate } from './certificate/certificate.ts';
import type { Piece, Predicate, Projection } from './ir.ts';

export type { Projection };

/** What derivation answers: plain data, so that checkers, compilers and emitters need not trust the solver. */
export const designFormat = 'stator-design/1';

/** A design: tables with keys, indexes and placements, and what they cost a month. */
export interface Design {
  readonly format: typeof designFormat;
  readonly model: string;
  readonly tables: readonly TableDesign[];
  /** Dollars a month on demand at the mean rates. */
  readonly monthly: number;
}

/** A table of a design: keys, indexes, where each entity lies, the plan of each read. */
export interface TableDesign {
  readonly name: string;
  readonly entities: readonly string[];
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly indexes: readonly IndexDesign[];
  readonly placements: readonly Placement[];
  readonly satellites: readonly Satellite[];
  /** Entities without items of their own. */
  readonly embedded?: readonly EmbeddedEntity[];
  /** Entities that the model lets be embedded and that cannot be, with the reason. */
  readonly apart?: readonly { readonly entity: string; readonly reason: string }[];
  readonly plans: readonly Plan[];
  readonly monthly: number;
  /** The cheapest design for each number of global indexes, from the fewest up, as long as the price falls. */
  readonly frontier: readonly { readonly globalIndexes: number; readonly monthly: number }[];
  /** Why fewer slots cannot do. */
  readonly certificate: Certificate;
  /** False beyond the size that the search exhausts: the best found, not proved to be the best. */
  readonly proved: boolean;
}

/** An index of a design, with the reason for it. */
export interface IndexDesign {
  readonly name: string;
  readonly kind: 'global' | 'local';
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly projection: Projection;
  /** The same keys as several attributes instead of one text, where the service's limits allow it. */
  readonly attributeKeys?: { readonly hash: readonly string[]; readonly range: readonly string[] };
  readonly reason: string;
}

/** Where items of one entity lie in one slot. */
export interface Placement {
  readonly entity: string;
  /** `table` or the name of an index. */
  readonly slot: string;
  /** Set for further items in the table that repeat this one under another key; counted from 1. */
  readonly copy?: number;
  /** The number that is written into a copy, where it is not `copy`; 0 writes none, as in the instance's own item. */
  readonly mark?: number;
  /**
   * Which items of an instance carry the key attributes of this index: 0 is its own, others are copies. Only the own one
   * if absent. During a migration an instance has its own item under two keys.
   */
  readonly carriers?: readonly number[];
  readonly partition: readonly Piece[];
  readonly sort: readonly Piece[];
  /** The item is in the slot only while these hold. */
  readonly when: readonly Predicate[];
  readonly shards: number;
  /** Entities that share the partition on purpose, in the order of their heads. */
  readonly family?: readonly string[];
  /** Attributes that this entity's readers need here; all if absent. */
  readonly needs?: readonly string[];
  /** The patterns answered here. */
  readonly serves: readonly string[];
  readonly monthly: number;
  readonly reason: string;
}

/** An entity whose instances lie inside the items of its parent. */
export interface EmbeddedEntity {
  readonly entity: string;
  readonly parent: string;
  /** The parent's attribute that holds them: a map by the rest of their identity, or the one instance itself. */
  readonly attribute: string;
  /** The child's attributes that name the parent, in the order of the parent's identity. */
  readonly link: readonly string[];
  /** The rest of its identity; empty if a parent has one instance at most. */
  readonly entryKey: readonly string[];
  readonly reason: string;
}

/** An item beside the entities' own that an invariant calls for. */
export interface Satellite {
  readonly kind: 'unique' | 'counter' | 'idempotency';
  readonly entity?: string;
  readonly attribute: string;
  readonly key: string;
  /** Items over which a counter is spread. */
  readonly shards: number;
  readonly writes: readonly string[];
  readonly monthly: number;
  readonly reason: string;
}

/** The one bounded plan that answers a read pattern. */
export interface Plan {
  readonly pattern: string;
  readonly entities: readonly string[];
  readonly slot: string;
  readonly copy?: number;
  readonly operation: 'GetItem' | 'Query';
  /** Parallel calls, one for each shard. */
  readonly calls: number;
  /** The partition template with attribute names, such as `ORDER#{customerId}`. */
  readonly partition: string;
  readonly sort: SortCondition;
  readonly forward: boolean;
  readonly limit: number | 'all';
  /** What a filter removes after reading. */
  readonly filter: readonly string[];
  /** A second call fetches the items whose keys were found. */
  readonly fetch: boolean;
  readonly reason: string;
}

/** The condition on a sort key by which a plan reads. */
export type SortCondition =
  | { readonly kind: 'none' }
  | { readonly kind: 'equals'; readonly text: string }
  | { readonly kind: 'prefix'; readonly text: string }
  | { readonly kind: 'between'; readonly from: string; readonly to: string };
