import { setTimeout as wait } from 'node:timers/promises';
import { environmentCredentials } from './aws-request.ts';
import { changeFilter } from './change-filter.ts';
import { changeText } from './change-text.ts';
import type { Run } from './command.ts';
import { DynamoDbCaller, Refusal, Unreachable } from './dynamodb-caller.ts';
import { Failure, messageOf, UsageError } from './failure.ts';
import type { tailOptions } from './flags.ts';
import type { Output } from './output.ts';
import type { Environment, Settings } from './settings.ts';
import { StopSignals } from './stop-signals.ts';
import { isPassing, StreamChanges, type StreamedChange } from './stream-changes.ts';

type TailSettings = Settings<typeof tailOptions>;

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
    const caller = newCaller(settings, environment, signals.asked);
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
    if (!signals.asked.aborted) throw asFailure(error, endpoint.value);
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

function newCaller(
  { endpoint, region }: TailSettings,
  environment: Environment,
  signal: AbortSignal,
): DynamoDbCaller {
  const credentials = environmentCredentials(environment);
  if (credentials === undefined && endpoint.value === 'aws')
    throw new Failure(
      'There are no credentials for AWS in the environment.',
      'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as aws configure export-credentials --format env prints them.',
    );
  return new DynamoDbCaller({
    endpoint: endpoint.value,
    region: region.value ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1'),
    credentials: credentials ?? { accessKeyId: 'stator', secretAccessKey: 'stator', sessionToken: undefined },
    signal,
  });
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
    throw asFailure(error, endpoint);
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

function asFailure(error: unknown, endpoint: string): unknown {
  if (error instanceof Unreachable)
    return new Failure(
      `Nobody answers at ${endpoint}: ${error.message}.`,
      'Start a server with stator start, or name another with --endpoint.',
      error,
    );
  return error instanceof Refusal ? new Failure(`${error.name}: ${error.message}`, undefined, error) : error;
}
