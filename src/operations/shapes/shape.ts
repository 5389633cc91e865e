/**
 * The language in which an operation's input is written down. A shape is plain data: what JSON type is expected
 * (which step 8 of a request checks) and which constraints of the service's model apply (step 9). Everything that
 * needs to know the rest of the request, the table or the meaning of a value is the operation's own affair.
 */
export type Shape =
  | StringShape
  | NumberShape
  | BooleanShape
  | BlobShape
  | TimestampShape
  | AttributeValueShape
  | ListShape
  | MapShape
  | StructureShape;

export interface Length {
  readonly min?: number;
  readonly max?: number;
}

export interface Pattern {
  readonly matches: RegExp;
  /** How the service prints the pattern, which is without anchors. */
  readonly text: string;
}

export interface StringShape extends Length {
  readonly kind: 'string';
  readonly pattern?: Pattern;
  /** In the order in which the service prints them, which is not the order of its model. */
  readonly values?: readonly string[];
  /** What the newer layer prints instead, without naming the member or its value. */
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

export interface ListShape extends Length {
  readonly kind: 'list';
  readonly member: Shape;
}

export interface MapShape extends Length {
  readonly kind: 'map';
  readonly keys: StringShape;
  readonly value: Shape;
}

export interface StructureShape {
  readonly kind: 'structure';
  readonly name: string;
  /** In the order in which the service reports several broken constraints. */
  readonly members: ReadonlyMap<string, Member>;
  /** Members that no client can send but that show when the service prints the structure. */
  readonly unpublished: readonly string[];
}

export interface Member {
  readonly shape: Shape;
  readonly required: boolean;
  /** A text of its own that is answered, before any constraint is looked at, when the member is absent. */
  readonly ifAbsent?: string;
  /** The same for an empty list or map. */
  readonly ifEmpty?: string;
}

export type Members = Readonly<Record<string, Shape | Member>>;

export function string(constraints: Omit<StringShape, 'kind'> = {}): StringShape {
  return { kind: 'string', ...constraints };
}

export function oneOf(...values: readonly string[]): StringShape {
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

export function list(member: Shape, length: Length = {}): ListShape {
  return { kind: 'list', member, ...length };
}

export function map(value: Shape, options: Length & { readonly keys?: StringShape } = {}): MapShape {
  const { keys = string(), ...length } = options;
  return { kind: 'map', value, keys, ...length };
}

export function structure(
  name: string,
  members: Members,
  unpublished: readonly string[] = [],
): StructureShape {
  const entries = Object.entries(members).map(([key, member]): [string, Member] => [
    key,
    'required' in member ? member : { shape: member, required: false },
  ]);
  return { kind: 'structure', name, members: new Map(entries), unpublished };
}

export function required(shape: Shape, texts: Pick<Member, 'ifAbsent' | 'ifEmpty'> = {}): Member {
  return { shape, required: true, ...texts };
}
