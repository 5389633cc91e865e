import type { WriteStream } from 'node:fs';
import { privateWriteStream } from '../files/private-files.ts';
import { ServiceError } from '../kit/service-error.ts';
import { machine, wait } from '../runtime/machine/machine.ts';
import { controlAnswer } from './ask-control.ts';
import type { Run } from './command.ts';
import { Failure, messageOf } from './failure.ts';
import { listed, type recordOptions } from './flags.ts';
import { callFailure, openCaller } from './open-caller.ts';
import type { Environment } from './settings.ts';
import { StopSignals } from './stop-signals.ts';

const pollMs = 500;

/** Records the requests of a running server into a traffic file until a signal comes or the time is over. */
export const record: Run<typeof recordOptions> = async (settings, { output, environment }) => {
  const { endpoint, out, plain, tables, seconds, lines } = settings;
  const ask = asker(endpoint.value, environment);
  const signals = new StopSignals();
  const path = out.value ?? 'traffic.jsonl';
  let file: WriteStream | undefined;
  let written = 0;
  let described: readonly object[] = [];
  const keep = async (given: string) => {
    if (given === '') return;
    const text = written === 0 ? withTables(given, described) : given;
    written += text.split('\n').length - 1;
    await new Promise<void>((resolve, reject) =>
      file!.write(text, (error) => (error ? reject(error) : resolve())),
    );
  };
  try {
    await ask('POST', {
      plain: plain.value,
      ...(tables.value === undefined ? {} : { tables: listed(tables.value) }),
      ...(lines.value === undefined ? {} : { linesMax: lines.value }),
    });
    try {
      described = await describedTables(endpoint.value, environment, signals.asked, tables.value);
      file = await openFile(path);
    } catch (error) {
      await ask('DELETE').catch(() => {});
      throw error;
    }
    output.log('info', `Recording into ${path}; Ctrl-C ends it.`);
    const endMs =
      seconds.value === undefined ? Number.POSITIVE_INFINITY : machine.stopwatchMs() + seconds.value * 1000;
    for (let isOver = false; !isOver && !signals.asked.aborted && machine.stopwatchMs() < endMs; ) {
      await wait(pollMs, undefined, { signal: signals.asked }).catch(() => {});
      const answer = await ask('GET');
      await keep(answer.text);
      isOver = answer.isOver;
      output.progress(`${Math.max(0, written - 1).toLocaleString('en-US')} requests`);
    }
    await keep((await ask('DELETE')).text);
  } finally {
    signals.release();
    const open = file;
    if (open !== undefined) await new Promise<void>((resolve) => open.end(() => resolve()));
  }
  const requests = Math.max(0, written - 1);
  output.result(
    'recorded',
    { path, requests },
    () => `Recorded ${requests.toLocaleString('en-US')} requests into ${path}.`,
  );
};

/** The tables that there are, as DescribeTable shows them, so that stator lab can make them again. */
async function describedTables(
  endpoint: string,
  environment: Environment,
  signal: AbortSignal,
  wanted: string | undefined,
): Promise<object[]> {
  const setting = { endpoint: { value: endpoint }, region: { value: undefined } };
  const caller = openCaller(setting as never, environment, signal);
  try {
    let names = wanted === undefined ? [] : listed(wanted);
    let ExclusiveStartTableName: string | undefined;
    if (wanted === undefined)
      do {
        const page: ListedTables = await caller.call('ListTables', {
          ...(ExclusiveStartTableName && { ExclusiveStartTableName }),
        });
        names = [...names, ...page.TableNames];
        ExclusiveStartTableName = page.LastEvaluatedTableName;
      } while (ExclusiveStartTableName !== undefined);
    const found: object[] = [];
    for (const TableName of names.slice(0, tablesMax)) {
      const answer = await caller
        .call<{ readonly Table: object }>('DescribeTable', { TableName })
        .catch((error: unknown) => {
          // A table that was named and is not there yet may come while the recording goes on.
          if (error instanceof ServiceError) return undefined;
          throw error;
        });
      if (answer !== undefined) found.push(answer.Table);
    }
    return found;
  } catch (error) {
    throw callFailure(error, endpoint);
  }
}

interface ListedTables {
  readonly TableNames: string[];
  readonly LastEvaluatedTableName?: string;
}

const tablesMax = 1_000;

/** The beginning of a traffic file, with tables in its header. */
function withTables(text: string, described: readonly object[]): string {
  const end = text.indexOf('\n');
  if (described.length === 0 || end < 0) return text;
  const header = { ...(JSON.parse(text.slice(0, end)) as object), tables: described };
  return `${JSON.stringify(header)}${text.slice(end)}`;
}

function openFile(path: string): Promise<WriteStream> {
  return new Promise((resolve, reject) => {
    // A recording never replaces a file: whatever is there is somebody's.
    const file = privateWriteStream(path, 'wx');
    file.once('open', () => resolve(file));
    file.once('error', (error) =>
      reject(new Failure(`${path} cannot be written: ${messageOf(error)}.`, undefined, error)),
    );
  });
}

/** The recorder of a server: POST begins, GET takes what was recorded since, DELETE ends. */
function asker(endpoint: string, environment: Environment) {
  const server = { endpoint, region: undefined, environment };
  return async (method: 'POST' | 'GET' | 'DELETE', input?: object) => {
    const { text, header } = await controlAnswer(server, method, '/_stator/record', input);
    return { text, isOver: header('x-stator-recording') === 'over' };
  };
}
