import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import type { Run } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import { callFailure, openCaller } from '../open-caller.ts';
import type { Output } from '../output.ts';
import { figure, progressText } from '../progress-text.ts';
import type { Settings } from '../settings.ts';
import { StopSignals } from '../stop-signals.ts';
import type { scanOptions } from '../tool-flags.ts';
import { nameAttributes } from './name-attributes.ts';
import { ScanFile, type SegmentState } from './scan-file.ts';
import { type ScanFigures, type ScanSink, SegmentedRead } from './segmented-read.ts';

interface TableAnswer {
  readonly ItemCount?: number;
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string; readonly ItemCount?: number }[];
  readonly LocalSecondaryIndexes?: readonly { readonly IndexName: string; readonly ItemCount?: number }[];
}

/** Where the items of a scan go. */
interface ItemSink {
  readonly segments: readonly SegmentState[];
  items: number;
  add(segment: number, lines: string, items: number, state: SegmentState): void;
  save(): void;
}

/** Reads all items of a table, in parallel segments, within a number of units a second. */
export const scan: Run<typeof scanOptions> = async (settings, { output, environment }) => {
  const { table, index, output: file, overwrite, restart, segments, endpoint } = settings;
  if (table.value === undefined) throw new UsageError('scan needs a table.', 'Write --table <table>.');
  const signals = new StopSignals();
  let scanFile: ScanFile | undefined;
  try {
    const caller = openCaller(settings, environment, signals.asked);
    const request = requestOf(settings);
    const expected = await expectedItems(caller, table.value, index.value);
    if (file.value !== undefined) {
      scanFile = new ScanFile(
        file.value,
        { ...request, endpoint: endpoint.value, segments: segments.value },
        segments.value,
        {
          overwrite: overwrite.value,
          restart: restart.value,
        },
      );
      if (scanFile.isResumed)
        output.log('info', `Going on behind ${scanFile.items} items of an earlier run.`);
    }
    const sink = scanFile ?? printer(output, segments.value);
    const reading = new SegmentedRead(caller, request, asLines(sink, output, expected), {
      output,
      signal: signals.asked,
      rate: settings.rate.value,
    });
    await reading.run();
    if (signals.asked.aborted || output.isUnread) {
      scanFile?.keep();
      stopped(output, scanFile, file.value);
      return;
    }
    scanFile?.complete();
    tell(output, reading.figures, sink.items, file.value);
  } catch (error) {
    scanFile?.keep();
    if (signals.asked.aborted) return stopped(output, scanFile, file.value);
    const failure = callFailure(error, endpoint.value);
    throw failure instanceof Failure && scanFile !== undefined && scanFile.items > 0
      ? new Failure(
          failure.message,
          `${scanFile.items} items are kept in ${file.value}.part; the same command goes on behind them.`,
          error,
        )
      : failure;
  } finally {
    signals.release();
  }
};

function stopped(output: Output, scanFile: ScanFile | undefined, path: string | undefined): void {
  if (scanFile !== undefined)
    output.log(
      'warning',
      `Stopped with ${scanFile.items} items in ${path}.part; the same command goes on behind them.`,
    );
  process.exitCode = 1;
}

function requestOf(settings: Settings<typeof scanOptions>): Readonly<Record<string, unknown>> {
  const { table, index, values, consistent } = settings;
  const { filter, projection, names } = nameAttributes({
    ...(settings.filter.value !== undefined && { filter: settings.filter.value }),
    ...(settings.projection.value !== undefined && { projection: settings.projection.value }),
    ...(settings.names.value !== undefined && {
      names: JSON.parse(settings.names.value) as Record<string, string>,
    }),
  });
  return {
    TableName: table.value,
    ...(index.value === undefined ? {} : { IndexName: index.value }),
    ...(filter === undefined ? {} : { FilterExpression: filter }),
    ...(values.value === undefined ? {} : { ExpressionAttributeValues: JSON.parse(values.value) as unknown }),
    ...(names === undefined ? {} : { ExpressionAttributeNames: names }),
    ...(projection === undefined ? {} : { ProjectionExpression: projection }),
    ...(consistent.value ? { ConsistentRead: true } : {}),
  };
}

/** About how many items there are: the service counts every few hours. */
async function expectedItems(
  caller: EndpointCaller,
  TableName: string,
  index: string | undefined,
): Promise<number | undefined> {
  const { Table } = await caller.call<{ Table: TableAnswer }>('DescribeTable', { TableName });
  if (index === undefined) return Table.ItemCount;
  const indexes = [...(Table.GlobalSecondaryIndexes ?? []), ...(Table.LocalSecondaryIndexes ?? [])];
  const found = indexes.find(({ IndexName }) => IndexName === index);
  if (found === undefined)
    throw new Failure(
      `Table ${TableName} has no index ${index}.`,
      indexes.length === 0 ? undefined : `It has ${indexes.map(({ IndexName }) => IndexName).join(', ')}.`,
    );
  return found.ItemCount;
}

/** Prints items as they come; nothing is kept to go on from. */
function printer(output: Output, count: number): ItemSink {
  const segments = Array<SegmentState>(count).fill('start');
  return {
    segments,
    items: 0,
    add(segment, lines, items, state) {
      if (lines !== '') output.print(lines.trimEnd());
      this.items += items;
      segments[segment] = state;
    },
    save() {},
  };
}

/** Items as lines of JSON. */
function asLines(sink: ItemSink, output: Output, expected: number | undefined): ScanSink {
  return {
    segments: sink.segments,
    add(segment, { Items = [], Count }, state) {
      sink.add(segment, Items.map((item) => `${JSON.stringify(item)}\n`).join(''), Count, state);
    },
    save: () => sink.save(),
    progress({ scanned, units, seconds, segmentsLeft }) {
      const total = expected === undefined || expected === 0 ? undefined : expected;
      output.progress(
        progressText({ done: scanned, total, seconds, unit: 'items' }, [
          `${figure(sink.items)} kept`,
          `${figure(units / seconds)} units/s`,
          `${segmentsLeft} of ${sink.segments.length} segments left`,
        ]),
      );
    },
  };
}

function tell(
  output: Output,
  { scanned, units, seconds }: ScanFigures,
  items: number,
  file: string | undefined,
): void {
  const where = file === undefined ? '' : ` in ${file}`;
  output.log(
    'info',
    `${figure(items)} items${where}; ${figure(scanned)} read with ${figure(units)} units in ${figure(seconds)} seconds.`,
  );
}
