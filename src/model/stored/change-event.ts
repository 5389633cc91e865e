/** The kinds of changes that the service's streams name. */
export type ChangeEvent = 'INSERT' | 'MODIFY' | 'REMOVE';

/** Names a change by which of the item's two images exist. */
export function changeEventOf(before: unknown, after: unknown): ChangeEvent {
  return before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
}
