import type { Condition, Projection } from './expression-trees.ts';
import type { AnyStep } from './steps.ts';
import type { Attributes } from './values.ts';

export type SelectWish = 'ALL_ATTRIBUTES' | 'ALL_PROJECTED_ATTRIBUTES' | 'SPECIFIC_ATTRIBUTES' | 'COUNT';

/** A Query or Scan, from its first page to its last. */
interface AnySearch extends AnyStep {
  readonly index?: string | undefined;
  readonly filter?: Condition | undefined;
  readonly projection?: Projection | undefined;
  readonly select?: SelectWish | undefined;
  readonly limit?: number | undefined;
  readonly consistent?: boolean | undefined;
}

export interface QueryStep extends AnySearch {
  readonly kind: 'query';
  /** The clauses of the key condition, at least one, each about one attribute. */
  readonly clauses: readonly Condition[];
  readonly forward?: boolean | undefined;
  /** A start key for the first page, made by hand. */
  readonly startKey?: Attributes | undefined;
}

export interface ScanStep extends AnySearch {
  readonly kind: 'scan';
  /** How many segments to scan, one after the other. */
  readonly segments?: number | undefined;
}

export type SearchStep = QueryStep | ScanStep;
