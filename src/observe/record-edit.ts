import type { Mutation, Store } from '../storage/store.ts';

/** What a unit does to one record, with whatever belongs to it, such as its history. Pure, and may run twice. */
export interface RecordEdit {
  readonly key: Uint8Array;
  decide(stored: Uint8Array | undefined): readonly Mutation[];
}

/**
 * Commits edits of different records in one unit: after a kill all of them are there, or none. Answers false, and writes
 * nothing, if a record is not the one that the edits were planned on.
 */
export async function commitEdits(
  store: Store,
  edits: readonly RecordEdit[],
  expected: readonly ExpectedRecord[] = [],
): Promise<boolean> {
  const keys = new Map<string, Uint8Array>();
  for (const { key } of [...expected, ...edits]) keys.set(nameOf(key), key);
  const places = new Map([...keys.keys()].map((name, at) => [name, at]));
  return store.transact<boolean>({
    reads: [...keys.values()],
    decide: ({ values }) => {
      const stored = (key: Uint8Array) => values[places.get(nameOf(key))!];
      if (!expected.every(({ key, isMet }) => isMet(stored(key)))) return { result: false, mutations: [] };
      return { result: true, mutations: edits.flatMap((edit) => edit.decide(stored(edit.key))) };
    },
  });
}

/** A record that edits were planned on. Where it has changed meanwhile, nothing is written. */
export interface ExpectedRecord {
  readonly key: Uint8Array;
  isMet(stored: Uint8Array | undefined): boolean;
}

function nameOf(key: Uint8Array): string {
  return key.join();
}
