import { call } from '../../data/api.ts';
import { type Item, itemOf, type WireItem } from '../../data/items.ts';
import { statementMode } from './operations.ts';

/** One page of an answer. */
export interface Answer {
  readonly items: readonly Item[] | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly units: number | undefined;
  readonly scanned: number | undefined;
  readonly ms: number;
  /** What has to be added to the request for the next page. */
  readonly next: Readonly<Record<string, unknown>> | undefined;
}

/** Operations that tell what they consumed when they are asked. */
const metered = /^(GetItem|Query|Scan|PutItem|UpdateItem|DeleteItem|Batch\w+|Transact\w+|Execute\w+)$/;

export async function runRequest(
  operation: string,
  text: string,
  start: Readonly<Record<string, unknown>> | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const isStatement = operation === statementMode;
  const name = isStatement ? 'ExecuteStatement' : operation;
  const given = isStatement ? { Statement: text } : (JSON.parse(text) as Record<string, unknown>);
  const input = {
    ...(metered.test(name) && { ReturnConsumedCapacity: 'TOTAL' }),
    ...(isStatement && { Limit: 200 }),
    ...given,
    ...start,
  };
  const began = performance.now();
  const body = await call(name, input, { signal, isTraffic: true });
  return { ...readAnswer(body), body, ms: performance.now() - began };
}

function readAnswer(
  body: Readonly<Record<string, unknown>>,
): Pick<Answer, 'items' | 'units' | 'scanned' | 'next'> {
  const { LastEvaluatedKey, NextToken, LastEvaluatedTableName, ScannedCount, ConsumedCapacity } = body;
  const next =
    LastEvaluatedKey !== undefined
      ? { ExclusiveStartKey: LastEvaluatedKey }
      : LastEvaluatedTableName !== undefined
        ? { ExclusiveStartTableName: LastEvaluatedTableName }
        : NextToken !== undefined
          ? { NextToken }
          : undefined;
  const consumed = ConsumedCapacity === undefined ? [] : [ConsumedCapacity].flat();
  const units = (consumed as { CapacityUnits?: number }[]).reduce(
    (sum, one) => sum + (one.CapacityUnits ?? 0),
    0,
  );
  return {
    items: itemsIn(body)?.map(itemOf),
    units: consumed.length === 0 ? undefined : units,
    scanned: typeof ScannedCount === 'number' ? ScannedCount : undefined,
    next,
  };
}

/** The items of an answer, wherever the operation puts them. */
function itemsIn(body: Readonly<Record<string, unknown>>): WireItem[] | undefined {
  const { Items, Item, Attributes, Responses } = body as Record<string, unknown>;
  if (Array.isArray(Items)) return Items as WireItem[];
  if (Item !== undefined) return [Item as WireItem];
  if (Attributes !== undefined) return [Attributes as WireItem];
  if (Array.isArray(Responses))
    return (Responses as { Item?: WireItem }[]).flatMap((one) => (one?.Item === undefined ? [] : [one.Item]));
  if (typeof Responses === 'object' && Responses !== null)
    return Object.values(Responses).flat() as WireItem[];
  return undefined;
}
