import { render } from './expression-trees.ts';
import { type Input, withoutUndefined } from './sdk-values.ts';
import type { DeleteStep, GetStep, PutStep, UpdateStep } from './steps.ts';
import { attributes } from './values.ts';

/** The request of a step that reads or writes one item, by itself or as an action of a transaction. */
export function itemRequestOf(step: PutStep | GetStep | UpdateStep | DeleteStep, tableName: string): Input {
  const { ExpressionAttributeValues: values, ...expressions } = render(
    {
      condition: 'condition' in step ? step.condition : undefined,
      update: 'update' in step ? step.update : undefined,
      projection: 'projection' in step ? step.projection : undefined,
    },
    step.spelling,
  );
  return withoutUndefined({
    TableName: tableName,
    ...(step.kind === 'put' ? { Item: step.item } : { Key: step.key }),
    ...expressions,
    ExpressionAttributeValues: values && attributes(Object.entries(values)),
    ConsistentRead: step.kind === 'get' ? step.consistent : undefined,
    ReturnValues: step.kind === 'get' ? undefined : step.returnValues,
    ReturnValuesOnConditionCheckFailure: step.kind === 'get' ? undefined : step.onFailure,
    ReturnConsumedCapacity: step.capacity,
  });
}
