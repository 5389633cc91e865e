import type { Engine } from '../engine/engine.ts';
import type { Table } from '../engine/table-record.ts';
import type { Caller } from './operation.ts';

/**
 * The table of a request that has no members but these and names a table that is known. Most requests do little else,
 * and what they do can be done in one go; undefined sends a request the long way.
 */
export function tableOfBare(
  engine: Engine,
  body: unknown,
  caller: Caller,
  members: ReadonlySet<string>,
): Table | undefined {
  if (typeof body !== 'object' || body === null || !engine.faults.isEmpty) return undefined;
  for (const name in body) if (!members.has(name)) return undefined;
  const { TableName } = body as { readonly TableName?: unknown };
  if (typeof TableName !== 'string') return undefined;
  return engine.catalogue.known({ account: caller.accountId, region: caller.region }, TableName);
}
