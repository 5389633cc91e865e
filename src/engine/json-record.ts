import { type Field, type Fields, isA, object, text } from '../model/json/fields.ts';
import { parseJson } from '../model/json/parse-json.ts';
import { toHex } from '../model/values/hex.ts';
import { decodeUtf8, encodeUtf8 } from '../model/values/utf8.ts';
import { StoreError } from '../storage/store-error.ts';
import type { Scope } from './store-keys.ts';

export const scopeFields: Fields<Scope> = { account: text, region: text };
export const scopeField = object(scopeFields);

/** A stored record is damaged (`corrupt`), or a version of Stator that this one does not know wrote it (`format`). */
export class UnreadableRecord extends StoreError {
  /** The kind of the record, with its article: `a backup`. */
  readonly kind: string;
  readonly key: Uint8Array;

  constructor(trouble: 'corrupt' | 'format', kind: string, key: Uint8Array, why: string, cause?: unknown) {
    super(trouble, `The store has ${kind} under the key ${toHex(key)} ${why}`, cause);
    this.kind = kind;
    this.key = key;
  }
}

/** How records of one kind are stored. */
export interface JsonRecord<T> {
  encode(record: T): Uint8Array;
  /** Throws an `UnreadableRecord`. The key names the record in its message. */
  decode(stored: Uint8Array, key: Uint8Array): T;
}

/**
 * The codec of a kind of record that the store keeps as JSON: an object whose first member is the number of its format.
 * Records of format 0 have no such member. Every member is checked when a record is read. Members that the fields do not
 * name are kept.
 */
export function jsonRecord<T extends object>(kind: string, format: number, field: Field<T>): JsonRecord<T> {
  return {
    encode: (record) => encodeUtf8(JSON.stringify(format === 0 ? record : { format, ...record })),
    decode(stored, key) {
      const { format: found = 0, ...record } = parseObject(kind, stored, key);
      if (found !== format) {
        if (!Number.isSafeInteger(found) || found === 0)
          throw new UnreadableRecord('corrupt', kind, key, 'that is damaged: it has no format');
        throw new UnreadableRecord(
          'format',
          kind,
          key,
          `of the format ${found}, and this version of Stator reads format ${format}: use the version that wrote it`,
        );
      }
      if (isA(field, record)) return record;
      const fault = field.fault(record);
      throw new UnreadableRecord('corrupt', kind, key, `that is damaged: its value${fault}`);
    },
  };
}

function parseObject(kind: string, stored: Uint8Array, key: Uint8Array): { readonly format?: unknown } {
  let parsed: unknown;
  try {
    parsed = parseJson(decodeUtf8(stored));
  } catch (error) {
    throw new UnreadableRecord('corrupt', kind, key, 'that is damaged: it is no JSON', error);
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  throw new UnreadableRecord('corrupt', kind, key, 'that is damaged: it is no JSON object');
}
