/**
 * The language that describes an operation's input and output. A shape is plain data: it names the JSON type that is
 * expected (step 8 of a request checks it) and the constraints of the service's model (step 9). Checks that need the
 * rest of the request, the table or the meaning of a value belong to the operation.
 *
 * The type of a shape carries enough to infer the types of its values: see `InputValue` and `OutputValue`.
 */
export type Shape =
  | StringShape<string>
  | NumberShape
  | BooleanShape
  | BlobShape
  | TimestampShape
  | AttributeValueShape
  | ListShape<Shape>
  | MapShape<Shape>
  | StructureShape<Members>;

export interface Length {
  readonly min?: number;
  readonly max?: number;
}

export interface Pattern {
  readonly matches: RegExp;
  /** How the service prints the pattern, which is without anchors. */
  readonly text: string;
}

export interface StringShape<Value extends string = string> extends Length {
  readonly kind: 'string';
  readonly pattern?: Pattern;
  /** The values of an enum, in the order in which the service prints them, which is not the order of its model. */
  readonly values?: readonly Value[];
  /** The list that the newer layer prints instead, without naming the member or its value. */
  readonly newerValues?: string;
  /** Length and pattern are those of a name; an ARN may stand in its place and is then exempt from them. */
  readonly orArn?: boolean;
}

export interface NumberShape {
  readonly kind: 'number';
  /** The Java type, because the service names it when something else is sent. */
  readonly java: 'Integer' | 'Long' | 'Double';
  readonly min?: number;
  readonly max?: number;
}

export interface BooleanShape {
  readonly kind: 'boolean';
}

export interface BlobShape {
  readonly kind: 'blob';
}

/** Seconds since the epoch as a JSON number, fractions allowed. */
export interface TimestampShape {
  readonly kind: 'timestamp';
}

/** The only recursive shape. */
export interface AttributeValueShape {
  readonly kind: 'attribute-value';
}

export interface ListShape<Element extends Shape = Shape> extends Length {
  readonly kind: 'list';
  readonly member: Element;
}

export interface MapShape<Value extends Shape = Shape> extends Length {
  readonly kind: 'map';
  readonly keys: StringShape<string>;
  readonly value: Value;
}

export interface StructureShape<Given extends Members = Members> {
  readonly kind: 'structure';
  readonly name: string;
  /** In the order in which the service reports several broken constraints. */
  readonly members: ReadonlyMap<string, Member<Shape>>;
  /** The types of the members. Only the type checker sees this property: no structure has it at run time. */
  readonly memberTypes?: Given;
  /** Members that no client can send but that show when the service prints the structure. */
  readonly unpublished: readonly string[];
}

export interface Member<Of extends Shape = Shape> {
  readonly shape: Of;
  readonly required: boolean;
  /** The error text for an absent member, answered before any constraint is checked. */
  readonly ifAbsent?: string;
  /** The error text for an empty list or map, answered before any constraint is checked. */
  readonly ifEmpty?: string;
}

export interface RequiredMember<Of extends Shape = Shape> extends Member<Of> {
  readonly required: true;
}

/** The members of a structure by name. A bare shape is an optional member. */
export type Members = Readonly<Record<string, Shape | Member>>;

export function string(constraints: Omit<StringShape<string>, 'kind' | 'values'> = {}): StringShape<string> {
  return { kind: 'string', ...constraints };
}

export function oneOf<Value extends string>(...values: readonly Value[]): StringShape<Value> {
  return { kind: 'string', values };
}

export function integer(range: { readonly min?: number; readonly max?: number } = {}): NumberShape {
  return { kind: 'number', java: 'Integer', ...range };
}

export function long(range: { readonly min?: number; readonly max?: number } = {}): NumberShape {
  return { kind: 'number', java: 'Long', ...range };
}

export function double(range: { readonly min?: number; readonly max?: number } = {}): NumberShape {
  return { kind: 'number', java: 'Double', ...range };
}

export const boolean: BooleanShape = { kind: 'boolean' };
export const blob: BlobShape = { kind: 'blob' };
export const timestamp: TimestampShape = { kind: 'timestamp' };
export const attributeValue: AttributeValueShape = { kind: 'attribute-value' };

export function list<Element extends Shape>(member: Element, length: Length = {}): ListShape<Element> {
  return { kind: 'list', member, ...length };
}

export function map<Value extends Shape>(
  value: Value,
  options: Length & { readonly keys?: StringShape<string> } = {},
): MapShape<Value> {
  const { keys = string(), ...length } = options;
  return { kind: 'map', value, keys, ...length };
}

export function structure<Given extends Members>(
  name: string,
  members: Given,
  unpublished: readonly string[] = [],
): StructureShape<Given> {
  const entries = Object.entries(members).map(([key, member]): [string, Member<Shape>] => [
    key,
    'required' in member ? member : { shape: member, required: false },
  ]);
  return { kind: 'structure', name, members: new Map(entries), unpublished };
}

export function required<Of extends Shape>(
  shape: Of,
  texts: Pick<Member<Of>, 'ifAbsent' | 'ifEmpty'> = {},
): RequiredMember<Of> {
  return { shape, required: true, ...texts };
}
