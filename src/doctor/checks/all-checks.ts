import type { Finding } from '../finding.ts';
import type { Context, TableView } from '../table-view.ts';
import { checkExpiry } from './check-expiry.ts';
import { checkIndexes } from './check-indexes.ts';
import { checkItems } from './check-items.ts';
import { checkKeys } from './check-keys.ts';
import { checkReads, checkTablesReadTogether } from './check-reads.ts';
import { checkRefusals } from './check-refusals.ts';
import { checkSettings } from './check-settings.ts';
import { checkStreams } from './check-streams.ts';
import { checkThrottles } from './check-throttles.ts';

const ofTables = [
  ...[checkThrottles, checkRefusals, checkReads, checkIndexes, checkKeys, checkItems],
  ...[checkExpiry, checkStreams, checkSettings],
];

/** All findings about one table. */
export function checkTable(view: TableView, context: Context): Finding[] {
  return ofTables.flatMap((check) => check(view, context));
}

/** Findings about several tables together. */
export function checkAccount(views: readonly TableView[], context: Context): Finding[] {
  return checkTablesReadTogether(views, context);
}
