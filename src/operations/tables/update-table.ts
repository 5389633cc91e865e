import type { TableEffects } from '../../engine/capacity/mode-settings.ts';
import { withWarmPartitions } from '../../engine/capacity/warm-throughput.ts';
import { beginStream, endStream, noLogEnds, type StreamChange } from '../../engine/change-log/stream-life.ts';
import { nowMs } from '../../engine/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import { addIndex, removeIndex } from '../../engine/indexes/index-life.ts';
import { randomUuid } from '../../engine/randomness.ts';
import type { Scope } from '../../engine/store-keys.ts';
import type { RecordChange } from '../../engine/tables/catalogue.ts';
import type { TableRecord } from '../../engine/tables/table-record.ts';
import { DynamoError, tableNotFound } from '../../model/errors.ts';
import type { TableDescription } from '../../model/tables/table-description.ts';
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
import { creatingIndex, deletingIndex, updateBusyError } from './index-phases.ts';
import { refuseNotYet } from './not-yet.ts';
import { answeredTable } from './rules/answered-table.ts';
import { protectionIntervalError, withoutChanges } from './rules/short-intervals.ts';
import { updateTableError } from './rules/update-table-change.ts';
import { updateTableRequestError } from './rules/update-table-request.ts';
import { updatedTable } from './rules/updated-table.ts';
import { nextStreamLabel, withStreamLabel } from './stream-label.ts';
import { readCounts, tableAnswer, tableDescription } from './table-answer.ts';
import { hasUpdatePhase, updatePhases, warmingIn } from './table-phases.ts';
import { throughputQuota } from './throughput-quota.ts';

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

export const updateTableOutput = outputShape({ TableDescription: required(tableDescription) });
export interface UpdateTableOutput extends OutputOf<typeof updateTableOutput> {}

export const updateTable = operation<UpdateTableInput, UpdateTableOutput>(
  updateTableShape,
  updateTableOutput,
  onTable,
  async (road, input) => {
    const { engine, caller } = road;
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
    const { scope, tableName } = reference;
    const now = nowMs(engine.clock);
    const isToggling = input.DeletionProtectionEnabled !== undefined;
    const kmsKeyId = randomUuid(engine.random);
    const stream = await streamPreparation(engine, input, scope, tableName);
    // Drawn once, before: deciding may be done more than once and must come to the same.
    const chance = engine.random.next();
    const modelled = await engine.modelled(scope, tableName);
    // Only told, never decided upon: whatever the last decision saw.
    let before: TableDescription | undefined;
    const result = await engine.catalogue.change(scope, tableName, (current) => {
      if (current === undefined) return tableNotFound(tableName);
      before = current.description;
      const effects = engine.effectsOf(scope, tableName, current);
      const warm = withWarmPartitions(before, modelled, engine.capacity.nowMs());
      const judged = effects.limitsChanges ? warm : withoutChanges(warm);
      const refused =
        updateBusyError(input, current, now) ??
        updateTableError(input, judged, now, throughputQuota(caller, engine.quotas)) ??
        (isToggling && effects.acts('changeQuotas') ? protectionIntervalError(current, now) : undefined);
      if (refused !== undefined) return refused;
      const description = updatedTable(input, current.description, { nowMs: now, kmsKeyId, ...scope });
      const updated: TableRecord = {
        ...current,
        description: stream === undefined ? description : withStreamLabel(description, stream.label),
        epoch: current.epoch + 1,
        phases: updatePhases(effects, input, current, now, chance),
        ...(isToggling && effects.acts('changeQuotas') && { protectionChangedAt: now }),
      };
      const { record, mutations } = streamChange(engine, input, updated, scope, stream?.ends ?? noLogEnds);
      const change = withIndexChange(effects, input, current, record, scope, now, chance);
      return { ...change, also: [...(change.also ?? []), ...mutations] };
    });
    if (result instanceof DynamoError) return result;
    if (input.StreamSpecification !== undefined) engine.changeLog.noteArrival(result.storageId);
    const { created, deleted } = indexChangeIn(input);
    if (created !== undefined) await engine.indexFiller.begin(result);
    if (deleted !== undefined) engine.removeDropped();
    const status = hasUpdatePhase(input) ? 'UPDATING' : 'ACTIVE';
    const counts = await readCounts(engine, result);
    // The model takes the change now: partitions that it needs come some time from now on, with or without traffic.
    const changed = await engine.modelled(scope, tableName);
    const answered: TableRecord = {
      ...result,
      description: answeredTable(input, before!, result.description),
      ...answeredPhase(input, before!, now),
    };
    const warming = warmingIn(engine, scope, result, changed);
    return { TableDescription: tableAnswer(answered, scope, status, counts, now, warming) };
  },
);

/** What a stream that is to begin needs to know before; where the log ends is looked up before it begins. */
async function streamPreparation(
  engine: Engine,
  { StreamSpecification: asked }: UpdateTableInput,
  scope: Scope,
  tableName: string,
): Promise<{ readonly label: string; readonly ends: readonly number[] } | undefined> {
  if (asked?.StreamEnabled !== true) return undefined;
  const before = await engine.catalogue.record(scope, tableName);
  return {
    label: await nextStreamLabel(engine, scope, tableName),
    ends: before === undefined ? noLogEnds : await engine.changeLog.streams.logEnds(before.storageId),
  };
}

/** What becomes of the table's stream; the record has its new epoch already. */
function streamChange(
  engine: Engine,
  { StreamSpecification: asked }: UpdateTableInput,
  updated: TableRecord,
  scope: Scope,
  ends: readonly number[],
): StreamChange {
  if (asked === undefined) return { record: updated, mutations: [] };
  const now = nowMs(engine.clock);
  return asked.StreamEnabled
    ? beginStream(updated, scope, { nowMs: now, h16: engine.h16, ends })
    : endStream(updated, scope, now);
}

/** The one index that a request adds or deletes. */
function indexChangeIn({ GlobalSecondaryIndexUpdates: updates = [] }: UpdateTableInput): {
  readonly created: string | undefined;
  readonly deleted: string | undefined;
} {
  return {
    created: updates.find(({ Create }) => Create)?.Create?.IndexName,
    deleted: updates.find(({ Delete }) => Delete)?.Delete?.IndexName,
  };
}

function withIndexChange(
  effects: TableEffects,
  input: UpdateTableInput,
  current: TableRecord,
  updated: TableRecord,
  scope: Scope,
  now: number,
  chance: number,
): RecordChange {
  const { created, deleted } = indexChangeIn(input);
  if (created !== undefined)
    return addIndex(updated, scope, creatingIndex(effects, created, now, chance), now);
  if (deleted === undefined) return { put: updated };
  const index = current.description.gsis.find(({ indexName }) => indexName === deleted)!;
  return removeIndex(updated, deleted, deletingIndex(effects, index, now, chance));
}

/** UpdateTable itself always tells of the beginning, also when the end is there by the time it answers. */
function answeredPhase(
  input: UpdateTableInput,
  before: TableDescription,
  now: number,
): Pick<TableRecord, 'indexPhase'> {
  const { created, deleted } = indexChangeIn(input);
  const later = now + 1;
  if (created !== undefined)
    return { indexPhase: { kind: 'creating', indexName: created, filled: false, backfillsAt: later } };
  if (deleted === undefined) return {};
  const index = before.gsis.find(({ indexName }) => indexName === deleted)!;
  return { indexPhase: { kind: 'deleting', index, until: later } };
}
