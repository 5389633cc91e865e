import { pathsOf } from '../../expressions/key-paths.ts';
import type { Condition, Projection } from '../../expressions/tree.ts';
import { type DynamoError, invalidParameter } from '../../model/errors.ts';
import { isProjected } from '../../model/tables/table-schema.ts';
import { compareUtf8 } from '../../model/values/utf8.ts';
import type { Select } from '../shapes/read-shapes.ts';
import type { ReadTarget } from './read-target.ts';

/**
 * Checks of the attributes that a read needs from an index. A local index can fetch missing attributes from the table,
 * a global one cannot.
 */

export function checkAllAttributes(target: ReadTarget, select: Select | undefined): DynamoError | undefined {
  const { index } = target;
  if (
    select !== 'ALL_ATTRIBUTES' ||
    index?.traits.unprojected !== 'refused' ||
    index.schema.projection.type === 'ALL'
  ) {
    return undefined;
  }
  return invalidParameter(
    `Select type ALL_ATTRIBUTES is not supported for global secondary index ${index.schema.name} because its projection type is not ALL`,
  );
}

/**
 * Checks that the index projects all attributes of a projection and a filter. The error of the projection lists its
 * attributes in the order of the request, the error of the filter lists them sorted (inferred: DynamoDB Local, which
 * shares both texts). A filter is refused on a local index too, even if the items are fetched (observed: Alternator's
 * tests).
 */
export function checkProjected(
  target: ReadTarget,
  projection: Projection | undefined,
  filter: Condition | undefined,
): DynamoError | undefined {
  const { index } = target;
  if (index === undefined || (projection === undefined && filter === undefined)) return undefined;
  const lacking = index.traits.unprojected === 'refused' ? unprojected(target, projection?.paths ?? []) : [];
  if (lacking.length > 0) {
    return invalidParameter(
      `Global secondary index ${index.schema.name} does not project [${lacking.join(', ')}]`,
    );
  }
  const filtered = unprojected(target, filter === undefined ? [] : pathsOf(filter));
  if (filtered.length === 0) return undefined;
  const names = [...filtered].sort(compareUtf8).join(', ');
  return invalidParameter(
    `Secondary index ${index.schema.name} does not project one or more filter attributes: [${names}]`,
  );
}

/** Whether the read must fetch items from the table because a local index lacks requested attributes. */
export function needsItems(
  target: ReadTarget,
  select: Select | undefined,
  projection: Projection | undefined,
): boolean {
  const { index } = target;
  if (index?.traits.unprojected !== 'fetched' || index.schema.projection.type === 'ALL') return false;
  return select === 'ALL_ATTRIBUTES' || unprojected(target, projection?.paths ?? []).length > 0;
}

function unprojected(
  { table, index }: ReadTarget,
  paths: readonly (readonly [string, ...unknown[]])[],
): readonly string[] {
  const names = [...new Set(paths.map(([name]) => name))];
  return index === undefined ? [] : names.filter((name) => !isProjected(table.schema, index.schema, name));
}
