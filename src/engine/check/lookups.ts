import type { Reader } from '../../storage/store.ts';
import { StoreError } from '../../storage/store-error.ts';

/** A small entry may stand for an item of 400 KB, so few are read at a time. */
const keysAtOnce = 64;

/** What lies under the key at a place in the list of keys. */
export interface FoundValue {
  readonly at: number;
  readonly value: Uint8Array | undefined;
}

/**
 * The values of many keys, some at a time, in bounded memory. A value that the storage engine finds damaged is left out: the walk
 * over the range in which it lies tells of it.
 */
export async function* valuesOf(
  reader: Reader,
  keys: readonly Uint8Array[],
): AsyncGenerator<readonly FoundValue[]> {
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    const some = keys.slice(start, start + keysAtOnce);
    const values = await readableValues(reader, some);
    yield values.flatMap((value, i) => (value === damaged ? [] : [{ at: start + i, value }]));
  }
}

const damaged = Symbol('damaged value');

type Value = Uint8Array | undefined | typeof damaged;

async function readableValues(reader: Reader, keys: readonly Uint8Array[]): Promise<Value[]> {
  try {
    return await reader.getMany(keys);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  const values: Value[] = [];
  for (const key of keys) {
    try {
      values.push(await reader.get(key));
    } catch (error) {
      if (!isDamage(error)) throw error;
      values.push(damaged);
    }
  }
  return values;
}

/** A value, or undefined where it is damaged. */
export async function readableValue(reader: Reader, key: Uint8Array): Promise<Uint8Array | undefined> {
  const [value] = await readableValues(reader, [key]);
  return value === damaged ? undefined : value;
}

export function isDamage(error: unknown): error is StoreError {
  return error instanceof StoreError && error.trouble === 'corrupt';
}
