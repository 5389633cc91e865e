import type { DynamoError } from '../../model/errors.ts';
import type { AttributeValue } from '../../model/values/attribute-value.ts';
import type { ParsedOperand, ParsedPath, ParsedPrimitive, ParsedUpdate } from '../tree.ts';

/**
 * A statement as its text says, in the terms of the other expressions: paths, operands, primitive conditions and
 * updates are the same trees, so that what they mean is written once. A literal is a reference like a parameter; both
 * are resolved when the parameters are known. Nothing here depends on them, so that a parsed statement is kept for the
 * next request with the same text.
 */
export type ParsedStatement =
  | ParsedSelect
  | ParsedInsert
  | ParsedUpdateStatement
  | ParsedDelete
  /** `EXISTS(SELECT …)`, the condition check of a transaction. */
  | { readonly kind: 'exists'; readonly select: ParsedSelect };

/** What a statement reads or writes. */
export interface Source {
  /** As it is written, a name or an ARN. */
  readonly table: string;
  readonly index: string | undefined;
}

export interface ParsedSelect {
  readonly kind: 'select';
  readonly source: Source;
  /** Undefined for `*`. */
  readonly columns: readonly Column[] | undefined;
  /** What is wrong with the columns, but told only after faults of the index that is read. */
  readonly columnProblem: DynamoError | undefined;
  readonly where: StatementCondition | undefined;
  readonly order: readonly OrderTerm[];
  readonly values: StatementValues;
}

/** A path and the name that it has in the answer. */
export interface Column {
  readonly name: string;
  readonly path: ParsedPath;
}

export interface OrderTerm {
  readonly attribute: string;
  readonly descending: boolean;
}

export interface ParsedInsert {
  readonly kind: 'insert';
  readonly source: Source;
  /** Each attribute with the reference of its value. */
  readonly item: ReadonlyMap<string, string>;
  readonly values: StatementValues;
}

export interface ParsedUpdateStatement {
  readonly kind: 'update';
  readonly source: Source;
  readonly update: ParsedUpdate;
  readonly setArguments: readonly SetArgument[];
  readonly where: StatementCondition | undefined;
  readonly returning: Returning | undefined;
  readonly values: StatementValues;
}

/** A parameter that has to be a set, and the text of the error when it is none. */
export interface SetArgument {
  readonly reference: string;
  readonly problem: string;
}

export interface ParsedDelete {
  readonly kind: 'delete';
  readonly source: Source;
  readonly where: StatementCondition | undefined;
  readonly returning: Returning | undefined;
  readonly values: StatementValues;
}

export type Returning = 'ALL OLD' | 'ALL NEW' | 'MODIFIED OLD' | 'MODIFIED NEW';

/** The values that a statement refers to. */
export interface StatementValues {
  /** By their references. */
  readonly literals: ReadonlyMap<string, AttributeValue>;
  /** How many `?` there are; their references come from `parameterReference`. */
  readonly parameters: number;
}

/** The reference of a parameter, counted from 0. */
export function parameterReference(position: number): string {
  return `?${position}`;
}

export type StatementCondition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly StatementCondition[] }
  | { readonly kind: 'not'; readonly condition: StatementCondition }
  | StatementLeaf;

/** A condition without conditions joined in it. */
export type StatementLeaf =
  | TruthComparison
  | { readonly kind: 'truth in'; readonly operand: TruthOperand; readonly list: readonly TruthOperand[] }
  | ParsedPrimitive;

/** `attribute_exists(a) = true`: a condition is a boolean value too, which no other kind of expression knows. */
export interface TruthComparison {
  readonly kind: 'truth';
  readonly comparator: '=' | '<>';
  readonly left: TruthOperand;
  readonly right: TruthOperand;
}

export type TruthOperand =
  | ParsedOperand
  | { readonly kind: 'condition'; readonly condition: StatementCondition };
