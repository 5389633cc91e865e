import type { Engine } from '../engine.ts';
import type { Scope } from '../store-keys.ts';
import { streamLabel } from '../tables/parts/stream.ts';
import type { TableDescription } from '../tables/table-parts.ts';

/** A label that no stream of a table of this name has, even if two are switched on in the same millisecond. */
export async function nextStreamLabel(engine: Engine, scope: Scope, tableName: string): Promise<string> {
  return streamLabel(await engine.changeLog.streams.nextLabelMs(scope, tableName));
}

export function withStreamLabel(description: TableDescription, label: string): TableDescription {
  const { stream } = description;
  return stream === undefined ? description : { ...description, stream: { ...stream, label } };
}
