import { listOf, mapOf, optional, whole } from '../../../model/json/fields.ts';
import { type IndexKind, indexKinds } from '../../../model/tables/index-kind.ts';
import { formatTableArn } from '../../../model/tables/table-arn.ts';
import type {
  CapacityDescription,
  IndexDescriptions,
  LocalIndexDescription,
} from '../../../model/tables/table-description.ts';
import type { TableChange } from '../../control/requests.ts';
import { type IndexBehaviour, indexBehaviours } from '../../indexes/index-behaviour.ts';
import type { TableDescription } from '../table-parts.ts';
import type { TableRecord } from '../table-record.ts';
import { indexPhaseField, type PhaseOfIndex } from './index-phase.ts';
import type { Described, TablePart } from './table-part.ts';

/** The member of a description that has the indexes of a kind. */
interface IndexMembers {
  readonly local: 'lsis';
  readonly global: 'gsis';
}

/** The secondary indexes of a table. */
export type IndexSettings = {
  readonly [Kind in IndexKind as IndexMembers[Kind]]: readonly IndexDescriptions[Kind][];
};

export interface IndexState extends PhaseOfIndex {
  /** The slot of each index, by name. A slot is never reused for another index. */
  readonly slots: Readonly<Record<string, number>>;
  readonly nextSlot: number;
}

const { local, global } = indexBehaviours;

export const indexes: TablePart<IndexSettings, IndexState> = {
  settings: { lsis: listOf(local.field), gsis: listOf(global.field) },
  state: { slots: mapOf(whole), nextSlot: whole, indexPhase: optional(indexPhaseField) },
  created: ({ indexes: asked, billingMode }) => ({
    lsis: asked.local.map((index) => local.created(index, billingMode)),
    gsis: asked.global.map((index) => global.created(index, billingMode)),
  }),
  changed: (request, table, { nowMs }) => changedIndexes(request, table, nowMs),
  begun(description) {
    const names = allDescribed(description).map(({ index }) => index.indexName);
    // Slot 0 holds the items.
    return { slots: Object.fromEntries(names.map((name, i) => [name, i + 1])), nextSlot: names.length + 1 };
  },
  described: (record, context) =>
    Object.assign({}, ...indexKinds.map((kind) => describedKind(indexBehaviours[kind], record, context))),
};

export function changedIndexes(request: TableChange, table: TableDescription, nowMs: number): IndexSettings {
  return { lsis: local.changed(request, table, nowMs), gsis: global.changed(request, table, nowMs) };
}

function describedKind<Kind extends IndexKind>(
  behaviour: IndexBehaviour<Kind>,
  record: TableRecord,
  context: Described,
): object {
  const shown = behaviour.shown(record, context.nowMs).map((index) => {
    const { count, bytes } = context.counts.of(record.slots[index.indexName] ?? -1);
    return {
      ...describedKeys(index),
      IndexSizeBytes: bytes,
      ItemCount: count,
      IndexArn: formatTableArn({ ...context.arn, part: { kind: 'index', name: index.indexName } }),
      ...behaviour.described(index, record, context),
    };
  });
  return shown.length === 0 ? {} : { [behaviour.listName]: shown };
}

/** The indexes of a table as DescribeBackup shows them. */
export function backedUpIndexes(description: IndexSettings): object {
  return Object.assign({}, ...indexKinds.map((kind) => backedUpKind(indexBehaviours[kind], description)));
}

function backedUpKind<Kind extends IndexKind>(
  behaviour: IndexBehaviour<Kind>,
  description: IndexSettings,
): object {
  const kept = behaviour
    .in(description)
    .map((index) => ({ ...describedKeys(index), ...behaviour.backedUp(index) }));
  return kept.length === 0 ? {} : { [behaviour.listName]: kept };
}

/** The members of an index that all answers have. */
function describedKeys({ indexName, keySchema, projection }: LocalIndexDescription) {
  return { IndexName: indexName, KeySchema: keySchema, Projection: projection };
}

/** An index with its kind. */
export interface DescribedIndex {
  readonly kind: IndexKind;
  readonly index: LocalIndexDescription;
  /** The capacity of an index that has its own. */
  readonly capacity: CapacityDescription | undefined;
}

/** All indexes of a table, kind by kind. */
export function allDescribed(description: IndexSettings): readonly DescribedIndex[] {
  return indexKinds.flatMap((kind) => describedOf(kind, indexBehaviours[kind], description));
}

function describedOf<Kind extends IndexKind>(
  kind: Kind,
  behaviour: IndexBehaviour<Kind>,
  description: IndexSettings,
): readonly DescribedIndex[] {
  return behaviour.in(description).map((index) => ({ kind, index, capacity: behaviour.capacityIn(index) }));
}

export function describedIndex(description: IndexSettings, indexName: string): DescribedIndex | undefined {
  return allDescribed(description).find(({ index }) => index.indexName === indexName);
}

/** The indexes that have a capacity of their own. */
export function ownCapacities(
  description: IndexSettings,
): readonly { readonly index: LocalIndexDescription; readonly capacity: CapacityDescription }[] {
  return allDescribed(description).flatMap(({ index, capacity }) =>
    capacity === undefined ? [] : { index, capacity },
  );
}

/** The indexes with other capacities. */
export function withCapacities(
  { lsis, gsis }: IndexSettings,
  capacityOf: (indexName: string, capacity: CapacityDescription) => CapacityDescription,
): IndexSettings {
  return { lsis: changedOf(local, lsis, capacityOf), gsis: changedOf(global, gsis, capacityOf) };
}

function changedOf<Kind extends IndexKind>(
  behaviour: IndexBehaviour<Kind>,
  all: readonly IndexDescriptions[Kind][],
  capacityOf: (indexName: string, capacity: CapacityDescription) => CapacityDescription,
): readonly IndexDescriptions[Kind][] {
  return all.map((index) => {
    const capacity = behaviour.capacityIn(index);
    return capacity === undefined
      ? index
      : behaviour.withCapacity(index, capacityOf(index.indexName, capacity));
  });
}
