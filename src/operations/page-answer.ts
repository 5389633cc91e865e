import type { PageRead, QueryPlan } from '../engine/read-page.ts';
import { decodeItem } from '../model/stored-item.ts';
import { plainItem } from './item-answer.ts';
import type { RawJson } from './operation.ts';
import type { PageItems } from './page-items.ts';
import { type ReadTarget, startKeyOf } from './read-target.ts';

/** What is planned for a page, and of what. */
export interface SearchPlan extends QueryPlan {
  readonly target: ReadTarget;
}

/** The plan of a page that will be answered: its items are taken as they are read, anew for every plan. */
export interface AnswerPlan extends SearchPlan {
  readonly taker: PageItems;
}

/** The answer of a Query or Scan. */
export function pageAnswer({ plan, page }: PageRead<AnswerPlan>, capacity: object | undefined): RawJson {
  const last = page.stopped ? page.last : undefined;
  const counts = `{"Count":${plan.taker.count},"ScannedCount":${page.count}`;
  if (last === undefined && capacity === undefined) return plan.taker.answer(`${counts}}`);
  const others = JSON.stringify({
    LastEvaluatedKey: last && plainItem(startKeyOf(plan.target, decodeItem(last.value))),
    ConsumedCapacity: capacity,
  });
  return plan.taker.answer(`${counts},${others.slice(1)}`);
}
