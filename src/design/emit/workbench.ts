import type { Design, TableDesign } from '../design.ts';
import type { Model } from '../ir.ts';
import type { PhysicalTable } from './physical-table.ts';
import { dynamoJson, sampleInstances, sampleRows, storedType } from './sample-items.ts';

/** The format has no time of its own to take, and two runs must give the same file. */
const dateWritten = 'Jan 01, 2026, 12:00 AM';

/**
 * A model of NoSQL Workbench, version 3.0: one facet for each entity, with sample rows. The format has no place for local
 * indexes, TTL and streams.
 */
export function emitWorkbench(model: Model, design: Design, tables: readonly PhysicalTable[]): string {
  const instances = sampleInstances(model, design);
  const document = {
    ModelName: model.name,
    ModelMetadata: {
      Author: 'Stator',
      DateCreated: dateWritten,
      DateLastModified: dateWritten,
      Description: descriptionOf(model, design),
      AWSService: 'Amazon DynamoDB',
      Version: '3.0',
    },
    DataModel: design.tables.map((table, at) => tableOf(model, table, tables[at]!, instances)),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function descriptionOf(model: Model, design: Design): string {
  const locals = design.tables.flatMap(({ indexes }) => indexes.filter(({ kind }) => kind === 'local'));
  const missing = locals.map(({ name }) => name).join(', ');
  return [
    model.description ?? `The model ${model.name}.`,
    ...(locals.length === 0 ? [] : [`The local indexes ${missing} have no place in this format.`]),
  ].join(' ');
}

function tableOf(
  model: Model,
  table: TableDesign,
  physical: PhysicalTable,
  instances: ReturnType<typeof sampleInstances>,
) {
  const entities = table.entities.map((name) => model.entities.find((one) => one.name === name)!);
  const types = new Map<string, string>();
  const indexes = table.indexes.filter(({ kind }) => kind === 'global');
  for (const { partitionKey, sortKey } of indexes) types.set(partitionKey, 'S').set(sortKey, 'S');
  for (const { sortKey, kind } of table.indexes) if (kind === 'local') types.set(sortKey, 'S');
  types.set('_type', 'S');
  for (const { attributes } of entities)
    for (const attribute of attributes) types.set(attribute.name, storedType(attribute));
  const rows = sampleRows(model, table, instances);
  const key = (name: string) => ({ AttributeName: name, AttributeType: 'S' });
  const scaling = (min: number, max: number) => ({
    ScalableTargetRequest: {
      MinCapacity: min,
      MaxCapacity: max,
      ServiceRole: 'AWSServiceRoleForApplicationAutoScaling_DynamoDBTable',
    },
    ScalingPolicyConfiguration: { TargetValue: 70 },
  });
  return {
    TableName: table.name,
    KeyAttributes: { PartitionKey: key(table.partitionKey), SortKey: key(table.sortKey) },
    NonKeyAttributes: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    TableFacets: entities.map((entity) => {
      const own = rows.filter((row) => row.entity === entity.name).map((row) => dynamoJson(entity, row));
      const used = new Set(own.flatMap((item) => Object.keys(item)));
      return {
        FacetName: entity.name,
        KeyAttributeAlias: {
          PartitionKeyAlias: table.partitionKey,
          SortKeyAlias: table.sortKey,
        },
        TableData: own,
        NonKeyAttributes: [...types.keys()].filter((name) => used.has(name)),
        DataAccess: { MySql: {} },
      };
    }),
    GlobalSecondaryIndexes: indexes.map(({ name, partitionKey, sortKey, projection }) => ({
      IndexName: name,
      KeyAttributes: { PartitionKey: key(partitionKey), SortKey: key(sortKey) },
      Projection: {
        ProjectionType: projection.type,
        ...(projection.type === 'INCLUDE' ? { NonKeyAttributes: projection.names } : {}),
      },
    })),
    DataAccess: { MySql: {} },
    BillingMode: physical.billing === 'on-demand' ? 'PAY_PER_REQUEST' : 'PROVISIONED',
    ProvisionedCapacitySettings: {
      ProvisionedThroughput: {
        ReadCapacityUnits: physical.capacity.readMin,
        WriteCapacityUnits: physical.capacity.writeMin,
      },
      AutoScalingRead: scaling(physical.capacity.readMin, physical.capacity.readMax),
      AutoScalingWrite: scaling(physical.capacity.writeMin, physical.capacity.writeMax),
    },
  };
}
