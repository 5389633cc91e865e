import { dirname } from 'node:path';
import { median } from '../compare.ts';
import { askServer } from '../http/ask-server.ts';
import { buildPackage } from '../http/built-package.ts';
import { Connection } from '../http/connection.ts';
import { binary, type Contender } from '../http/contenders.ts';
import { type Load, runLap } from '../http/lap.ts';
import { LoadGenerator } from '../http/load-generator.ts';
import { jobBasis } from '../http/measure-servers.ts';
import { ServerProcess } from '../http/server-process.ts';
import { RequestSigner } from '../http/signed-request.ts';
import { grouped } from '../report.ts';
import { atMost, type Finding, type OnProgress, type Suite } from '../suite.ts';
import { httpSettings } from './http.ts';
import { mix, peakOf } from './latency.ts';

/** The bar: p99 while items are deleted, to p99 without. */
const p99Max = 3;

const sessionsName = 'Sessions';
const expiresInSeconds = 3_600;

/**
 * Many items expire in the same second, and are deleted while requests to another table come at half of the rate that
 * the server can do. The servers have a clock that stands still until it is moved, so that the time before and the time
 * of the sweep can be told apart: the answer to the request that moves the clock comes when all of them are gone.
 */
export const sweep: Suite = async (options, onProgress) => {
  const { small } = options;
  const expiring = options.items ?? (small ? 500 : 1_000_000);
  const lapSeconds = options.seconds ?? (small ? 0.1 : 5);
  const rounds = options.rounds ?? (small ? 1 : 5);
  const { items: _, ...others } = options;
  const settings = {
    ...httpSettings({ ...others, what: ['get'] }),
    warmUpSeconds: small ? 0.05 : 1,
  };
  const generator = new LoadGenerator();
  const findings: Finding[] = [];
  const rows: string[][] = [];
  try {
    for (const contender of contenders(options.nodeFlags)) {
      const note = (what: string) => onProgress(`${contender.name}: ${what}`);
      const server = await ServerProcess.start(contender);
      try {
        await server.createTable();
        const basis = jobBasis(server, settings);
        await generator.run({ ...basis, kind: 'load', from: 0, to: settings.items });
        note(`loading ${expiring} items that will expire`);
        await loadSessions(server, expiring);
        const loaded = await countSessions(server);
        note('its peak');
        const peak = await peakOf(server, generator, settings, small ? 0.1 : 3);
        const lap = () =>
          generator.run({
            ...basis,
            kind: 'measure',
            names: mix,
            perSecond: peak / 2,
            warmUpSeconds: settings.warmUpSeconds,
            seconds: lapSeconds,
          });
        const before: Load[] = [];
        for (let round = 0; round < rounds; round++) {
          note(`before, round ${round + 1} of ${rounds}`);
          before.push(await lap());
        }
        const during = await lapsWhileSweeping(server, lap, note);
        const left = await countSessions(server);
        if (loaded !== expiring || left !== 0)
          throw new Error(
            `${contender.name}: of ${expiring} items ${loaded} were there and ${left} are left`,
          );
        const [p99, p99During] = [p99Of(before), p99Of(during.laps)];
        findings.push(
          atMost(
            `${contender.name}: p99 while ${grouped(expiring)} items are deleted, to before`,
            p99During / p99,
            p99Max,
          ),
        );
        rows.push([
          contender.name,
          String(loaded - left),
          during.sweepSeconds.toFixed(1),
          grouped(peak / 2),
          ...[p99, p99During, longestOf(before), longestOf(during.laps)].map((ms) => ms.toFixed(2)),
          String(during.laps.length),
        ]);
      } finally {
        await server.stop();
      }
    }
  } finally {
    generator.stop();
  }
  const head = [
    'server',
    'items deleted',
    'in seconds',
    'requests/s meanwhile',
    'p99 before, ms',
    'p99 during, ms',
    'longest before, ms',
    'longest during, ms',
    'rounds during',
  ];
  return { findings, tables: [{ title: 'Half of the peak load', head, rows }], notes: [] };
};

