import type { Bytes } from '../../src/storage/store.ts';

export function bytes(text: string): Bytes {
  return new TextEncoder().encode(text);
}

export function text(value: Bytes | undefined): string | undefined {
  return value === undefined ? undefined : new TextDecoder().decode(value);
}

/** A key that sorts as its number does. */
export function numberedKey(prefix: string, number: number): Bytes {
  return bytes(`${prefix}${String(number).padStart(8, '0')}`);
}
