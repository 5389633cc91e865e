import type { Design, TableDesign } from './design.ts';
import { type CreateTableRequest, physicalRequest } from './emit/create-table.ts';
import { physicalTables } from './emit/physical-table.ts';
import type { Model } from './ir.ts';

export type { CreateTableRequest } from './emit/create-table.ts';

/** One CreateTable request for each table of a design. TTL is no part of it: the service takes it in a call of its own. */
export function createTableRequests(model: Model, design: Design): CreateTableRequest[] {
  return physicalTables(model, design).map(physicalRequest);
}

/** The CreateTable request of one table of a design. */
export function createTableRequest(model: Model, table: TableDesign): CreateTableRequest {
  return createTableRequests(model, {
    format: 'stator-design/1',
    model: model.name,
    tables: [table],
    monthly: 0,
  })[0]!;
}
