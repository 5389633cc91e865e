import { type DynamoError, invalidParameter } from '../../../model/errors.ts';
import { object } from '../../../model/json/fields.ts';
import type {
  BillingMode,
  CapacityDescription,
  GlobalIndexDescription,
} from '../../../model/tables/table-description.ts';
import { capacityFields, indexFields } from '../../../model/tables/table-fields.ts';
import { invalidRequest } from '../../control/backup-refusals.ts';
import { type NewGlobalIndex, updateOf } from '../../control/requests.ts';
import { globalIndexKeyError } from '../../control/rules/index-rules.ts';
import { isUnderWay } from '../../phase-end.ts';
import {
  changedCapacity,
  createdCapacity,
  describedCapacity,
  unitsOf,
} from '../../tables/capacity-settings.ts';
import { type IndexPhase, indexPhaseAt } from '../../tables/parts/index-phase.ts';
import type { Described } from '../../tables/parts/table-part.ts';
import type { IndexBehaviour } from '../index-behaviour.ts';

/** A global index has keys, partitions and throughput of its own. It can come and go while its table exists. */
export const globalIndex: IndexBehaviour<'global'> = {
  capacity: 'own',
  collection: 'none',
  visibility: 'later',
  unprojected: 'refused',
  life: 'own',

  listName: 'GlobalSecondaryIndexes',

  field: object<GlobalIndexDescription>({ ...indexFields, ...capacityFields }),
  in: ({ gsis }) => gsis,

  keyError: globalIndexKeyError,
  countError: (count, { globalIndexes: most }) =>
    count > most
      ? invalidParameter(`GlobalSecondaryIndex count exceeds the per-table limit of ${most}`)
      : undefined,

  created: ({ indexName, keySchema, projection, ...capacity }, mode) => ({
    ...{ indexName, keySchema, projection },
    ...createdCapacity(capacity, mode),
  }),
  changed(request, table, nowMs) {
    const from = table.billing.mode;
    const to = request.billingMode ?? from;
    const changes = request.indexes ?? [];
    const deleted = changes.flatMap((change) => (change.kind === 'delete' ? change.indexName : []));
    const stays = table.gsis.filter(({ indexName }) => !deleted.includes(indexName));
    return [
      ...stays.map(({ indexName, keySchema, projection, ...capacity }) => ({
        ...{ indexName, keySchema, projection },
        ...changedCapacity(capacity, updateOf(request, indexName), from, to, nowMs),
      })),
      ...changes.flatMap((change) => (change.kind === 'create' ? globalIndex.created(change.index, to) : [])),
    ];
  },
  restored: ({ indexName, keySchema, projection, throughput, onDemandThroughput }, mode) => ({
    ...{ indexName, keySchema, projection },
    ...(mode === 'PROVISIONED' ? { throughput: unitsOf(throughput) } : { onDemandThroughput }),
  }),
  overrideError,

  capacityIn: (index) => index,
  withCapacity: (index, capacity: CapacityDescription) => ({ ...index, ...capacity }),

  shown(record, nowMs) {
    const phase = indexPhaseAt(record, nowMs);
    const { gsis } = record.description;
    return phase?.kind === 'deleting' ? [...gsis, phase.index] : gsis;
  },
  described: (index, record, context) => ({
    ...statusOf(index.indexName, indexPhaseAt(record, context.nowMs), context),
    ...describedCapacity(index, index.indexName, context),
  }),
  backedUp: ({ throughput, onDemandThroughput }) => ({
    ProvisionedThroughput: unitsOf(throughput),
    ...(onDemandThroughput && { OnDemandThroughput: onDemandThroughput }),
  }),
};

function overrideError(
  { indexName, throughput }: NewGlobalIndex,
  mode: BillingMode,
): DynamoError | undefined {
  if (mode === 'PROVISIONED' && throughput === undefined)
    return invalidRequest(`Must specify provisioned throughput for index ${indexName}`);
  return mode === 'PAY_PER_REQUEST' && throughput !== undefined
    ? invalidRequest(
        `Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index ${indexName}`,
      )
    : undefined;
}

/** `Backfilling` is shown of indexes that UpdateTable adds, until they are ready. */
function statusOf(
  name: string,
  phase: IndexPhase | undefined,
  { status, nowMs }: Described,
): { readonly IndexStatus: string; readonly Backfilling?: boolean } {
  if (status === 'CREATING' || status === 'DELETING') return { IndexStatus: status };
  if (phase?.kind === 'deleting' && phase.index.indexName === name) return { IndexStatus: 'DELETING' };
  if (phase?.kind === 'creating' && phase.indexName === name)
    return { IndexStatus: 'CREATING', Backfilling: !isUnderWay(phase.backfillsAt, nowMs) };
  return { IndexStatus: 'ACTIVE' };
}
