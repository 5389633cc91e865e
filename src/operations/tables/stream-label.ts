import type { Engine } from '../../engine/engine.ts';
import type { Scope } from '../../engine/store-keys.ts';
import type { TableDescription } from '../../model/tables/table-description.ts';
import { streamLabel } from './rules/created-table.ts';

/** A label that no stream of a table of this name has, even if two are switched on in the same millisecond. */
export async function nextStreamLabel(engine: Engine, scope: Scope, tableName: string): Promise<string> {
  return streamLabel(await engine.changeLog.streams.nextLabelMs(scope, tableName));
}

export function withStreamLabel(description: TableDescription, label: string): TableDescription {
  const { stream } = description;
  return stream === undefined ? description : { ...description, stream: { ...stream, label } };
}
