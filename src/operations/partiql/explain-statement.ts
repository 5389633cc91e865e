import type { Engine } from '../../engine/engine.ts';
import { looking } from '../../engine/road.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import { onTables } from '../../engine/tables/table-requests.ts';
import type { KeyCondition, QueriedKey } from '../../expressions/key-condition.ts';
import { parseStatement } from '../../expressions/partiql/parse-statement.ts';
import {
  printCondition,
  printPath,
  printUpdate,
  printValue,
  type ShowValue,
} from '../../expressions/partiql/print-condition.ts';
import {
  resolveStatement,
  type Select,
  type Statement,
} from '../../expressions/partiql/resolve-statement.ts';
import { type Intent, type IntentScope, mention, TableIntent } from '../../model/access/intent.ts';
import { DynamoError } from '../../model/errors.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { allIndexes, keyAttributes, keyItemOf } from '../../model/tables/table-schema.ts';
import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';
import { wellFormed } from '../../model/values/utf8.ts';
import { readUnits, transactionFactor, writeUnits } from '../../physics/units.ts';
import { nowMs } from '../../runtime/clock.ts';
import { scopeOf } from '../intents.ts';
import type { Answer, NamedHandler } from '../operation.ts';
import { RequestRoad } from '../request-road.ts';
import { inputShape } from '../shapes/input-shape.ts';
import { tableReference } from '../table-reference.ts';
import { assumedParameters } from './assumed-parameters.ts';
import { planSelect, type SelectPlan } from './select-plan.ts';
import { readParameters, type StatementInput, statementMembers } from './statement-request.ts';
import { isItemCheck, oneItem, planCheck, planWrite } from './write-plan.ts';

/** What a statement comes down to, and what it will cost. */
export interface Explanation {
  readonly operation:
    | 'GetItem'
    | 'Query'
    | 'Scan'
    | 'PutItem'
    | 'UpdateItem'
    | 'DeleteItem'
    | 'ConditionCheck';
  readonly table: string;
  readonly index?: string;
  /** How many requests of that kind; more than one for IN and OR on keys. */
  readonly requests: number;
  /** What is looked up by the key, one text for each request. */
  readonly keyConditions: readonly string[];
  /** What is looked at in items that are read already, and paid for. */
  readonly filter?: string;
  /** What the item of a write has to meet. */
  readonly condition?: string;
  readonly update?: string;
  readonly order?: 'ascending' | 'descending';
  readonly estimate: Estimate;
  readonly warnings: readonly string[];
}

/** In capacity units, for eventually consistent reads; strongly consistent ones cost twice as much. */
export interface Estimate {
  readonly kind: 'read' | 'write';
  readonly least: number;
  readonly most: number;
  /** What is known of the table or index, which the figures were made from. */
  readonly items: number;
  readonly bytes: number;
}

const explainShape = inputShape('ExecuteStatement', statementMembers);

/** Explains what ExecuteStatement would do, or is refused as that would be. Parameters may be left out. */
export const explainStatement: NamedHandler = {
  name: 'ExecuteStatement',
  handle(engine, body, caller): MaybePromise<Answer> {
    const input = explainShape.check(body);
    if (input instanceof DynamoError) return input;
    const road = new RequestRoad('ExecuteStatement', engine, caller, body);
    const { authorize } = caller;
    if (authorize === undefined) return explained(road, input);
    const refusal = road.authorize(() => explainIntents(input.Statement, scopeOf(caller)), authorize);
    return whenDone(refusal, (error): MaybePromise<Answer> => error ?? explained(road, input));
  },
};

/** Explaining a statement wants the table that the statement names, or nothing if it cannot be read. */
export function explainIntents(statement: string, scope: IntentScope): readonly Intent[] {
  const parsed = parseStatement(wellFormed(statement));
  if (parsed instanceof DynamoError) return [mention('stator:Explain', '')];
  const { table, index } = parsed.kind === 'exists' ? parsed.select.source : parsed.source;
  return [new TableIntent('stator:Explain', table, scope, { index })];
}

