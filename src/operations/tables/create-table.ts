import { createTable as createTableCommand } from '../../engine/control/create-table.ts';
import { newTableAnswer } from '../../engine/control/describe-table.ts';
import { throughputQuota } from '../../engine/control/rules/throughput-rules.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { tableLimits } from '../../model/limits.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { controlTable } from '../control-table.ts';
import { tableIntent } from '../intents.ts';
import { operation } from '../operation.ts';
import { lengthAtLeast } from '../shapes/constraints.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { boolean, list, required, string, structure } from '../shapes/shape.ts';
import {
  attributeDefinitions,
  billingMode,
  controlTableName,
  globalIndexMembers,
  keySchema,
  localSecondaryIndex,
  onDemandThroughput,
  provisionedThroughput,
  settingsReplicationMode,
  sseSpecification,
  streamSpecification,
  tableClass,
  tags,
  vectorIndexMembers,
  warmThroughput,
} from '../shapes/table-shapes.ts';
import type { TableReference } from '../table-reference.ts';
import { refuseNotYet } from './not-yet.ts';
import { createTableError } from './rules/create-table-request.ts';
import { tableDescription } from './table-answer.ts';
import { newTableOf } from './table-requests.ts';

/** GSIs are reported before LSIs, the rest in the service's order (observed: dynalite's tests). */
export const createTableShape = inputShape('CreateTable', {
  AttributeDefinitions: attributeDefinitions,
  TableName: controlTableName,
  BillingMode: billingMode,
  ProvisionedThroughput: provisionedThroughput,
  KeySchema: keySchema,
  GlobalSecondaryIndexes: list(structure('GlobalSecondaryIndex', globalIndexMembers)),
  LocalSecondaryIndexes: list(localSecondaryIndex),
  VectorIndexes: list(structure('VectorIndex', vectorIndexMembers)),
  StreamSpecification: streamSpecification,
  SSESpecification: sseSpecification,
  Tags: tags,
  TableClass: tableClass,
  DeletionProtectionEnabled: boolean,
  WarmThroughput: warmThroughput,
  ResourcePolicy: string(),
  OnDemandThroughput: onDemandThroughput,
  GlobalTableSourceArn: string({ min: 1, max: 1024 }),
  GlobalTableSettingsReplicationMode: settingsReplicationMode,
});
export interface CreateTableInput extends InputOf<typeof createTableShape> {}

const createTableOutput = outputShape({ TableDescription: required(tableDescription) });
export interface CreateTableOutput extends OutputOf<typeof createTableOutput> {}

export const createTable = operation<CreateTableInput, CreateTableOutput>(
  createTableShape,
  createTableOutput,
  ({ TableName, Tags }, road) => [
    tableIntent(road, TableName),
    ...(Tags === undefined ? [] : [tableIntent(road, TableName, { action: 'TagResource' })]),
  ],
  (road, input) => {
    const { engine, caller } = road;
    const wrong =
      refuseNotYet(
        input,
        'VectorIndexes',
        'ResourcePolicy',
        'GlobalTableSourceArn',
        'GlobalTableSettingsReplicationMode',
      ) ?? createTableError(input, throughputQuota(caller.region, engine.quotas));
    if (wrong !== undefined) return wrong;
    const reference = controlTable(road, input.TableName, shortName);
    if (reference instanceof DynamoError) return reference;
    const { scope, tableName } = reference;
    const created = createTableCommand(engine, scope, newTableOf(input, tableName));
    return whenDone(created, (result) =>
      result instanceof DynamoError
        ? result
        : { TableDescription: createdAnswer(input, newTableAnswer(engine, scope, result)) },
    );
  },
);

interface Warmable {
  readonly WarmThroughput?: object;
}

/**
 * The answer of CreateTable has no time of the switch to on-demand, and warm throughput only where the request asks for
 * some (observed: moto's AWS tests; observed: LocalStack's snapshots), as UPDATING (observed: Alternator's tests,
 * 2026). DescribeTable has both.
 */
function createdAnswer(input: CreateTableInput, described: object): object {
  const {
    BillingModeSummary: billing,
    GlobalSecondaryIndexes: indexes,
    ...rest
  } = described as Warmable & {
    readonly BillingModeSummary?: { readonly BillingMode: string };
    readonly GlobalSecondaryIndexes?: readonly (Warmable & { readonly IndexName: string })[];
  };
  const asked = new Map(input.GlobalSecondaryIndexes?.map((index) => [index.IndexName, index]));
  return {
    ...withWarmth(input, rest),
    ...(billing && { BillingModeSummary: { BillingMode: billing.BillingMode } }),
    ...(indexes && {
      GlobalSecondaryIndexes: indexes.map((index) => withWarmth(asked.get(index.IndexName) ?? {}, index)),
    }),
  };
}

function withWarmth(asked: Warmable, { WarmThroughput: warm, ...rest }: Warmable): object {
  return asked.WarmThroughput === undefined
    ? rest
    : { ...rest, WarmThroughput: { ...warm, Status: 'UPDATING' } };
}

/** The shape sees to names; one inside an ARN comes to light only here. It has the same text (guess). */
function shortName({ tableName }: TableReference): DynamoError | undefined {
  if (tableName.length >= tableLimits.tableNameLengthMin) return undefined;
  const min = lengthAtLeast(tableLimits.tableNameLengthMin);
  return validationError(
    `1 validation error detected: Value '${tableName}' at 'tableName' failed to satisfy constraint: ${min}`,
  );
}
