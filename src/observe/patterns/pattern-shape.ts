import type { RequestEvent } from '../../engine/events.ts';
import {
  actionsTemplate,
  expressionTemplate,
  legacyTemplate,
  statementTemplate,
} from './request-template.ts';

/** What unnamed requests are grouped by. */
export interface PatternShape {
  readonly operation: string;
  readonly table: string;
  readonly index: string | undefined;
  readonly keyCondition: string | undefined;
  readonly filter: string | undefined;
  /** The statement of PartiQL, or the actions of a transaction. */
  readonly statement: string | undefined;
}

type Parameters = Readonly<Record<string, unknown>>;

/** The operations on items. Others are no access patterns. */
export const itemOperations: ReadonlySet<string> = new Set([
  ...['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan', 'BatchGetItem', 'BatchWriteItem'],
  ...['TransactGetItems', 'TransactWriteItems', 'ExecuteStatement', 'BatchExecuteStatement'],
  'ExecuteTransaction',
]);

/** Operations whose shape is their name and their table. */
export const shapedByTable: ReadonlySet<string> = new Set(['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem']);

/**
 * The texts of a request that its shape depends on, joined: equal for two requests only if their shapes are equal. It is
 * made for every request, so that it looks at little.
 */
export function shapeKey(event: RequestEvent, table: string): string {
  const { operation } = event;
  const input = parametersOf(event);
  switch (operation) {
    case 'Query':
    case 'Scan':
      return `${operation}\n${table}\n${text(input.IndexName)}\n${text(input.KeyConditionExpression)}\n${text(input.FilterExpression)}${namesKey(input)}${legacyKey(input)}`;
    case 'ExecuteStatement':
      return `${operation}\n${table}\n${text(input.Statement)}`;
    case 'TransactWriteItems':
    case 'TransactGetItems':
      return `${operation}${actionsKey(input.TransactItems)}`;
    case 'BatchGetItem':
    case 'BatchWriteItem':
      return `${operation}${tablesKey(event)}`;
    case 'ExecuteTransaction':
    case 'BatchExecuteStatement':
      return `${operation}\n${shapeOf(event, table).statement}`;
    default:
      return `${operation}\n${table}`;
  }
}

export function shapeOf(event: RequestEvent, table: string): PatternShape {
  const { operation } = event;
  const input = parametersOf(event);
  const names = input.ExpressionAttributeNames;
  const template = (expression: unknown) =>
    typeof expression === 'string' ? expressionTemplate(expression, names) : undefined;
  return {
    operation,
    table,
    index: typeof input.IndexName === 'string' ? input.IndexName : undefined,
    keyCondition: template(input.KeyConditionExpression) ?? legacyTemplate(input.KeyConditions),
    filter: template(input.FilterExpression) ?? legacyTemplate(input.QueryFilter ?? input.ScanFilter),
    statement: statementOf(event, input),
  };
}

/** The first table of a request. One that was refused before it was planned names it in its parameters. */
export function tableOf(event: RequestEvent): string {
  const [touch] = event.touches;
  if (touch !== undefined) return touch.tableName;
  const { TableName: name } = parametersOf(event);
  if (typeof name !== 'string') return '';
  return name.slice(name.lastIndexOf('/') + 1).slice(0, 255);
}

/** The name of a shape for people. */
export function shapeName({
  operation,
  table,
  index,
  keyCondition,
  filter,
  statement,
}: PatternShape): string {
  const place = index === undefined ? table : `${table}/${index}`;
  const parts = [
    statement === undefined || statement === ''
      ? `${operation} ${place}`.trim()
      : `${operation} ${statement}`,
    ...(keyCondition === undefined ? [] : [`where ${keyCondition}`]),
    ...(filter === undefined ? [] : [`filter ${filter}`]),
  ];
  const name = parts.join(' ');
  return name.length > 250 ? `${name.slice(0, 249)}…` : name;
}

/** The condition of a single write as a template. */
export function conditionOf(event: RequestEvent, action: number): string {
  const input = conditionedInput(event, action);
  const { ConditionExpression: condition, Expected: expected } = input;
  if (typeof condition === 'string') return expressionTemplate(condition, input.ExpressionAttributeNames);
  if (typeof input.Statement === 'string') return statementTemplate(input.Statement);
  return legacyTemplate(expected) ?? 'unknown';
}

function conditionedInput(event: RequestEvent, action: number): Parameters {
  const input = parametersOf(event);
  const actions = input.TransactItems ?? input.TransactStatements;
  if (!Array.isArray(actions)) return input;
  const one = actions[action] as Parameters | undefined;
  const inner = one?.ConditionCheck ?? one?.Put ?? one?.Update ?? one?.Delete ?? one;
  return typeof inner === 'object' && inner !== null ? (inner as Parameters) : {};
}

function statementOf({ operation, touches }: RequestEvent, input: Parameters): string | undefined {
  if (operation === 'ExecuteStatement' && typeof input.Statement === 'string')
    return statementTemplate(input.Statement);
  const statements = input.TransactStatements ?? input.Statements;
  if (Array.isArray(statements))
    return [...new Set(statements.map((one: Parameters | null) => statementTemplate(text(one?.Statement))))]
      .sort()
      .join('; ')
      .slice(0, 400);
  if (Array.isArray(input.TransactItems))
    return actionsTemplate(
      input.TransactItems.flatMap((one: unknown) =>
        Object.entries((one ?? {}) as Parameters).map(([kind, inner]) => ({
          kind,
          table: text((inner as Parameters | null)?.TableName),
        })),
      ),
    );
  if (operation !== 'BatchGetItem' && operation !== 'BatchWriteItem') return undefined;
  return [...new Set(touches.map(({ tableName }) => tableName))].sort().join(', ').slice(0, 400);
}

export function parametersOf({ input }: RequestEvent): Parameters {
  return typeof input === 'object' && input !== null ? (input as Parameters) : {};
}

function namesKey({ ExpressionAttributeNames: names }: Parameters): string {
  if (typeof names !== 'object' || names === null) return '';
  let key = '';
  for (const name in names) key += `\n${name}=${text((names as Parameters)[name])}`;
  return key;
}

function legacyKey({ KeyConditions: keys, QueryFilter: query, ScanFilter: scan }: Parameters): string {
  if (keys === undefined && query === undefined && scan === undefined) return '';
  return `\n${legacyTemplate(keys)}\n${legacyTemplate(query ?? scan)}`;
}

/** What a transaction does to which tables, in its order. Actions that are like the one before them are left out. */
function actionsKey(actions: unknown): string {
  if (!Array.isArray(actions)) return '';
  let key = '';
  let beforeKind = '';
  let beforeTable = '';
  for (const action of actions as readonly (Parameters | null)[]) {
    for (const kind in action) {
      const table = text((action[kind] as Parameters | null)?.TableName);
      if (kind === beforeKind && table === beforeTable) continue;
      key += `\n${kind} ${table}`;
      beforeKind = kind;
      beforeTable = table;
    }
  }
  return key;
}

function tablesKey({ touches }: RequestEvent): string {
  let key = '';
  let before = '';
  for (let i = 0; i < touches.length; i++) {
    const { tableName } = touches[i]!;
    if (tableName === before) continue;
    key += `\n${tableName}`;
    before = tableName;
  }
  return key;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
