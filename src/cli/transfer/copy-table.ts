import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import type { Output } from '../output.ts';
import { figure, progressText } from '../progress-text.ts';
import type { SegmentState } from '../scan/scan-file.ts';
import { SegmentedRead } from '../scan/segmented-read.ts';
import type { Settings } from '../settings.ts';
import type { ImportState } from './import-state.ts';
import type { RowCopier } from './row-copier.ts';
import type { TargetTable } from './target-table.ts';
import type { importOptions } from './transfer-options.ts';

export interface Copying {
  readonly settings: Settings<typeof importOptions>;
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly state: ImportState;
  readonly copier: RowCopier;
  readonly target: TargetTable;
}

/** Copies the items of a table, in parallel segments. */
export async function copyTable(
  caller: EndpointCaller,
  TableName: string,
  { settings, output, signal, state, copier }: Copying,
): Promise<void> {
  const { Table } = await caller.call<{ Table: { ItemCount?: number } }>('DescribeTable', { TableName });
  const segments: SegmentState[] = [
    ...(state.counts.place.segments ?? Array<SegmentState>(settings.segments.value).fill('start')),
  ];
  const before = state.counts.read;
  const reading = new SegmentedRead(
    caller,
    { TableName },
    {
      segments,
      async add(segment, { Items = [] }, at) {
        const rows = Items.map((Item, i) => ({ line: i + 1, sent: { Item } }));
        await copier.copy(`segment ${segment} of ${TableName}`, rows, () => {
          segments[segment] = at;
          return { segments: [...segments] };
        });
      },
      save: () => state.save(),
      progress({ units, seconds, segmentsLeft }) {
        const { read, refused } = state.counts;
        output.progress(
          progressText({ done: read, total: Table.ItemCount, seconds, unit: 'items', before }, [
            `${figure(units / seconds)} units/s`,
            ...(refused === 0 ? [] : [`${figure(refused)} refused`]),
            `${segmentsLeft} of ${segments.length} segments left`,
          ]),
        );
      },
    },
    { output, signal, rate: settings.rate.value },
  );
  await reading.run();
}
