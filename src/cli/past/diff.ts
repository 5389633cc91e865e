import type { JsonItem } from '../../kit/stream-reader.ts';
import type { ChangeEvent } from '../../model/stored/change-event.ts';
import { changeText } from '../change-text.ts';
import type { Run } from '../command.ts';
import { UsageError } from '../failure.ts';
import { type diffOptions, timeOf } from './past-options.ts';
import { onPast } from './past-place.ts';

interface ChangesAnswer {
  readonly changes: readonly {
    readonly event: ChangeEvent;
    readonly keys: JsonItem;
    readonly before?: JsonItem;
    readonly after?: JsonItem;
    readonly at: string;
  }[];
  readonly next?: string;
  /** The later time, where there is a next page. */
  readonly to?: string;
}

/** Prints the items of a table that differ between two times. */
export const diff: Run<typeof diffOptions> = async (
  settings,
  { output, operand: tableName, environment },
) => {
  const { from, to } = settings;
  if (tableName === undefined)
    throw new UsageError('diff needs a table.', 'Write stator diff <table> --from 2026-11-18T09:00:00Z.');
  if (from.value === undefined)
    throw new UsageError(
      `diff needs the time to compare ${tableName} with.`,
      `Write stator diff ${tableName} --from 2026-11-18T09:00:00Z; the table must keep its past (point-in-time recovery).`,
    );
  if (to.value !== undefined && timeOf(from.value) > timeOf(to.value))
    throw new UsageError('--from is later than --to.', 'Write the earlier time behind --from.');
  const counts = { INSERT: 0, MODIFY: 0, REMOVE: 0 };
  await onPast(settings, environment, async ({ control }) => {
    // Without --to it is the moment of the first page, for all pages.
    let until = to.value === undefined ? undefined : timeOf(to.value);
    for (let after: string | undefined; ; ) {
      const page = (await control(`/_stator/changes/${encodeURIComponent(tableName)}`, {
        from: timeOf(from.value!),
        ...(until !== undefined && { to: until }),
        ...(after !== undefined && { after }),
      })) as ChangesAnswer;
      for (const { event, keys, before, after, at } of page.changes) {
        counts[event]++;
        output.result('change', { change: event, at, keys, before, after }, (style) =>
          changeText(
            {
              eventName: event,
              dynamodb: {
                ApproximateCreationDateTime: Date.parse(at) / 1000,
                SequenceNumber: '',
                Keys: keys,
                ...(before && { OldImage: before }),
                ...(after && { NewImage: after }),
              },
            },
            style,
          ),
        );
      }
      after = page.next;
      until ??= page.to === undefined ? undefined : timeOf(page.to);
      if (after === undefined || output.isUnread) break;
    }
  });
  const { INSERT: inserted, MODIFY: changed, REMOVE: removed } = counts;
  output.log('info', `${inserted} inserted, ${changed} changed, ${removed} removed.`);
};
