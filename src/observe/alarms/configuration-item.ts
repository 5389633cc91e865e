import type { AlarmRecord, HistoryItem } from './alarm-record.ts';

/** What the history says when an alarm is created, updated or deleted. */
export function configurationItem(
  before: AlarmRecord | undefined,
  after: AlarmRecord | undefined,
  at: number,
): HistoryItem {
  const { name } = (after ?? before)!;
  const [what, type] =
    before === undefined
      ? ['created', 'Create']
      : after === undefined
        ? ['deleted', 'Delete']
        : ['updated', 'Update'];
  const data = JSON.stringify({
    version: '1.0',
    type,
    ...(before !== undefined && after !== undefined && { previous: before.settings }),
    ...{ [`${what}Alarm`]: (after ?? before)!.settings },
  });
  return {
    alarmName: name,
    at,
    type: 'ConfigurationUpdate',
    summary: `Alarm "${name}" ${what}`.slice(0, 255),
    // The service cuts history data at 4,095 characters too.
    data: data.length <= 4095 ? data : JSON.stringify({ version: '1.0', type }),
  };
}
