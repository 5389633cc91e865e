import type { EndpointCaller } from '../kit/endpoint-caller.ts';
import { repeat } from '../kit/repeat.ts';
import { StreamReader, type StreamRecord } from '../kit/stream-reader.ts';
import { toolPolicies } from '../kit/tool-policies.ts';
import { machine, wait } from '../runtime/machine/machine.ts';
import { changeFilter } from './change-filter.ts';
import { changeText } from './change-text.ts';
import type { Run } from './command.ts';
import { Failure, UsageError } from './failure.ts';
import type { tailOptions } from './flags.ts';
import { callFailure, openCaller } from './open-caller.ts';
import type { Output } from './output.ts';
import { repeatDeps } from './repeat-deps.ts';
import { StopSignals } from './stop-signals.ts';

/** Prints the changes of a table until a signal comes, its stream ends, or nobody reads them any more. */
export const tail: Run<typeof tailOptions> = async (
  settings,
  { output, operand: tableName, environment },
) => {
  if (tableName === undefined)
    throw new UsageError('There is no table to follow.', 'Write stator tail <table>.');
  const { endpoint, event, key, where, from, enable } = settings;
  const sinceMs = /^(now|oldest)$/.test(from.value) ? undefined : Date.parse(from.value);
  const wanted = { event: event.value, key: key.value, where: where.value, sinceMs };
  // What is wrong with them is told before anybody is asked.
  changeFilter(wanted, '');
  const signals = new StopSignals();
  try {
    const caller = openCaller(settings, environment, signals.asked);
    const table = await describe(caller, tableName, endpoint.value);
    const streamArn =
      streamOf(table) ?? (enable.value ? await enableStream(caller, tableName, signals.asked) : undefined);
    if (streamArn === undefined)
      throw new Failure(
        `Table ${tableName} has no stream, so that its changes cannot be followed.`,
        'Switch one on with --enable; it stays on until UpdateTable switches it off.',
      );
    const partitionKey = table.KeySchema.find(({ KeyType }) => KeyType === 'HASH')!.AttributeName;
    const isWanted = changeFilter(wanted, partitionKey);
    const changes = new StreamReader({
      streamArn,
      from: from.value === 'now' ? 'now' : 'oldest',
      call: (operation, input) => caller.callStreams(operation, input),
      nowMs: machine.nowMs,
      trimmed: () =>
        output.log(
          'warning',
          'Some changes are older than 24 hours and gone from the stream; going on with the oldest.',
        ),
    });
    await changes.begin();
    output.log('info', `Following ${tableName}; Ctrl-C ends it.`);
    await print(changes, isWanted, {
      output,
      signal: signals.asked,
      pollMs: endpoint.value === 'aws' ? 1_000 : 200,
    });
  } catch (error) {
    if (!signals.asked.aborted) throw callFailure(error, endpoint.value);
  } finally {
    signals.release();
  }
};

interface Printing {
  readonly output: Output;
  readonly signal: AbortSignal;
  /** A shard may be read five times a second on AWS, by all its readers together. */
  readonly pollMs: number;
}

async function print(
  changes: StreamReader,
  isWanted: (change: StreamRecord) => boolean,
  { output, signal, pollMs }: Printing,
): Promise<void> {
  const deps = repeatDeps(signal);
  while (!signal.aborted && !output.isUnread) {
    const found = await repeat(() => changes.poll(), {
      ...{ ...deps, signal, policy: { ...toolPolicies.follow, baseMs: 2 * pollMs } },
      repeats: ({ message }, attempt) => {
        if (attempt === 1) output.log('warning', `${message}; trying again.`);
      },
    });
    for (const { record } of found) if (isWanted(record)) show(record, output);
    if (changes.isOver) {
      output.log('info', 'The stream has ended.');
      return;
    }
    await deps.pause(pollMs).catch(() => {});
  }
}

function show(change: StreamRecord, output: Output): void {
  if (output.isJson) output.print(JSON.stringify(change));
  else output.result('change', {}, (style) => changeText(change, style));
}

interface TableAnswer {
  readonly TableStatus: string;
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: string }[];
  readonly StreamSpecification?: { readonly StreamEnabled: boolean };
  readonly LatestStreamArn?: string;
}

async function describe(caller: EndpointCaller, TableName: string, endpoint: string): Promise<TableAnswer> {
  try {
    return (await caller.call<{ Table: TableAnswer }>('DescribeTable', { TableName })).Table;
  } catch (error) {
    throw callFailure(error, endpoint);
  }
}

/** A stream that was switched off has an ARN too. */
function streamOf({
  StreamSpecification: specification,
  LatestStreamArn: arn,
}: TableAnswer): string | undefined {
  return specification?.StreamEnabled === true ? arn : undefined;
}

async function enableStream(caller: EndpointCaller, TableName: string, signal: AbortSignal): Promise<string> {
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };
  await caller.call('UpdateTable', { TableName, StreamSpecification });
  for (;;) {
    const { Table } = await caller.call<{ Table: TableAnswer }>('DescribeTable', { TableName });
    const arn = streamOf(Table);
    if (arn !== undefined && Table.TableStatus === 'ACTIVE') return arn;
    await wait(500, undefined, { signal });
  }
}
