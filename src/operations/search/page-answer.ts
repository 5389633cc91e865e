import type { PageRead, SearchPlan } from '../../engine/reads/read-page.ts';
import { decodeItem } from '../../model/stored/stored-item.ts';
import { consumedCapacity, consumedCapacityShape } from '../consumed-capacity.ts';
import { plainItem } from '../items/item-answer.ts';
import type { RawJson } from '../operation.ts';
import type { RequestRoad } from '../request-road.ts';
import { attributeMap } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import type { ReadInput } from '../shapes/read-shapes.ts';
import { integer, list, required } from '../shapes/shape.ts';
import type { PageItems } from './page-items.ts';
import { type ReadTarget, startKeyOf } from './read-target.ts';

/** The output of Query and Scan. `Items` is absent if Select is COUNT. */
export const pageOutput = outputShape({
  Items: list(attributeMap),
  Count: required(integer()),
  ScannedCount: required(integer()),
  LastEvaluatedKey: attributeMap,
  ConsumedCapacity: consumedCapacityShape,
});
export interface PageOutput extends OutputOf<typeof pageOutput> {}

/** The plan of a page of a table or index, with the key attributes that it is read by. */
export interface TargetPlan extends SearchPlan {
  readonly target: ReadTarget;
}

/** The plan of a page with its items. Every plan has a new sink, so a second attempt starts empty. */
export interface AnswerPlan extends TargetPlan {
  readonly sink: PageItems;
}

export function pageAnswer(
  road: RequestRoad,
  input: ReadInput,
  { plan, page, consumed }: PageRead<AnswerPlan>,
): RawJson {
  road.returns(plan.sink.count, page.bytes, page.count);
  const capacity = consumedCapacity(input.ReturnConsumedCapacity, input.TableName, consumed);
  const last = page.stopped ? page.last : undefined;
  const counts = `{"Count":${plan.sink.count},"ScannedCount":${page.count}`;
  if (last === undefined && capacity === undefined) return plan.sink.answer(`${counts}}`);
  const others = JSON.stringify({
    LastEvaluatedKey: last && plainItem(startKeyOf(plan.target, decodeItem(last.value))),
    ConsumedCapacity: capacity,
  });
  return plan.sink.answer(`${counts},${others.slice(1)}`);
}
