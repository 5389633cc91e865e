import type { Bytes, Decision, Found, Store } from '../../src/storage/store.ts';

export function bytes(text: string): Bytes {
  return new TextEncoder().encode(text);
}

export function text(value: Bytes | undefined): string | undefined {
  return value === undefined ? undefined : new TextDecoder().decode(value);
}

export function numberIn(value: Bytes | undefined): number {
  return Number(text(value) ?? 0);
}

export function put(key: string, value: string | number) {
  return { kind: 'put', key: bytes(key), value: bytes(String(value)) } as const;
}

export function remove(key: string) {
  return { kind: 'delete', key: bytes(key) } as const;
}

export function add(counter: string, delta: number) {
  return { kind: 'add', counter: bytes(counter), delta } as const;
}

export function append(bucket: string, of: string, record: string) {
  return { kind: 'append', bucket: bytes(bucket), of: bytes(of), record: bytes(record) } as const;
}

/** A unit that reads keys named by text. */
export function unit<R>(reads: readonly string[], decide: (found: Found) => Decision<R>) {
  return { reads: reads.map(bytes), decide };
}

/** A unit that adds one to the number under a key and to a counter, so that both must always agree. */
export function increment(key: string, counter = `n:${key}`) {
  return unit([key], ({ values }) => {
    const next = numberIn(values[0]) + 1;
    return { result: next, mutations: [put(key, next), add(counter, 1)] };
  });
}

export async function valueAt(store: Store, key: string): Promise<string | undefined> {
  return text(await store.get(bytes(key)));
}

export async function sumOf(store: Store, counter: string): Promise<number> {
  return (await store.counters([bytes(counter)]))[0]!;
}
