import type { Select, Statement } from '../../expressions/partiql/resolve-statement.ts';
import { type Intent, mention } from '../../model/access/intent.ts';
import { unknownKeys } from '../../model/access/wanted-items.ts';
import { DynamoError } from '../../model/errors.ts';
import { tableIntent } from '../intents.ts';
import type { RequestRoad } from '../request-road.ts';
import { type ItemDescription, namesOf, returnValuesOf } from '../requested-items.ts';
import type { ReadTarget } from '../search/read-target.ts';
import { keyReads } from './key-reads.ts';
import { oneItem, returnedValues } from './write-plan.ts';

/** The parameters of a request around a statement that conditions of policies may test. */
interface StatementParameters {
  readonly ReturnValuesOnConditionCheckFailure?: string | undefined;
}

/**
 * The intent of a PartiQL statement. The service has four actions for statements, and none for the operations that send
 * them. EXISTS has no action of its own and reads as a SELECT does.
 */
export function statementIntent(
  road: RequestRoad,
  statement: Statement,
  parameters: StatementParameters,
  enclosing?: 'ExecuteTransaction',
): Intent {
  const { table, index } = statement.source;
  return tableIntent(road, table, {
    action: statementActions[statement.kind],
    index,
    ...(enclosing !== undefined && { enclosing }),
    items: itemsOf(statement, parameters),
  });
}

/** A statement that cannot be read names nothing. Its operation refuses it. */
export function unreadableStatement(road: RequestRoad): Intent {
  return mention(`dynamodb:${road.operation}`, '');
}

const statementActions = {
  select: 'PartiQLSelect',
  exists: 'PartiQLSelect',
  insert: 'PartiQLInsert',
  update: 'PartiQLUpdate',
  delete: 'PartiQLDelete',
} as const;

function itemsOf(statement: Statement, parameters: StatementParameters): ItemDescription {
  switch (statement.kind) {
    case 'select':
      return selectedItems(statement);
    case 'insert': {
      const { item } = statement;
      return {
        names: () => item.keys(),
        returnValues: returnValuesOf(parameters),
        keys: (_, attribute) => [item.get(attribute)],
      };
    }
    case 'exists':
      return {
        names: () => namesOf({ condition: statement.where }),
        select: 'SPECIFIC_ATTRIBUTES',
        keys: keysOfOne,
      };
    case 'update':
    case 'delete': {
      const update = statement.kind === 'update' ? statement.update : undefined;
      const ReturnValues = statement.returning && returnedValues[statement.returning];
      return {
        names: () => namesOf({ condition: statement.where, update }),
        returnValues: returnValuesOf({ ...parameters, ReturnValues }),
        keys: keysOfOne,
      };
    }
  }

  /** The key of the one item that a WHERE clause means. */
  function keysOfOne({ table }: ReadTarget, attribute: string) {
    if (statement.kind === 'insert') return unknownKeys;
    const one = oneItem(table.schema, statement.where, undefined, 'first');
    return one instanceof DynamoError ? unknownKeys : [one.key.get(attribute)];
  }
}

/** A SELECT has the partition keys of its planned reads. Without any it is a scan. */
function selectedItems({ columns, where, source }: Select): ItemDescription {
  const reads = ({ key, index }: ReadTarget) => keyReads(where, key, index !== undefined);
  return {
    *names() {
      for (const { path } of columns ?? []) yield path[0];
      yield* namesOf({ condition: where });
    },
    select:
      columns !== undefined
        ? 'SPECIFIC_ATTRIBUTES'
        : source.index === undefined
          ? 'ALL_ATTRIBUTES'
          : 'ALL_PROJECTED_ATTRIBUTES',
    keys(target, _, position) {
      const planned = reads(target);
      if (planned === 'scan') return undefined;
      return planned instanceof DynamoError
        ? unknownKeys
        : planned.map(({ condition }) => condition.hash[position]);
    },
    isFullScan: (target) => reads(target) === 'scan',
  };
}
