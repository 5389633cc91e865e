import type { PageRead, QueryPlan } from '../engine/read-page.ts';
import { meetsCondition } from '../expressions/evaluate-condition.ts';
import { pathsOf } from '../expressions/key-paths.ts';
import { projectItem } from '../expressions/project.ts';
import { decodeAttributes, decodeItem, headerBytes } from '../model/stored-item.ts';
import { jsonOf, plainItem } from './item-answer.ts';
import { RawJson } from './operation.ts';
import type { ReadRequest } from './read-request.ts';
import { type ReadTarget, startKeyOf } from './read-target.ts';
import type { Select } from './shapes/read-shapes.ts';

/** What is planned for a page, and of what. */
export interface SearchPlan extends QueryPlan {
  readonly target: ReadTarget;
}

/**
 * The answer of a Query or Scan. Items go from the store into the answer as the bytes they are; only a filter or a
 * projection looks into them, and of an answer that is only a count without a filter nothing but the number.
 */
export function pageAnswer(
  { plan, page }: PageRead<SearchPlan>,
  { filter, projection }: ReadRequest,
  select: Select | undefined,
  capacity: object | undefined,
): RawJson {
  const items: Uint8Array[] = [];
  const isCount = select === 'COUNT';
  let count = 0;
  if (isCount && filter === undefined) {
    count = page.entries.length;
  } else {
    const filtered = filter && new Set(pathsOf(filter).map(([name]) => name));
    for (const { value } of page.entries) {
      if (filter !== undefined && !meetsCondition(filter, decodeAttributes(value, filtered!))) continue;
      count++;
      if (isCount) continue;
      items.push(projection === undefined ? value : jsonOf(projectItem(projection, decodeItem(value))));
    }
  }
  const last = page.stopped ? page.entries[page.entries.length - 1] : undefined;
  const rest = JSON.stringify({
    Count: count,
    ScannedCount: page.entries.length,
    LastEvaluatedKey: last && plainItem(startKeyOf(plan.target, decodeItem(last.value))),
    ConsumedCapacity: capacity,
  });
  return new RawJson(
    isCount
      ? [rest]
      : ['{"Items":[', ...listed(items, projection === undefined ? headerBytes : 0), `],${rest.slice(1)}`],
  );
}

/**
 * The JSON of items, which begins at `from` in each, with commas between them. Many are put into one piece, since
 * thousands cost more than what is in them.
 */
function listed(items: readonly Uint8Array[], from: number): (string | Uint8Array)[] {
  if (items.length <= piecesMax)
    return items.flatMap((item, i) => (i === 0 ? [item.subarray(from)] : [',', item.subarray(from)]));
  const whole = new Uint8Array(items.reduce((sum, item) => sum + item.length - from + 1, -1));
  let at = 0;
  for (const item of items) {
    if (at > 0) whole[at++] = comma;
    at = copyInto(whole, at, item, from);
  }
  return [whole];
}

/** Answers where the copy ends. Few bytes are copied faster by hand than by a call. */
function copyInto(whole: Uint8Array, start: number, item: Uint8Array, from: number): number {
  const end = start + item.length - from;
  if (end - start > copiedByHandMax) whole.set(item.subarray(from), start);
  else for (let i = from, at = start; at < end; i++, at++) whole[at] = item[i]!;
  return end;
}

const piecesMax = 32;
const copiedByHandMax = 128;
const comma = 0x2c;