/** The published command, with a clock that is moved by hand. */
function contenders(nodeFlags: readonly string[]): Contender[] {
  const main = `${dirname(buildPackage())}/cli/main.js`;
  const command = (port: number, ...place: string[]) =>
    binary(process.execPath, [
      ...[...nodeFlags, main, 'start', '--quiet', '--clock', 'virtual'],
      ...['--port', String(port), ...place],
    ]);
  const ours = { version: 'this', side: 'ours' } as const;
  return [
    { ...ours, name: 'stator', keeps: 'in memory', command: ({ port }) => command(port, '--in-memory') },
    {
      ...ours,
      name: 'stator-lmdb',
      keeps: 'on disk, synced',
      command: ({ port, directory }) => command(port, '--data-dir', directory),
    },
  ];
}

/** A table whose items all expire in one second, an hour from now. */
async function loadSessions(server: ServerProcess, count: number): Promise<void> {
  await askServer(server, 'CreateTable', {
    TableName: sessionsName,
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  await askServer(server, 'UpdateTimeToLive', {
    TableName: sessionsName,
    TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
  });
  const expires = { N: String(Math.floor(Date.now() / 1_000) + expiresInSeconds) };
  const batches = Math.ceil(count / batchItems);
  const signer = new RequestSigner(server.port);
  await runLap(
    { port: server.port, pid: server.pid, connections: 16 },
    {
      verdict: (turn) => (turn < batches ? 'measured' : 'stop'),
      request: (turn) => {
        const from = turn * batchItems;
        const puts = Array.from({ length: Math.min(batchItems, count - from) }, (_, i) => ({
          PutRequest: { Item: { id: { S: `SESSION#${from + i}` }, expires, user: { S: `USER#${i}` } } },
        }));
        return signer.request('BatchWriteItem', { RequestItems: { [sessionsName]: puts } });
      },
      onAnswer: (_, status, body) => {
        if (status !== 200) throw new Error(`A batch was answered with ${status}: ${body.toString()}`);
      },
    },
    1_800,
  );
}

const batchItems = 25;

async function countSessions(server: ServerProcess): Promise<number> {
  let count = 0;
  let start: unknown;
  do {
    const page = await askServer(server, 'Scan', {
      TableName: sessionsName,
      Select: 'COUNT',
      ...(start !== undefined && { ExclusiveStartKey: start }),
    });
    count += Number(page.Count);
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return count;
}

/** The rounds that ended before the sweep did; the first in any case. */
async function lapsWhileSweeping(
  server: ServerProcess,
  lap: () => Promise<Load>,
  onProgress: OnProgress,
): Promise<{ readonly laps: readonly Load[]; readonly sweepSeconds: number }> {
  const start = performance.now();
  let sweepSeconds: number | undefined;
  const sweeping = advanceClock(server, 2 * expiresInSeconds).finally(() => {
    sweepSeconds = (performance.now() - start) / 1_000;
  });
  // It is awaited below; until then a failure only ends the rounds.
  sweeping.catch(() => {});
  const laps: Load[] = [];
  while (sweepSeconds === undefined) {
    onProgress(`while items are deleted, round ${laps.length + 1}`);
    const done = await lap();
    if (sweepSeconds === undefined || laps.length === 0) laps.push(done);
  }
  await sweeping;
  return { laps, sweepSeconds };
}

async function advanceClock({ port }: ServerProcess, seconds: number): Promise<void> {
  const body = JSON.stringify({ advanceMs: seconds * 1_000 });
  const head = [
    'POST /_stator/clock HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const { status, body: answer } = await Connection.ask(
    port,
    Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`),
  );
  if (status !== 200) throw new Error(`The clock could not be moved: ${answer}`);
}

function p99Of(laps: readonly Load[]): number {
  return median(laps.map(({ p99 }) => p99));
}

function longestOf(laps: readonly Load[]): number {
  return Math.max(...laps.map(({ max }) => max));
}
