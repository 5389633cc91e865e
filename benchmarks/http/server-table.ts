import { grouped } from '../report.ts';
import { atLeast, type Finding, ratio, type Table } from '../suite.ts';
import { type CaseName, cases } from './cases.ts';
import type { ServerResult } from './measure-servers.ts';

export function serverTable(title: string, results: readonly ServerResult[]): Table {
  return {
    title,
    head: [
      'case',
      'server',
      'version',
      'keeps data',
      'ops/s',
      'rounds',
      'p50, ms',
      'p99, ms',
      'server CPU, µs/op',
      'load CPU',
      'to best peer',
      'to bare',
    ],
    rows: results.map((result) => [
      cases[result.case].title,
      result.name,
      result.version,
      result.keeps,
      grouped(result.operationsPerSecond),
      `${grouped(result.spread[0])}–${grouped(result.spread[1])}`,
      result.p50.toFixed(2),
      result.p99.toFixed(2),
      result.serverCpuMicros?.toFixed(0) ?? '',
      `${(result.loadCpu * 100).toFixed(0)} %`,
      result.side === 'ours' ? (toBestPeer(beside(results, result), result)?.toFixed(2) ?? '') : '',
      ratio(
        result.operationsPerSecond,
        rateOf(beside(results, result), bareOf(result), result.case),
      )?.toFixed(2) ?? '',
    ]),
  };
}

/** The results of the same turns. */
function beside(results: readonly ServerResult[], { group }: ServerResult): ServerResult[] {
  return results.filter((other) => other.group === group);
}

/** A write that is synced is compared with the bare server that syncs as well, where there is one. */
function bareOf({ keeps }: ServerResult): string {
  return keeps === 'on disk, synced' ? 'bare-lmdb' : 'bare';
}

/** To the fastest peer that keeps data as we do. */
function toBestPeer(results: readonly ServerResult[], ours: ServerResult): number | null {
  const inMemory = ours.keeps === 'in memory';
  return ratio(
    ours.operationsPerSecond,
    bestPeer(results, ours.case, (peer) => (peer.keeps === 'in memory') === inMemory),
  );
}

export function bestPeer(
  results: readonly ServerResult[],
  name: CaseName,
  matches: (peer: ServerResult) => boolean = ({ keeps }) => keeps === 'in memory',
): number | null {
  const rates = results
    .filter((result) => result.side === 'peer' && result.case === name && matches(result))
    .map(({ operationsPerSecond }) => operationsPerSecond);
  return rates.length === 0 ? null : Math.max(...rates);
}

export function rateOf(results: readonly ServerResult[], server: string, name: CaseName): number | null {
  return (
    results.find((result) => result.name === server && result.case === name)?.operationsPerSecond ?? null
  );
}

/** How one of our servers stands to the best peer in memory; none when no peer took part. */
export function againstPeers(
  results: readonly ServerResult[],
  server: string,
  name: CaseName,
  bar: number,
): Finding[] {
  const peer = bestPeer(results, name);
  const ours = rateOf(results, server, name);
  if (peer === null) return [];
  return [atLeast(`${cases[name].title}, ${server} to the best peer in memory`, ratio(ours, peer), bar)];
}
