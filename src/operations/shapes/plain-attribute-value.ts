/** The datatypes of an attribute value. `L` and `M` name `ValueOf` so that type errors stay readable. */
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

/** Exactly one datatype is present. Every datatype may be read, as in `value.S`, without narrowing first. */
type ValueOf<Bytes> = {
  [Type in keyof Datatypes<Bytes>]: {
    readonly [Name in Type]: Datatypes<Bytes>[Name];
  } & { readonly [Name in Exclude<keyof Datatypes<Bytes>, Type>]?: never | undefined };
}[keyof Datatypes<Bytes>];

/** An attribute value in an answer, as the SDK's own client returns it: `B` holds bytes. */
export type AttributeValue = ValueOf<Uint8Array>;

/** An attribute value in a request. `B` may also be base64, as in stored requests and fixtures. */
export type AttributeValueInput = ValueOf<Uint8Array | string>;

/** An item or a key. */
export type AttributeMap = Record<string, AttributeValue>;

/** An item or a key in a request. Attribute names are the client's own, such as `__proto__`: use `Object.hasOwn`. */
export type AttributeMapInput = Readonly<Record<string, AttributeValueInput>>;
