import type { Stator } from '../../src/index.ts';
import { contentOf } from '../streams/read-stream.ts';
import type { TakenRecord } from './fake-kinesis.ts';

/**
 * What a table looks like to a consumer that forgets records it has seen, by their ids. Throws when the first deliveries
 * of an item's changes are not in their order: each must begin where the one before has ended.
 */
export function contentAfter(taken: readonly TakenRecord[]): Map<string, string> {
  const content = new Map<string, string>();
  const seen = new Set<string>();
  for (const { data } of taken) {
    if (seen.has(data.eventID)) continue;
    seen.add(data.eventID);
    const { Keys, NewImage, OldImage } = data.dynamodb;
    const key = JSON.stringify(Keys);
    const before = OldImage && JSON.stringify(OldImage);
    if (content.get(key) !== before)
      throw new Error(`${data.eventName} of ${key} begins with ${before}, not with ${content.get(key)}`);
    if (NewImage === undefined) content.delete(key);
    else content.set(key, JSON.stringify(NewImage));
  }
  return content;
}

/**
 * Throws when a record that is repeated comes after a later one of its item for the first time: a repetition of the
 * last ones is what at least once means, anything else is disorder.
 */
export function checkRepetitions(taken: readonly TakenRecord[]): void {
  const latest = new Map<string, string[]>();
  for (const { partitionKey, data } of taken) {
    const ids = latest.get(partitionKey) ?? [];
    latest.set(partitionKey, ids);
    const at = ids.indexOf(data.eventID);
    if (at === -1) ids.push(data.eventID);
    else if (at < ids.length - 1)
      throw new Error(`${data.eventID} of ${partitionKey} came again after others`);
  }
}

/** What is in a table, in the form of `contentAfter`. */
export async function tableContent(db: Stator, tableName: string): Promise<Map<string, string>> {
  const content = await contentOf(db, tableName, ['pk']);
  return new Map(
    [...content].map(([key, sorted]) => [
      key,
      JSON.stringify(Object.fromEntries(JSON.parse(sorted) as [string, object][])),
    ]),
  );
}
