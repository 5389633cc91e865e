/** The types of a value of an item. The recursive ones are named for themselves so that errors stay readable. */
interface Datatypes<Bytes> {
  S: string;
  N: string;
  B: Bytes;
  BOOL: boolean;
  NULL: boolean;
  SS: readonly string[];
  NS: readonly string[];
  BS: readonly Bytes[];
  L: readonly ValueOf<Bytes>[];
  M: Readonly<Record<string, ValueOf<Bytes>>>;
}

/** One datatype is there and may be read as `value.S`; the others are there for nobody. */
type ValueOf<Bytes> = {
  [Type in keyof Datatypes<Bytes>]: {
    readonly [Name in Type]: Datatypes<Bytes>[Name];
  } & { readonly [Name in Exclude<keyof Datatypes<Bytes>, Type>]?: never | undefined };
}[keyof Datatypes<Bytes>];

/** A value of an item, as the SDK's own client has it: bytes are bytes. */
export type AttributeValue = ValueOf<Uint8Array>;

/** A value in a request. Base64 is taken too, since that is how stored requests and fixtures have it. */
export type AttributeValueInput = ValueOf<Uint8Array | string>;

/** An item or a key. */
export type AttributeMap = Record<string, AttributeValue>;

export type AttributeMapInput = Readonly<Record<string, AttributeValueInput>>;
