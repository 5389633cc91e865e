import { type CaseName, cases } from '../http/cases.ts';
import type { ContenderName } from '../http/contenders.ts';
import { measureServers, type ServerResult } from '../http/measure-servers.ts';
import { serverTable } from '../http/server-table.ts';
import { atMost, type Finding, type OnProgress, type Options, type Report, ratio } from '../suite.ts';
import { httpSettings } from './http.ts';

/** The most that an operation may cost more than beside it: each case by itself, and all of them on average. */
const caseMax = 1.12;
const meanMax = 1.08;

/** Another server that ours is compared with. */
export interface Beside {
  /** In memory, and on lmdb. */
  readonly contenders: { readonly memory: ContenderName; readonly lmdb: ContenderName };
  /** What its results say of its version. */
  readonly version: string;
  readonly title: string;
  /** The end of a finding's name: `server CPU to before`. */
  readonly compared: string;
  /** The dist directory of another build. */
  readonly against?: string;
}

/**
 * What our server costs beside another one, by the processor time that each spends on an operation. The two take turns
 * within each round, so that what the machine does meanwhile happens to both; throughput on a shared machine is too
 * noisy to judge by. Reads are measured in memory, writes in memory and on disk.
 */
export async function costBeside(
  options: Options,
  onProgress: OnProgress,
  { contenders, version, title, compared, against }: Beside,
): Promise<Report> {
  const base = {
    ...httpSettings(options),
    rounds: options.rounds ?? (options.small ? 1 : 10),
    ...(against !== undefined && { against }),
  };
  const isWrite = (name: CaseName) => ['put', 'update', 'transact'].includes(name);
  const groups = base.groups.map((group) => group.slice(0, 1));
  const inMemory = await measureServers(
    { ...base, groups, contenders: ['stator', contenders.memory] },
    onProgress,
  );
  const writes = groups.filter(([name]) => isWrite(name!));
  const onDisk =
    writes.length === 0
      ? undefined
      : await measureServers(
          { ...base, groups: writes, contenders: ['stator-lmdb', contenders.lmdb] },
          onProgress,
        );
  const results = [...inMemory.results, ...(onDisk?.results ?? [])];
  const findings = results.flatMap((result) => costOf(result, results, version, compared));
  const costs = findings.flatMap(({ value }) => (value === null ? [] : [value]));
  const mean = Math.exp(costs.reduce((sum, cost) => sum + Math.log(cost), 0) / costs.length);
  return {
    findings: [...findings, atMost('server CPU per operation, geometric mean', mean, meanMax)],
    tables: [serverTable(title, results)],
    hash: inMemory.hash,
    notes: inMemory.notes,
  };
}

function costOf(
  result: ServerResult,
  results: readonly ServerResult[],
  version: string,
  compared: string,
): Finding[] {
  if (result.version !== 'this') return [];
  const other = results.find(
    (each) => each.version === version && each.case === result.case && each.keeps === result.keeps,
  );
  const cost = ratio(result.serverCpuMicros ?? undefined, other?.serverCpuMicros ?? null);
  return [atMost(`${cases[result.case].title}, ${result.keeps}: ${compared}`, cost, caseMax)];
}
