import { changedTableAnswer } from '../../engine/control/describe-table.ts';
import { hasUpdatePhase } from '../../engine/control/phases.ts';
import type { TableChange } from '../../engine/control/requests.ts';
import { indexChangeIn, updateTable as updateTableCommand } from '../../engine/control/update-table.ts';
import { indexBehaviours } from '../../engine/indexes/index-behaviour.ts';
import type { TableDescription } from '../../engine/tables/table-parts.ts';
import type { TableRecord } from '../../engine/tables/table-record.ts';
import { DynamoError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { name } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { boolean, list, long, oneOf, required, string, structure } from '../shapes/shape.ts';
import type { InputValue } from '../shapes/shape-types.ts';
import {
  attributeDefinitions,
  billingMode,
  controlTableName,
  globalIndexMembers,
  onDemandThroughput,
  provisionedThroughput,
  settingsReplicationMode,
  sseSpecification,
  streamSpecification,
  tableClass,
  vectorIndexMembers,
  warmThroughput,
} from '../shapes/table-shapes.ts';
import { refuseNotYet } from './not-yet.ts';
import { answeredTable } from './rules/answered-table.ts';
import { updateTableRequestError } from './rules/update-table-request.ts';
import { tableDescription } from './table-answer.ts';
import { tableChangeOf } from './table-requests.ts';

const indexName = { IndexName: required(name) };
const regionName = { RegionName: required(string()) };

const overrides = {
  ProvisionedThroughputOverride: structure('ProvisionedThroughputOverride', {
    ReadCapacityUnits: long({ min: 1 }),
  }),
  OnDemandThroughputOverride: structure('OnDemandThroughputOverride', { MaxReadRequestUnits: long() }),
};

const replicaMembers = {
  ...regionName,
  KMSMasterKeyId: string(),
  ...overrides,
  GlobalSecondaryIndexes: list(structure('ReplicaGlobalSecondaryIndex', { ...indexName, ...overrides }), {
    min: 1,
  }),
  TableClassOverride: tableClass,
};

const globalIndexUpdate = structure('GlobalSecondaryIndexUpdate', {
  Update: structure('UpdateGlobalSecondaryIndexAction', {
    ...indexName,
    ProvisionedThroughput: provisionedThroughput,
    OnDemandThroughput: onDemandThroughput,
    WarmThroughput: warmThroughput,
  }),
  Create: structure('CreateGlobalSecondaryIndexAction', globalIndexMembers),
  Delete: structure('DeleteGlobalSecondaryIndexAction', indexName),
});
export interface GlobalIndexUpdate extends InputValue<typeof globalIndexUpdate> {}

export const updateTableShape = inputShape('UpdateTable', {
  AttributeDefinitions: attributeDefinitions,
  TableName: controlTableName,
  BillingMode: billingMode,
  ProvisionedThroughput: provisionedThroughput,
  GlobalSecondaryIndexUpdates: list(globalIndexUpdate),
  VectorIndexUpdates: list(
    structure('VectorIndexUpdate', {
      Create: structure('CreateVectorIndexAction', vectorIndexMembers),
      Delete: structure('DeleteVectorIndexAction', indexName),
    }),
  ),
  StreamSpecification: streamSpecification,
  SSESpecification: sseSpecification,
  ReplicaUpdates: list(
    structure('ReplicationGroupUpdate', {
      Create: structure('CreateReplicationGroupMemberAction', replicaMembers),
      Update: structure('UpdateReplicationGroupMemberAction', replicaMembers),
      Delete: structure('DeleteReplicationGroupMemberAction', regionName),
      Disassociate: structure('DisassociateReplicationGroupMemberAction', {
        ...regionName,
        DisassociationMode: required(oneOf('WAIT_FOR_REPLICATION')),
      }),
    }),
    { min: 1 },
  ),
  TableClass: tableClass,
  DeletionProtectionEnabled: boolean,
  MultiRegionConsistency: oneOf('EVENTUAL', 'STRONG'),
  GlobalTableWitnessUpdates: list(
    structure('GlobalTableWitnessGroupUpdate', {
      Create: structure('CreateGlobalTableWitnessGroupMemberAction', regionName),
      Delete: structure('DeleteGlobalTableWitnessGroupMemberAction', regionName),
    }),
    { min: 1, max: 1 },
  ),
  OnDemandThroughput: onDemandThroughput,
  WarmThroughput: warmThroughput,
  GlobalTableSettingsReplicationMode: settingsReplicationMode,
  DisassociationProtectionEnabled: boolean,
});
export interface UpdateTableInput extends InputOf<typeof updateTableShape> {}

const updateTableOutput = outputShape({ TableDescription: required(tableDescription) });
export interface UpdateTableOutput extends OutputOf<typeof updateTableOutput> {}

export const updateTable = operation<UpdateTableInput, UpdateTableOutput>(
  updateTableShape,
  updateTableOutput,
  onTable,
  async (road, input) => {
    const { engine } = road;
    const wrong =
      updateTableRequestError(input) ??
      refuseNotYet(
        input,
        'ReplicaUpdates',
        'MultiRegionConsistency',
        'GlobalTableWitnessUpdates',
        'GlobalTableSettingsReplicationMode',
        'DisassociationProtectionEnabled',
        'VectorIndexUpdates',
      );
    if (wrong !== undefined) return wrong;
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const change = tableChangeOf(input);
    const updated = await updateTableCommand(engine, reference, change);
    if (updated instanceof DynamoError) return updated;
    const { record, before, nowMs } = updated;
    const answered: TableRecord = {
      ...record,
      description: answeredTable(change, before, record.description),
      ...answeredPhase(change, before, nowMs),
    };
    const status = hasUpdatePhase(change) ? 'UPDATING' : 'ACTIVE';
    return { TableDescription: await changedTableAnswer(engine, reference.scope, answered, status, nowMs) };
  },
);

/** UpdateTable itself always tells of the beginning, also when the end is there by the time it answers. */
function answeredPhase(
  change: TableChange,
  before: TableDescription,
  now: number,
): Pick<TableRecord, 'indexPhase'> {
  const { created, deleted } = indexChangeIn(change);
  const later = now + 1;
  if (created !== undefined)
    return {
      indexPhase: { kind: 'creating', indexName: created.indexName, filled: false, backfillsAt: later },
    };
  if (deleted === undefined) return {};
  const index = indexBehaviours.global.in(before).find(({ indexName }) => indexName === deleted)!;
  return { indexPhase: { kind: 'deleting', index, until: later } };
}