function explained(road: RequestRoad, input: StatementInput): MaybePromise<Explanation | DynamoError> {
  const { engine, caller } = road;
  const parsed = engine.parsedExpressions.statement(wellFormed(input.Statement));
  if (parsed instanceof DynamoError) return parsed;
  const { source } = parsed.kind === 'exists' ? parsed.select : parsed;
  const reference = tableReference(source.table, caller);
  if (reference instanceof DynamoError) return reference;
  return onTables<ShownPlan, Explanation>(engine, looking(road), {
    names: [reference],
    plan([table]) {
      const parameters =
        input.Parameters === undefined
          ? assumedParameters(parsed, keyTypesOf(table!))
          : readParameters(input);
      if (parameters instanceof DynamoError) return parameters;
      const statement = resolveStatement(parsed, parameters);
      if (statement instanceof DynamoError) return statement;
      const plan = plannedOf(engine, table!, statement);
      if (plan instanceof DynamoError) return plan;
      const show = input.Parameters === undefined ? marks(parameters) : () => undefined;
      return { table: table!, plan, show };
    },
    touches: () => [],
    run({ table, plan, show }) {
      const { count, bytes } = plan.index === undefined ? table.counters : plan.index.counters;
      return whenDone(engine.store.counters([count, bytes]), ([items = 0, size = 0]) =>
        plan.explain({ items: Math.max(0, items), bytes: Math.max(0, size) }, show),
      );
    },
  });
}

interface ShownPlan {
  readonly table: Table;
  readonly plan: Explainable;
  readonly show: ShowValue;
}

/** Parameters that were not given are shown as `?1`, `?2`, … */
function marks(parameters: readonly AttributeValue[]): ShowValue {
  const byValue = new Map(parameters.map((value, i) => [value, `?${i + 1}`]));
  return (value) => byValue.get(value);
}

function keyTypesOf({ schema }: Table): ReadonlyMap<string, 'S' | 'N' | 'B'> {
  const attributes = [
    ...keyAttributes(schema),
    ...allIndexes(schema).flatMap(({ hash, range }) => [...hash, ...range]),
  ];
  return new Map(attributes.map(({ name, type }) => [name, type]));
}

interface Size {
  readonly items: number;
  readonly bytes: number;
}

interface Explainable {
  readonly index: Table['indexes'][number] | undefined;
  explain(size: Size, show: ShowValue): Explanation;
}

function plannedOf(engine: Engine, table: Table, statement: Statement): Explainable | DynamoError {
  const now = nowMs(engine.clock);
  if (statement.kind === 'select') {
    const plan = planSelect(table, statement, undefined, now);
    if (plan instanceof DynamoError) return plan;
    const partitions = engine.capacity.mapOf(table, plan.target.index?.schema.name)?.count ?? 1;
    return {
      index: plan.target.index,
      explain: (size, show) => explainSelect(statement, plan, size, show, partitions),
    };
  }
  if (statement.kind === 'exists') {
    const check = planCheck(table, statement, false, undefined);
    if (check instanceof DynamoError) return check;
    const warnings = isItemCheck(table, statement)
      ? []
      : ['EXISTS needs the whole key by equality and a condition besides.'];
    return {
      index: undefined,
      explain: (size, show) => ({ ...explainWrite(table, statement, check.key, size, show), warnings }),
    };
  }
  const write = planWrite(table, statement, false);
  if (write instanceof DynamoError) return write;
  return { index: undefined, explain: (size, show) => explainWrite(table, statement, write.key, size, show) };
}

