import type { WarmThroughput } from '../../model/tables/table-description.ts';
import { warmThroughput } from '../../physics/describe-resource.ts';
import type { Resource } from '../../physics/resource.ts';
import { withCapacities } from '../tables/parts/indexes.ts';
import type { TableDescription } from '../tables/table-parts.ts';
import type { TableResources } from './table-resources.ts';

/** A table's description with the warm throughput that its partitions give, where traffic has raised it beyond what was asked for. */
export function withWarmPartitions(
  description: TableDescription,
  resources: TableResources | undefined,
  nowMs: number,
): TableDescription {
  if (resources === undefined) return description;
  for (const resource of resources.all()) resource.advance(nowMs);
  return {
    ...description,
    warmThroughput: warmer(description.warmThroughput, resources.main),
    ...withCapacities(description, (indexName, capacity) => ({
      ...capacity,
      warmThroughput: warmer(capacity.warmThroughput, resources.ownOf(indexName)),
    })),
  };
}

/** Whether the partitions for the warm throughput that was asked for are still to come. */
export function isWarming(resource: Resource | undefined): boolean {
  if (resource === undefined) return false;
  const { warm, growths } = resource;
  return growths.some(({ read, write }) => read === warm.read && write === warm.write);
}

function warmer(asked: Required<WarmThroughput>, resource: Resource | undefined): Required<WarmThroughput> {
  if (resource === undefined) return asked;
  const { read, write } = warmThroughput(resource);
  return {
    ReadUnitsPerSecond: Math.max(asked.ReadUnitsPerSecond, Math.floor(read)),
    WriteUnitsPerSecond: Math.max(asked.WriteUnitsPerSecond, Math.floor(write)),
  };
}
