import { tableArnIn } from '../../model/tables/table-arn.ts';
import type { CapacityDescription, ProvisionedThroughput } from '../../model/tables/table-description.ts';
import type { Resource, ResourceIdentity } from '../../physics/resource.ts';
import type { ThroughputSettings } from '../../physics/throughput-settings.ts';
import { ownCapacities } from '../tables/parts/indexes.ts';
import type { TableDescription } from '../tables/table-parts.ts';
import type { Table, TableIndex } from '../tables/table-record.ts';

/** The state of a table and of its global indexes in the physical model. */
export class TableResources {
  readonly main: Resource;
  /** By the name of the global index. */
  readonly #indexes: ReadonlyMap<string, Resource>;

  /** The version of the table's settings that they have. */
  readonly epoch: number;
  /** How many partitions of the table were seen last. */
  partitions: number;

  constructor(main: Resource, indexes: ReadonlyMap<string, Resource>, epoch: number) {
    this.main = main;
    this.#indexes = indexes;
    this.epoch = epoch;
    this.partitions = main.map.count;
  }

  /** Whether they are open and have the settings of a version, or of a later one. */
  isCurrent(epoch: number): boolean {
    return this.epoch >= epoch && this.areOpen;
  }

  /** False when the model has evicted one of the resources: its owner opens them again. */
  get areOpen(): boolean {
    if (!this.main.isOpen) return false;
    for (const resource of this.#indexes.values()) if (!resource.isOpen) return false;
    return true;
  }

  /** The resource that serves an index. A local index uses the partitions and the throughput of its table. */
  ofIndex(name: string): Resource {
    return this.#indexes.get(name) ?? this.main;
  }

  /** The resource of an index that has its own; undefined if it draws on its table. */
  ownOf(name: string): Resource | undefined {
    return this.#indexes.get(name);
  }

  of(index: TableIndex | undefined): Resource {
    return index === undefined ? this.main : this.ofIndex(index.schema.name);
  }

  all(): Resource[] {
    return [this.main, ...this.#indexes.values()];
  }
}

/** A table or global index that is to be opened. */
export interface OpenRequest {
  readonly slot: number;
  readonly identity: ResourceIdentity;
  readonly throughput: ThroughputSettings;
  /** The counter of the bytes of its entries. */
  readonly bytesCounter: Uint8Array;
}

/** The table first, then its global indexes. */
export function openRequests(table: Table): OpenRequest[] {
  const { record, scope, name: tableName } = table;
  const { description, storageId } = record;
  const arn = tableArnIn(scope, tableName);
  const { mode } = description.billing;
  const capacities = new Map(
    ownCapacities(description).map(({ index, capacity }) => [index.indexName, capacity]),
  );
  const requests: OpenRequest[] = [
    {
      slot: 0,
      identity: { id: `${storageId}/0`, tableName, arn, hasLocalIndexes: table.hasCollections },
      throughput: tableThroughput(description),
      bytesCounter: table.counters.bytes,
    },
  ];
  for (const { slot, schema, counters } of table.indexes) {
    const capacity = capacities.get(schema.name);
    if (capacity === undefined) continue;
    requests.push({
      slot,
      identity: {
        id: `${storageId}/${slot}`,
        tableName,
        indexName: schema.name,
        arn: `${arn}/index/${schema.name}`,
        hasLocalIndexes: false,
      },
      throughput: throughputOf(mode, capacity.throughput, capacity),
      bytesCounter: counters.bytes,
    });
  }
  return requests;
}

/** The throughput settings of a table itself. */
export function tableThroughput(description: TableDescription): ThroughputSettings {
  return throughputOf(description.billing.mode, description.billing.throughput, description);
}

function throughputOf(
  mode: ThroughputSettings['mode'],
  { ReadCapacityUnits: read, WriteCapacityUnits: write }: ProvisionedThroughput,
  { onDemandThroughput, warmThroughput }: Omit<CapacityDescription, 'throughput'>,
): ThroughputSettings {
  return {
    mode,
    read,
    write,
    maxRead: atLeastOne(onDemandThroughput?.MaxReadRequestUnits),
    maxWrite: atLeastOne(onDemandThroughput?.MaxWriteRequestUnits),
    warmRead: atLeastOne(warmThroughput.ReadUnitsPerSecond),
    warmWrite: atLeastOne(warmThroughput.WriteUnitsPerSecond),
  };
}

/** Zero and -1 stand for no limit. */
function atLeastOne(units: number | undefined): number | undefined {
  return units !== undefined && units > 0 ? units : undefined;
}
