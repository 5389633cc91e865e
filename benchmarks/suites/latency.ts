import { median } from '../compare.ts';
import type { CaseName } from '../http/cases.ts';
import type { Load } from '../http/lap.ts';
import type { LoadGenerator } from '../http/load-generator.ts';
import { jobBasis, type ServerSettings, withServers } from '../http/measure-servers.ts';
import type { ServerProcess } from '../http/server-process.ts';
import { grouped } from '../report.ts';
import { atMost, type Finding, type OnProgress, type Suite } from '../suite.ts';
import { httpSettings } from './http.ts';

/** Reads and writes in turn. */
export const mix: readonly CaseName[] = ['get', 'query', 'get', 'put'];

/**
 * The times of single requests while the server has half of what it can do, and the longest that any of them took.
 * The bare server takes the same load in the same turns, and what it shows is the machine's and the generator's.
 */
export const latency: Suite = async (options, onProgress) => {
  const { small } = options;
  const seconds = options.seconds ?? (small ? 0.2 : 30);
  const rounds = options.rounds ?? (small ? 1 : Math.max(1, Math.min(5, Math.round(seconds / 6))));
  const settings: ServerSettings = {
    ...httpSettings({ ...options, what: ['get'] }),
    contenders: options.contenders ?? (small ? ['stator', 'bare'] : ['stator', 'stator-lmdb', 'bare']),
    warmUpSeconds: small ? 0.05 : 1,
  };
  return withServers(settings, onProgress, async ({ servers, generator, notes }) => {
    const peaks = new Map<ServerProcess, number>();
    for (const server of servers) {
      onProgress(`${server.contender.name}: its peak`);
      peaks.set(server, await peakOf(server, generator, settings, small ? 0.1 : 3));
    }
    const laps = new Map(servers.map((server) => [server, [] as Load[]]));
    await takeTurns(laps, peaks, generator, settings, { seconds: seconds / rounds, rounds }, onProgress);
    const findings: Finding[] = [];
    const rows: string[][] = [];
    for (const [server, done] of laps) {
      const { name, side } = server.contender;
      const [p50, p99] = [median(done.map((lap) => lap.p50)), median(done.map((lap) => lap.p99))];
      const pause = Math.max(...done.map(({ max }) => max));
      const ownPause = Math.max(...done.map((lap) => lap.ownPause));
      if (side === 'ours') {
        findings.push(atMost(`${name}: p99 at half of the peak to p50`, p99 / p50, 5));
        findings.push(atMost(`${name}: longest pause in ${seconds} s`, pause, 50, 'ms'));
      }
      const sent = done.reduce((sum, { operations }) => sum + operations, 0);
      rows.push([
        name,
        grouped(peaks.get(server)!),
        grouped(sent),
        ...[p50, p99, pause, ownPause].map((ms) => ms.toFixed(2)),
      ]);
    }
    const head = [
      'server',
      'peak, ops/s',
      'requests at half of it',
      'p50, ms',
      'p99, ms',
      'longest, ms',
      'longest that the generator itself stood still, ms',
    ];
    return { findings, tables: [{ title: `Half of the peak load, ${seconds} s each`, head, rows }], notes };
  });
};

async function takeTurns(
  laps: ReadonlyMap<ServerProcess, Load[]>,
  peaks: ReadonlyMap<ServerProcess, number>,
  generator: LoadGenerator,
  settings: ServerSettings,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
  onProgress: OnProgress,
): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const [server, done] of laps) {
      onProgress(`${server.contender.name}: round ${round + 1} of ${rounds}`);
      done.push(
        await generator.run({
          ...jobBasis(server, settings),
          kind: 'measure',
          names: mix,
          perSecond: peaks.get(server)! / 2,
          warmUpSeconds: settings.warmUpSeconds,
          seconds,
        }),
      );
    }
}

/** What the server does of the mix when every connection has a request under way. */
export async function peakOf(
  server: ServerProcess,
  generator: LoadGenerator,
  settings: ServerSettings,
  seconds: number,
): Promise<number> {
  const { operations, seconds: taken } = await generator.run({
    ...jobBasis(server, settings),
    kind: 'measure',
    names: mix,
    warmUpSeconds: settings.warmUpSeconds,
    seconds,
  });
  return operations / taken;
}