function explainSelect(
  { where }: Select,
  plan: SelectPlan,
  size: Size,
  show: ShowValue,
  partitions: number,
): Explanation {
  const { target } = plan;
  const place = {
    table: target.table.name,
    ...(target.index && { index: target.index.schema.name }),
  };
  if (plan.kind === 'scan') {
    const least = Math.max(readUnits(size.bytes, 'eventual'), 0.5 * partitions);
    return {
      ...{ operation: 'Scan', ...place, requests: 1, keyConditions: [] },
      ...(where && { filter: printCondition(where, show) }),
      estimate: { kind: 'read', least, most: least, ...size },
      warnings: [scanWarning(plan), ...fetchWarning(plan)],
    };
  }
  const average = size.items === 0 ? 0 : size.bytes / size.items;
  if (plan.kind === 'get') {
    const units = readUnits(average, 'eventual');
    return {
      ...{
        operation: 'GetItem',
        ...place,
        requests: 1,
        keyConditions: [printKey(plan.key, target.table, show)],
      },
      estimate: { kind: 'read', least: units, most: units, ...size },
      warnings: [],
    };
  }
  const { reads } = plan;
  const filters = [...new Set(reads.flatMap(({ filter }) => (filter ? [printCondition(filter, show)] : [])))];
  const least = reads.length * readUnits(0, 'eventual');
  return {
    ...{ operation: 'Query', ...place, requests: reads.length },
    keyConditions: reads.map(({ condition }) => printKeyCondition(condition, target.key, show)),
    ...(filters.length > 0 && { filter: filters.join(' OR ') }),
    order: plan.reverse ? 'descending' : 'ascending',
    // The partitions that are read may hold nothing, or all there is.
    estimate: { kind: 'read', least, most: Math.max(least, readUnits(size.bytes, 'eventual')), ...size },
    warnings: [...filterWarning(filters), ...fetchWarning(plan)],
  };
}

function printKey(key: Item, { schema }: Table, show: ShowValue): string {
  const parts = [...keyItemOf(schema, key)].map(
    ([name, value]) => `${printPath([name])} = ${printValue(value, show)}`,
  );
  return parts.join(' AND ');
}

function scanWarning({ target }: SelectPlan): string {
  const names = target.key.hash.map(({ name }) => printPath([name])).join(' and ');
  const what = target.index === undefined ? 'table' : 'index';
  return `This reads the whole ${what}: the WHERE clause does not say with = or IN which ${names} is meant.`;
}

function filterWarning(filters: readonly string[]): readonly string[] {
  return filters.length === 0 ? [] : ['Items that the filter leaves out are read and paid for all the same.'];
}

function fetchWarning({ fetches }: SelectPlan): readonly string[] {
  return fetches
    ? [
        'The index lacks some of the attributes: each item is fetched from the table, for a read unit or more.',
      ]
    : [];
}

function printKeyCondition({ hash, equal, range }: KeyCondition, key: QueriedKey, show: ShowValue): string {
  const shown = hash.map((value, i) => `${printPath([key.hash[i]!.name])} = ${printValue(value, show)}`);
  equal.forEach((value, i) => {
    shown.push(`${printPath([key.range[i]!.name])} = ${printValue(value, show)}`);
  });
  if (range !== undefined) {
    const path = printPath([key.range[equal.length]!.name]);
    if (range.operator === 'BETWEEN') {
      shown.push(`${path} BETWEEN ${printValue(range.low, show)} AND ${printValue(range.high, show)}`);
    } else if (range.operator === 'begins_with') {
      shown.push(`begins_with(${path}, ${printValue(range.value, show)})`);
    } else shown.push(`${path} ${range.operator} ${printValue(range.value, show)}`);
  }
  return shown.join(' AND ');
}

const operations = {
  insert: 'PutItem',
  update: 'UpdateItem',
  delete: 'DeleteItem',
  exists: 'ConditionCheck',
} as const;

/** Each index that a write touches costs as much again, and twice that where its key changes. */
function explainWrite(
  table: Table,
  statement: Exclude<Statement, Select>,
  key: Item,
  size: Size,
  show: ShowValue,
): Explanation {
  const average = size.items === 0 ? 0 : size.bytes / size.items;
  // A check has its place in transactions only, which cost twice as much.
  const units = writeUnits(average) * (statement.kind === 'exists' ? transactionFactor : 1);
  const indexes = statement.kind === 'exists' ? 0 : table.indexes.length;
  const one =
    statement.kind === 'insert' ? undefined : oneItem(table.schema, statement.where, undefined, 'first');
  const condition = one === undefined || one instanceof DynamoError ? undefined : one.condition;
  return {
    ...{ operation: operations[statement.kind], table: table.name, requests: 1 },
    keyConditions: [printKey(key, table, show)],
    ...(condition && { condition: printCondition(condition, show) }),
    ...(statement.kind === 'update' && { update: printUpdate(statement.update, show) }),
    estimate: { kind: 'write', least: units, most: units * (1 + 2 * indexes), ...size },
    warnings: [],
  };
}
