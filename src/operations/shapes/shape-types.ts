import type { AttributeValue, AttributeValueInput } from './plain-attribute-value.ts';
import type {
  AttributeValueShape,
  BlobShape,
  BooleanShape,
  ListShape,
  MapShape,
  Member,
  Members,
  NumberShape,
  RequiredMember,
  StringShape,
  StructureShape,
  TimestampShape,
} from './shape.ts';

/**
 * The value of a request that a shape accepts. A program may pass any `AttributeValueInput`; an operation must still
 * read such a value with `readItem` or `readAttributeValue`, since the shape's check lets an empty value, two datatypes
 * and malformed numbers pass.
 */
export type InputValue<Of> =
  Of extends StringShape<infer Value>
    ? Value
    : Of extends NumberShape | TimestampShape
      ? number
      : Of extends BooleanShape
        ? boolean
        : Of extends AttributeValueShape
          ? AttributeValueInput
          : Of extends BlobShape
            ? Uint8Array | string
            : Of extends ListShape<infer Element>
              ? readonly InputValue<Element>[]
              : Of extends MapShape<infer Value>
                ? Readonly<Record<string, InputValue<Value>>>
                : Of extends StructureShape<infer Given>
                  ? InputMembers<Given>
                  : never;

/** The value of an answer that a shape describes, as plain methods return it: timestamps are dates, blobs are bytes. */
export type OutputValue<Of> =
  Of extends StringShape<infer Value>
    ? Value
    : Of extends NumberShape
      ? number
      : Of extends TimestampShape
        ? Date
        : Of extends BooleanShape
          ? boolean
          : Of extends AttributeValueShape
            ? AttributeValue
            : Of extends BlobShape
              ? Uint8Array
              : Of extends ListShape<infer Element>
                ? OutputValue<Element>[]
                : Of extends MapShape<infer Value>
                  ? Record<string, OutputValue<Value>>
                  : 'outputName' extends keyof Of
                    ? NonNullable<Of['outputName']>
                    : Of extends StructureShape<infer Given>
                      ? OutputMembers<Given>
                      : never;

/** A structure whose values in answers have a named type: editors and declaration files show the name. */
export interface NamedOutput<Value> extends StructureShape {
  /** Only the type checker sees this property. */
  readonly outputName?: Value;
}

/** The shape `Of` with `Value` as the name of its values; `never` if these are something else. */
export type Named<Value, Of> = OutputValue<Of> extends Value ? NamedOutput<Value> : never;

/**
 * The first condition ends the recursion for members that are known only at run time. The last one makes one object type of the intersection, so that editors and
 * errors show the members.
 */
type InputMembers<Given extends Members> = string extends keyof Given
  ? object
  : keyof Given extends never
    ? NoMembers
    : { readonly [Name in RequiredNames<Given>]: InputValue<ShapeOf<Given[Name]>> } & {
          readonly [Name in OptionalNames<Given>]?: InputValue<ShapeOf<Given[Name]>>;
        } extends infer All
      ? { [Name in keyof All]: All[Name] }
      : never;

type OutputMembers<Given extends Members> = string extends keyof Given
  ? object
  : keyof Given extends never
    ? NoMembers
    : { readonly [Name in RequiredNames<Given>]: OutputValue<ShapeOf<Given[Name]>> } & {
          readonly [Name in OptionalNames<Given>]?: OutputValue<ShapeOf<Given[Name]>>;
        } extends infer All
      ? { [Name in keyof All]: All[Name] }
      : never;

/** An object without members; `{}` would accept anything. */
type NoMembers = Readonly<Record<string, never>>;

type RequiredNames<Given extends Members> = {
  [Name in keyof Given]: Given[Name] extends RequiredMember ? Name : never;
}[keyof Given];

type OptionalNames<Given extends Members> = Exclude<keyof Given, RequiredNames<Given>>;

type ShapeOf<Of> = Of extends Member<infer Inner> ? Inner : Of;
