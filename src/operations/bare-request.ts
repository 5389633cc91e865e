import type { Engine } from '../engine/engine.ts';
import type { Table } from '../engine/table-record.ts';
import { isOrdinary } from '../model/ordinary-json.ts';
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
  // An object of a class may have more to it than can be listed.
  if (!isOrdinary(body) || !engine.faults.isEmpty) return undefined;
  for (const name in body) if (!members.has(name)) return undefined;
  const { TableName } = body;
  if (typeof TableName !== 'string') return undefined;
  return engine.catalogue.known({ account: caller.accountId, region: caller.region }, TableName);
}
