import { createWriteStream, type WriteStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { environmentCredentials, type RequestCredentials, signedHeaders } from './aws-request.ts';
import type { Run } from './command.ts';
import { Failure, messageOf } from './failure.ts';
import { listed, type recordOptions } from './flags.ts';
import { StopSignals } from './stop-signals.ts';

const pollMs = 500;

/** Records the requests of a running server into a traffic file until a signal comes or the time is over. */
export const record: Run<typeof recordOptions> = async (settings, { output, environment }) => {
  const { endpoint, out, plain, tables, seconds, lines } = settings;
  const ask = asker(endpoint.value, environmentCredentials(environment));
  const signals = new StopSignals();
  const path = out.value ?? 'traffic.jsonl';
  let file: WriteStream | undefined;
  let written = 0;
  const keep = async (text: string) => {
    if (text === '') return;
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
    file = await openFile(path).catch(async (error: unknown) => {
      await ask('DELETE').catch(() => {});
      throw error;
    });
    output.log('info', `Recording into ${path}; Ctrl-C ends it.`);
    const endMs =
      seconds.value === undefined ? Number.POSITIVE_INFINITY : performance.now() + seconds.value * 1000;
    for (let isOver = false; !isOver && !signals.asked.aborted && performance.now() < endMs; ) {
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

function openFile(path: string): Promise<WriteStream> {
  return new Promise((resolve, reject) => {
    // A recording never replaces a file: whatever is there is somebody's.
    const file = createWriteStream(path, { flags: 'wx' });
    file.once('open', () => resolve(file));
    file.once('error', (error) =>
      reject(new Failure(`${path} cannot be written: ${messageOf(error)}.`, undefined, error)),
    );
  });
}

function asker(endpoint: string, credentials: RequestCredentials | undefined) {
  const url = new URL('/_stator/record', endpoint);
  return async (method: 'POST' | 'GET' | 'DELETE', input?: object) => {
    const body = input === undefined ? '' : JSON.stringify(input);
    const headers =
      credentials === undefined
        ? {}
        : signedHeaders({
            method,
            url,
            target: 'Stator.Record',
            body,
            region: 'us-east-1',
            credentials,
            now: new Date(),
          });
    let response: Response;
    try {
      response = await fetch(url, { method, headers, ...(body === '' ? {} : { body }) });
    } catch (error) {
      throw new Failure(
        `No Stator answers at ${endpoint}: ${messageOf(error)}.`,
        'Start one with stator start, or name another with --endpoint.',
        error,
      );
    }
    const text = await response.text();
    if (response.ok) return { text, isOver: response.headers.get('x-stator-recording') === 'over' };
    let told: unknown;
    try {
      told = (JSON.parse(text) as { readonly error?: unknown }).error;
    } catch {
      // Somebody else answered: its text is no use here.
    }
    throw new Failure(
      typeof told === 'string' ? `${told}.` : `${url.href} answered with status ${response.status}.`,
    );
  };
}
