import { setTimeout as wait } from 'node:timers/promises';
import { changeFilter } from './change-filter.ts';
import { changeText } from './change-text.ts';
import type { Run } from './command.ts';
import type { DynamoDbCaller } from './dynamodb-caller.ts';
import { Failure, messageOf, UsageError } from './failure.ts';
import type { tailOptions } from './flags.ts';
import { callFailure, openCaller } from './open-caller.ts';
import type { Output } from './output.ts';
import { StopSignals } from './stop-signals.ts';
import { isPassing, StreamChanges, type StreamedChange } from './stream-changes.ts';

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
    const warn = (line: string) => output.log('warning', line);
    const changes = new StreamChanges(caller, {
      streamArn,
      from: from.value === 'now' ? 'now' : 'oldest',
      warn,
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
  changes: StreamChanges,
  isWanted: (change: StreamedChange) => boolean,
  { output, signal, pollMs }: Printing,
): Promise<void> {
  for (let failures = 0; !signal.aborted && !output.isUnread; ) {
    try {
      for (const change of await changes.poll()) if (isWanted(change)) show(change, output);
      failures = 0;
      if (changes.isOver) {
        output.log('info', 'The stream has ended.');
        return;
      }
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      if (failures++ === 0) output.log('warning', `${messageOf(error)}; trying again.`);
    }
    const ms = Math.min(pollMs * 2 ** Math.min(failures, 8), 10_000);
    await wait(ms, undefined, { signal }).catch(() => {});
  }
}

function show(change: StreamedChange, output: Output): void {
  if (output.isJson) output.print(JSON.stringify(change));
  else output.result('change', {}, (style) => changeText(change, style));
}

interface TableAnswer {
  readonly TableStatus: string;
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: string }[];
  readonly StreamSpecification?: { readonly StreamEnabled: boolean };
  readonly LatestStreamArn?: string;
}

async function describe(caller: DynamoDbCaller, TableName: string, endpoint: string): Promise<TableAnswer> {
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

async function enableStream(caller: DynamoDbCaller, TableName: string, signal: AbortSignal): Promise<string> {
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };
  await caller.call('UpdateTable', { TableName, StreamSpecification });
  for (;;) {
    const { Table } = await caller.call<{ Table: TableAnswer }>('DescribeTable', { TableName });
    const arn = streamOf(Table);
    if (arn !== undefined && Table.TableStatus === 'ACTIVE') return arn;
    await wait(500, undefined, { signal });
  }
}
