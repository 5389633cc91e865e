import type {
  AttributeType,
  AttributeValue,
  ListValue,
  NumberValue,
  SetValue,
} from '../model/values/attribute-value.ts';

/**
 * The trees of all expressions, in two forms. A parsed tree is what the text says: it depends on nothing else and is
 * kept for the next request with the same text. A resolved tree has attribute names and values in place of their
 * placeholders, and has passed every check that can be made without an item; the legacy parameters become resolved
 * trees as well, so that there is one meaning of a condition, an update and a projection.
 */

/** What is wrong with an expression, without the `Invalid ConditionExpression: ` that says which one. */
export class ExpressionProblem {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

// Parsed.

export type ParsedPathElement =
  | { readonly kind: 'name'; readonly name: string }
  /** With its `#`. */
  | { readonly kind: 'reference'; readonly reference: string }
  | { readonly kind: 'index'; readonly index: number; readonly digits: string };

export interface ParsedPath {
  readonly kind: 'path';
  readonly elements: readonly ParsedPathElement[];
}

/** A placeholder with its `:`. */
export interface ParsedValue {
  readonly kind: 'value';
  readonly reference: string;
}

/** A call of any function, known or not, with any number of operands. */
export interface ParsedCall {
  readonly kind: 'call';
  readonly function: string;
  readonly operands: readonly ParsedOperand[];
}

export type ParsedOperand = ParsedPath | ParsedValue | ParsedCall;

export type ParsedCondition =
  | { readonly kind: 'and'; readonly conditions: readonly ParsedCondition[] }
  | { readonly kind: 'or'; readonly conditions: readonly ParsedCondition[] }
  | { readonly kind: 'not'; readonly condition: ParsedCondition }
  | ParsedPrimitive;

/** A condition without conditions in it. */
export type ParsedPrimitive =
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly left: ParsedOperand;
      readonly right: ParsedOperand;
    }
  | {
      readonly kind: 'between';
      readonly operand: ParsedOperand;
      readonly low: ParsedOperand;
      readonly high: ParsedOperand;
    }
  | { readonly kind: 'in'; readonly operand: ParsedOperand; readonly list: readonly ParsedOperand[] }
  | ParsedCall;

export interface ParsedProjection {
  readonly paths: readonly ParsedPath[];
}

/** UpdateExpression has one operator at most; only PartiQL puts sums in sums. */
export interface ParsedArithmetic {
  readonly kind: 'arithmetic';
  readonly operator: '+' | '-';
  readonly left: ParsedOperand | ParsedArithmetic;
  readonly right: ParsedOperand | ParsedArithmetic;
}

export type SectionName = 'SET' | 'REMOVE' | 'ADD' | 'DELETE';

export interface ParsedAction {
  readonly section: SectionName;
  readonly path: ParsedPath;
  /** Absent in REMOVE only. */
  readonly value: ParsedOperand | ParsedArithmetic | undefined;
}

export interface ParsedUpdate {
  readonly actions: readonly ParsedAction[];
}

// Resolved.

/** Names of map members and indexes of list elements; the first is always the name of an attribute. */
export type DocumentPath = readonly [string, ...(string | number)[]];

export interface PathOperand {
  readonly kind: 'path';
  readonly path: DocumentPath;
}

export interface ValueOperand {
  readonly kind: 'value';
  readonly value: AttributeValue;
}

export interface SizeOperand {
  readonly kind: 'size';
  readonly operand: Operand;
}

/** Whether a condition is met, as a boolean value, which only PartiQL compares with others. */
export interface ConditionOperand {
  readonly kind: 'condition';
  readonly condition: Condition;
}

export type Operand = PathOperand | ValueOperand | SizeOperand | ConditionOperand;

export type Condition =
  | { readonly kind: 'and'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | Comparison
  | { readonly kind: 'between'; readonly operand: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'in'; readonly operand: Operand; readonly list: readonly Operand[] }
  | { readonly kind: 'attribute_exists'; readonly path: DocumentPath }
  | { readonly kind: 'attribute_not_exists'; readonly path: DocumentPath }
  | { readonly kind: 'attribute_type'; readonly operand: Operand; readonly type: AttributeType }
  | { readonly kind: 'begins_with'; readonly operand: Operand; readonly prefix: Operand }
  | { readonly kind: 'contains'; readonly container: Operand; readonly element: Operand };

export interface Comparison {
  readonly kind: 'compare';
  readonly comparator: Comparator;
  readonly left: Operand;
  readonly right: Operand;
}

/** The paths as written, and the tree of them: names or indexes, down to `whole` where a path ends. */
export interface Projection {
  readonly paths: readonly DocumentPath[];
  readonly tree: ProjectionTree;
}

export type ProjectionTree = ReadonlyMap<string | number, ProjectionTree | 'whole'>;

export interface Update {
  readonly actions: readonly UpdateAction[];
  /** AttributeUpdates has a text of its own for an attribute of another type, and its ADD takes lists. */
  readonly form: 'expression' | 'legacy';
}

export type UpdateAction =
  | { readonly kind: 'set'; readonly path: DocumentPath; readonly value: UpdateValue }
  | { readonly kind: 'remove'; readonly path: DocumentPath }
  | { readonly kind: 'add'; readonly path: DocumentPath; readonly value: NumberValue | SetValue | ListValue }
  | { readonly kind: 'delete'; readonly path: DocumentPath; readonly value: SetValue };

export type UpdateValue = UpdateOperand | Arithmetic;

export interface Arithmetic {
  readonly kind: 'arithmetic';
  readonly operator: '+' | '-';
  readonly left: UpdateValue;
  readonly right: UpdateValue;
}

export type UpdateOperand =
  | PathOperand
  | ValueOperand
  | { readonly kind: 'if_not_exists'; readonly path: DocumentPath; readonly otherwise: UpdateOperand }
  | { readonly kind: 'list_append'; readonly first: UpdateOperand; readonly second: UpdateOperand };
