import { setTimeout as wait } from 'node:timers/promises';
import type { Run } from '../command.ts';
import { type DynamoDbCaller, Refusal, Unreachable } from '../dynamodb-caller.ts';
import { Failure, UsageError } from '../failure.ts';
import { callFailure, openCaller } from '../open-caller.ts';
import type { Output } from '../output.ts';
import type { Settings } from '../settings.ts';
import { StopSignals } from '../stop-signals.ts';
import type { scanOptions } from '../tool-flags.ts';
import { ScanFile, type SegmentState } from './scan-file.ts';
import { UnitPace } from './unit-pace.ts';

/** How often a state is saved; a kill reads again what came after the last one. */
const saveEveryMs = 1_000;
const attemptsMax = 10;

interface Page {
  readonly Items?: readonly unknown[];
  readonly Count: number;
  readonly ScannedCount: number;
  readonly LastEvaluatedKey?: unknown;
  readonly ConsumedCapacity?: { readonly CapacityUnits: number };
}

interface TableAnswer {
  readonly ItemCount?: number;
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string; readonly ItemCount?: number }[];
  readonly LocalSecondaryIndexes?: readonly { readonly IndexName: string; readonly ItemCount?: number }[];
}

/** Where the items of a scan go. */
interface Sink {
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
  let sink: Sink | undefined;
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
    sink = scanFile ?? printer(output, segments.value);
    const reading = new Reading(caller, request, sink, {
      output,
      signal: signals.asked,
      rate: settings.rate.value,
      expected,
    });
    await reading.run();
    if (signals.asked.aborted || output.isUnread) {
      scanFile?.keep();
      stopped(output, scanFile, file.value);
      return;
    }
    scanFile?.complete();
    reading.tell(file.value);
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
  const { table, index, filter, values, names, projection, consistent } = settings;
  return {
    TableName: table.value,
    ...(index.value === undefined ? {} : { IndexName: index.value }),
    ...(filter.value === undefined ? {} : { FilterExpression: filter.value }),
    ...(values.value === undefined ? {} : { ExpressionAttributeValues: JSON.parse(values.value) as unknown }),
    ...(names.value === undefined ? {} : { ExpressionAttributeNames: JSON.parse(names.value) as unknown }),
    ...(projection.value === undefined ? {} : { ProjectionExpression: projection.value }),
    ...(consistent.value ? { ConsistentRead: true } : {}),
  };
}

/** About how many items there are: the service counts every few hours. */
async function expectedItems(
  caller: DynamoDbCaller,
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
function printer(output: Output, count: number): Sink {
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

interface ReadingOptions {
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly rate: number | undefined;
  readonly expected: number | undefined;
}

/** All segments of one scan. */
class Reading {
  readonly #caller: DynamoDbCaller;
  readonly #request: Readonly<Record<string, unknown>>;
  readonly #sink: Sink;
  readonly #options: ReadingOptions;
  readonly #pace: UnitPace;
  readonly #began = performance.now();
  #savedAt = performance.now();
  #units = 0;
  #scanned = 0;
  #failed = false;

  constructor(
    caller: DynamoDbCaller,
    request: Readonly<Record<string, unknown>>,
    sink: Sink,
    options: ReadingOptions,
  ) {
    this.#caller = caller;
    this.#request = request;
    this.#sink = sink;
    this.#options = options;
    this.#pace = new UnitPace(options.rate);
  }

  async run(): Promise<void> {
    const segments = this.#sink.segments.map((_, at) => at);
    const ends = await Promise.allSettled(segments.map((segment) => this.#segment(segment)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined && !this.#options.signal.aborted) throw failed.reason;
  }

  async #segment(segment: number): Promise<void> {
    const { signal, output } = this.#options;
    const { segments } = this.#sink;
    try {
      for (let state = segments[segment]!; state !== 'end' && !this.#failed; ) {
        await this.#turn();
        if (signal.aborted || output.isUnread || this.#failed) return;
        const page = await this.#page(segment, state);
        state = page.LastEvaluatedKey === undefined ? 'end' : { at: page.LastEvaluatedKey };
        const lines = (page.Items ?? []).map((item) => `${JSON.stringify(item)}\n`).join('');
        this.#sink.add(segment, lines, page.Count, state);
        this.#scanned += page.ScannedCount;
        this.#progress();
      }
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  /** One page at a time asks for its turn, so that all segments together keep the pace. */
  #queue: Promise<void> = Promise.resolve();
  #turn(): Promise<void> {
    this.#queue = this.#queue.then(() => this.#pace.turn(this.#options.signal));
    return this.#queue;
  }

  async #page(segment: number, state: SegmentState): Promise<Page> {
    const { signal, output } = this.#options;
    const open = this.#sink.segments.filter((one) => one !== 'end').length;
    const limit = this.#pace.pageLimit(open);
    const input = {
      ...this.#request,
      ...(this.#sink.segments.length > 1
        ? { Segment: segment, TotalSegments: this.#sink.segments.length }
        : {}),
      ...(typeof state === 'object' ? { ExclusiveStartKey: state.at } : {}),
      ...(limit === undefined ? {} : { Limit: limit }),
      ReturnConsumedCapacity: 'TOTAL',
    };
    for (let attempt = 1; ; attempt++) {
      try {
        const page = await this.#caller.call<Page>('Scan', input);
        const units = page.ConsumedCapacity?.CapacityUnits ?? 0;
        this.#units += units;
        this.#pace.charge(units, page.ScannedCount);
        return page;
      } catch (error) {
        const isPassing = error instanceof Unreachable || (error instanceof Refusal && error.isPassing);
        if (signal.aborted || !isPassing || attempt === attemptsMax) throw error;
        if (attempt === 1) output.log('warning', `${error.message}; trying again.`);
        await wait(Math.min(100 * 2 ** attempt, 10_000), undefined, { signal });
      }
    }
  }

  #progress(): void {
    const { output, expected } = this.#options;
    const now = performance.now();
    if (now - this.#savedAt > saveEveryMs) {
      this.#sink.save();
      this.#savedAt = now;
    }
    const seconds = Math.max(0.001, (now - this.#began) / 1_000);
    const total = expected === undefined || expected === 0 ? '' : ` of about ${figure(expected)}`;
    const left = this.#sink.segments.filter((one) => one !== 'end').length;
    output.progress(
      `${figure(this.#scanned)}${total} items read, ${figure(this.#sink.items)} kept · ${figure(this.#units / seconds)} units/s · ${left} of ${this.#sink.segments.length} segments left`,
    );
  }

  tell(file: string | undefined): void {
    const { output } = this.#options;
    const seconds = (performance.now() - this.#began) / 1_000;
    const where = file === undefined ? '' : ` in ${file}`;
    output.log(
      'info',
      `${figure(this.#sink.items)} items${where}; ${figure(this.#scanned)} read with ${figure(this.#units)} units in ${figure(seconds)} seconds.`,
    );
  }
}

function figure(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}
