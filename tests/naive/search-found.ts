import type { Attributes } from './values.ts';

/** All pages of a Query or Scan, and how much of them is known. */
export interface Found extends Known {
  readonly pages: readonly Page[];
}

export interface Known {
  /** Whether the order of the items is known; where it is not, neither is which of them stand on which page. */
  readonly inOrder: boolean;
  /** Whether it is known how many items each page evaluates. */
  readonly pagesKnown: boolean;
  /** Whether the capacity of each page is known. */
  readonly capacityKnown: boolean;
}

export interface Page {
  readonly Items?: readonly Attributes[];
  readonly Count: number;
  readonly ScannedCount: number;
  readonly LastEvaluatedKey?: Attributes;
  readonly ConsumedCapacity?: unknown;
}
