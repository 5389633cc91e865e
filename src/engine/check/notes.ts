import type { Entry, Reader } from '../../storage/store.ts';
import type { CheckResults } from './check-report.ts';
import { type DataPlace, rangeOfKind, readPlace } from './known-kinds.ts';
import { pagesOf } from './range-pages.ts';
import { addUnknownKey } from './unknown-key.ts';

/** Something that is noted about a table, or about one of its slots. */
export interface Note extends Entry {
  readonly place: DataPlace;
}

/** The notes of a kind. Keys that are not made as those of the kind are findings of their own. */
export async function* notesOf(
  reader: Reader,
  kind: number,
  isAbout: (place: DataPlace) => boolean,
  results: CheckResults,
): AsyncGenerator<Note> {
  const { from, to } = rangeOfKind(kind);
  for await (const page of pagesOf(reader, from, to)) {
    for (const { key, value } of page) {
      const place = readPlace(key);
      if (place !== undefined && isAbout(place)) yield { key, value, place };
      else addUnknownKey(key, value, results);
    }
  }
}

export function isAboutTable({ slot }: DataPlace): boolean {
  return slot === undefined;
}
