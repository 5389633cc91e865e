import type { PageRead, QueryPlan } from '../engine/read-page.ts';
import { meetsCondition } from '../expressions/evaluate-condition.ts';
import { pathsOf } from '../expressions/key-paths.ts';
import { projectItem } from '../expressions/project.ts';
import { decodeAttributes, decodeItem, itemJson } from '../model/stored-item.ts';
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
  const chunks: (string | Uint8Array)[] = [];
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
      if (chunks.length > 0) chunks.push(',');
      chunks.push(
        projection === undefined ? itemJson(value) : jsonOf(projectItem(projection, decodeItem(value))),
      );
    }
  }
  const last = page.stopped ? page.entries[page.entries.length - 1] : undefined;
  const rest = JSON.stringify({
    Count: count,
    ScannedCount: page.entries.length,
    LastEvaluatedKey: last && plainItem(startKeyOf(plan.target, decodeItem(last.value))),
    ConsumedCapacity: capacity,
  });
  return new RawJson(isCount ? [rest] : ['{"Items":[', ...chunks, `],${rest.slice(1)}`]);
}
