import type { Migration, MigrationPlan } from '../../migrate/index.ts';
import type { Run } from '../command.ts';
import { planOf, writePlan } from '../design/diff.ts';
import { diffText } from '../design/diff-text.ts';
import { callFailure } from '../open-caller.ts';
import type { Styler } from '../output.ts';
import { figure } from '../progress-text.ts';
import type { planOptions } from './migrate-options.ts';
import { withMigration } from './with-migration.ts';

interface LiveTable {
  readonly table: string;
  readonly exists: boolean;
  readonly items: number;
  readonly bytes: number;
  readonly provisioned: { readonly read: number; readonly write: number } | undefined;
}

/** Plans a migration and shows the tables that it is about. */
export const plan: Run<typeof planOptions> = async (settings, context) => {
  const { output, operands, directory } = context;
  const planned = await planOf(operands, directory, settings, 'migrate plan');
  const live = await withMigration(planned, settings, context, (migration) => look(migration, planned)).catch(
    (error: unknown) => {
      throw callFailure(error, settings.endpoint.value);
    },
  );
  writePlan(planned, settings.out.value);
  output.result('planned', { plan: planned, tables: live }, (style) =>
    [
      diffText(planned, style),
      '',
      style('bold', 'Tables as they are'),
      ...live.map((one) => liveText(one, style)),
    ].join('\n'),
  );
  if (settings.out.value !== undefined) output.log('info', `Wrote ${settings.out.value}.`);
};

async function look(migration: Migration, { from }: MigrationPlan): Promise<LiveTable[]> {
  const found: LiveTable[] = [];
  for (const { name } of from.design.tables) {
    const table = await migration.describe(name);
    const units = table?.ProvisionedThroughput;
    const isProvisioned = (table?.BillingModeSummary?.BillingMode ?? 'PROVISIONED') === 'PROVISIONED';
    found.push({
      ...{ table: name, exists: table !== undefined },
      ...{ items: table?.ItemCount ?? 0, bytes: table?.TableSizeBytes ?? 0 },
      provisioned:
        table !== undefined && isProvisioned
          ? { read: units?.ReadCapacityUnits ?? 0, write: units?.WriteCapacityUnits ?? 0 }
          : undefined,
    });
  }
  return found;
}

function liveText({ table, exists, items, bytes, provisioned }: LiveTable, style: Styler): string {
  if (!exists) return `  ${style('yellow', `${table} does not exist`)}`;
  const mode =
    provisioned === undefined
      ? 'on demand'
      : `${figure(provisioned.read)} read and ${figure(provisioned.write)} write units provisioned`;
  return `  ${table}: ${figure(items)} items, ${figure(bytes / 1e6)} MB, as the service last counted; ${mode}`;
}
