import { type CaseName, cases } from '../http/cases.ts';
import { measureServers, type ServerResult } from '../http/measure-servers.ts';
import { serverTable } from '../http/server-table.ts';
import { atMost, type Finding, ratio, type Suite } from '../suite.ts';
import { httpSettings } from './http.ts';

/** The most that an operation may cost more when it is observed: each case by itself, and all of them on average. */
const caseMax = 1.1;
const meanMax = 1.06;

/**
 * What observation costs: our server as it is by default, beside itself with `--observe off`, by the processor time that
 * each spends on an operation. Both have the physical model in `shadow`. The two take turns within each round.
 */
export const observeCost: Suite = async (options, onProgress) => {
  const base = { ...httpSettings(options), rounds: options.rounds ?? (options.small ? 1 : 10) };
  const groups = base.groups.map((group) => group.slice(0, 1));
  const isWrite = ([name]: readonly CaseName[]) => ['put', 'update', 'transact'].includes(name!);
  const inMemory = await measureServers(
    { ...base, groups, contenders: ['stator', 'observe-off'] },
    onProgress,
  );
  const writes = groups.filter(isWrite);
  const onDisk =
    writes.length === 0
      ? undefined
      : await measureServers(
          { ...base, groups: writes, contenders: ['stator-lmdb', 'observe-off-lmdb'] },
          onProgress,
        );
  const results = [...inMemory.results, ...(onDisk?.results ?? [])];
  const findings = results.flatMap((result) => costOf(result, results));
  const costs = findings.flatMap(({ value }) => (value === null ? [] : [value]));
  const mean = Math.exp(costs.reduce((sum, cost) => sum + Math.log(cost), 0) / costs.length);
  return {
    findings: [...findings, atMost('server CPU per operation, geometric mean', mean, meanMax)],
    tables: [serverTable('observed and not', results)],
    hash: inMemory.hash,
    notes: inMemory.notes,
  };
};

function costOf(result: ServerResult, results: readonly ServerResult[]): Finding[] {
  if (result.version !== 'this') return [];
  const other = results.find(
    ({ version, case: name, keeps }) => version === 'off' && name === result.case && keeps === result.keeps,
  );
  const cost = ratio(result.serverCpuMicros ?? undefined, other?.serverCpuMicros ?? null);
  return [atMost(`${cases[result.case].title}, ${result.keeps}: server CPU observed to not`, cost, caseMax)];
}
