import { availableParallelism } from 'node:os';
import { type CaseName, cases } from '../http/cases.ts';
import { workerCount } from '../http/contenders.ts';
import { measureServers, type ServerSettings } from '../http/measure-servers.ts';
import { rateOf, serverTable } from '../http/server-table.ts';
import { grouped } from '../report.ts';
import { ratio, type Suite, seen } from '../suite.ts';

const measured: readonly CaseName[] = ['get', 'put'];

/** A server of several processes beside one of one, on the same kind of store. */
export const workers: Suite = async (options, onProgress) => {
  const { small } = options;
  const settings: ServerSettings = {
    seed: options.seed,
    items: options.items ?? (small ? 100 : 20_000),
    connections: options.connections ?? (small ? 4 : 64),
    seconds: options.seconds ?? (small ? 0.2 : 2),
    warmUpSeconds: small ? 0.02 : 0.5,
    rounds: options.rounds ?? (small ? 1 : 7),
    contenders: options.contenders ?? ['stator-lmdb', 'stator-lmdb-workers'],
    groups: measured.map((name) => [name]),
    nodeFlags: options.nodeFlags,
  };
  const { results, hash, notes } = await measureServers(settings, onProgress);
  const findings = measured.map((name) => {
    const [one, several] = ['stator-lmdb', 'stator-lmdb-workers'].map((server) =>
      rateOf(results, server, name),
    );
    return seen(`${cases[name].title}, durable, ${workerCount} workers to one process`, ratio(several, one));
  });
  const title = `${grouped(settings.items)} items, ${settings.connections} connections`;
  return { findings, tables: [serverTable(title, results)], hash, notes: [...notes, ...coresNote()] };
};

/** The load generator takes a core too, and the primary a part of one. */
function coresNote(): string[] {
  const cores = availableParallelism();
  if (cores > workerCount) return [];
  return [
    `${cores} cores for ${workerCount} workers and the load generator: what more workers give cannot show here`,
  ];
}
