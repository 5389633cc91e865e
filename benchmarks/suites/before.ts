import { existsSync } from 'node:fs';
import { type CaseName, cases } from '../http/cases.ts';
import { measureServers, type ServerResult } from '../http/measure-servers.ts';
import { serverTable } from '../http/server-table.ts';
import { atMost, type Finding, ratio, type Suite } from '../suite.ts';
import { httpSettings } from './http.ts';

/** The most that an operation may cost more than before: each case by itself, and all of them on average. */
const caseMax = 1.12;
const meanMax = 1.08;

/**
 * Our server beside another build of itself, by the processor time that each spends on an operation. The two take turns
 * within each round, so that what the machine does meanwhile happens to both; throughput on a shared machine is too
 * noisy to judge by. Reads are measured in memory, writes in memory and on disk.
 */
export const before: Suite = async (options, onProgress) => {
  const against = options.against;
  if (against === undefined || !existsSync(`${against}/cli/main.js`))
    throw new Error('--against must name the dist directory of another build, such as ../before/dist');
  const base = { ...httpSettings(options), rounds: options.rounds ?? (options.small ? 1 : 10), against };
  const isWrite = (name: CaseName) => ['put', 'update', 'transact'].includes(name);
  const groups = base.groups.map((group) => group.slice(0, 1));
  const inMemory = await measureServers({ ...base, groups, contenders: ['stator', 'before'] }, onProgress);
  const writes = groups.filter(([name]) => isWrite(name!));
  const onDisk =
    writes.length === 0
      ? undefined
      : await measureServers(
          { ...base, groups: writes, contenders: ['stator-lmdb', 'before-lmdb'] },
          onProgress,
        );
  const results = [...inMemory.results, ...(onDisk?.results ?? [])];
  const findings = results.flatMap((result) => costOf(result, results));
  const costs = findings.flatMap(({ value }) => (value === null ? [] : [value]));
  const mean = Math.exp(costs.reduce((sum, cost) => sum + Math.log(cost), 0) / costs.length);
  return {
    findings: [...findings, atMost('server CPU per operation, geometric mean', mean, meanMax)],
    tables: [serverTable('This build and the one before', results)],
    hash: inMemory.hash,
    notes: inMemory.notes,
  };
};

function costOf(result: ServerResult, results: readonly ServerResult[]): Finding[] {
  if (result.version !== 'this') return [];
  const other = results.find(
    ({ version, case: name, keeps }) =>
      version === 'before' && name === result.case && keeps === result.keeps,
  );
  const cost = ratio(result.serverCpuMicros ?? undefined, other?.serverCpuMicros ?? null);
  return [atMost(`${cases[result.case].title}, ${result.keeps}: server CPU to before`, cost, caseMax)];
}
