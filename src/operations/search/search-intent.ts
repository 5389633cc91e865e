import type { Intent } from '../../model/access/intent.ts';
import type { Selected } from '../../model/access/wanted-items.ts';
import { tableIntent } from '../intents.ts';
import type { RequestRoad } from '../request-road.ts';
import { namesOf, type RequestedKeys } from '../requested-items.ts';
import type { ReadInput } from '../shapes/read-shapes.ts';
import type { SearchRequest } from './read-request.ts';

/**
 * The intent of a Query or Scan: the table, or the index alone that it reads. A Query has the value of the partition key
 * that it asks for, of the index if it reads one. A Scan has none, which is why the guide's policies leave Scan out.
 */
export function searchIntent(
  road: RequestRoad,
  input: ReadInput & { readonly TableName: string },
  { keyClauses, filter, projection }: SearchRequest,
): Intent {
  const { IndexName: index, ReturnConsumedCapacity: returnConsumedCapacity } = input;
  return tableIntent(road, input.TableName, {
    index,
    items: {
      *names() {
        for (const { name } of keyClauses ?? []) yield name;
        yield* namesOf({ condition: filter, projection });
      },
      select: selectOf(input),
      returnConsumedCapacity,
      ...(keyClauses && {
        keys: (_, attribute): RequestedKeys => {
          const equal = keyClauses.filter(({ name, operator }) => name === attribute && operator === '=');
          return equal.length === 0 ? [undefined] : equal.flatMap(({ values }) => values);
        },
      }),
    },
  });
}

function selectOf({ Select, IndexName, ProjectionExpression, AttributesToGet }: ReadInput): Selected {
  if (Select !== undefined) return Select;
  if ((ProjectionExpression ?? AttributesToGet) !== undefined) return 'SPECIFIC_ATTRIBUTES';
  return IndexName === undefined ? 'ALL_ATTRIBUTES' : 'ALL_PROJECTED_ATTRIBUTES';
}
