import { type CaseName, cases } from '../http/cases.ts';
import type { ContenderName } from '../http/contenders.ts';
import { measureServers, type ServerResult, type ServerSettings } from '../http/measure-servers.ts';
import { againstPeers, rateOf, serverTable } from '../http/server-table.ts';
import { grouped } from '../report.ts';
import { atLeast, type Finding, type Options, type Report, ratio, type Suite } from '../suite.ts';

const writes: readonly CaseName[] = ['put', 'update', 'transact'];

/** Writes that are on disk before they are answered, beside peers that keep them in memory and the bare engine. */
export const durable: Suite = async (options, onProgress) => {
  const parts: Report[] = [];
  const note = (label: string) => (what: string) => onProgress(`${label}: ${what}`);
  const { small } = options;
  const size = options.items ?? (small ? 200 : 1_000_000);
  const base = options.items === undefined ? (small ? 100 : 20_000) : Math.min(20_000, size);
  const peers: readonly ContenderName[] = small ? [] : ['dynalite', 'dynoxide', 'extenddb'];
  const first = settingsOf(options, base, ['stator-lmdb', 'bare-lmdb', ...peers]);
  parts.push(
    await part(first, note('with peers'), (results) => [
      ...writes.flatMap((name) => againstPeers(results, 'stator-lmdb', name, 1.2)),
      ...toRaw(results, base),
    ]),
  );
  if (size !== base)
    parts.push(
      await part(settingsOf(options, size, ['stator-lmdb', 'bare-lmdb']), note('large'), (results) =>
        toRaw(results, size),
      ),
    );
  const third: ServerSettings = {
    ...settingsOf(options, base, ['stator-lmdb', 'stator']),
    connections: small ? 4 : 16,
    groups: [['transact']],
  };
  parts.push(
    await part(third, note('beside memory'), (results) => {
      const [ours, inMemory] = [
        rateOf(results, 'stator-lmdb', 'transact'),
        rateOf(results, 'stator', 'transact'),
      ];
      const title = `${cases.transact.title}, ${third.connections} connections, durable to in memory`;
      return [atLeast(title, ratio(ours, inMemory), 0.6)];
    }),
  );
  return {
    findings: parts.flatMap(({ findings }) => findings),
    tables: parts.flatMap(({ tables }) => tables),
    hash: parts.map(({ hash }) => hash).join(' '),
    notes: parts.flatMap(({ notes }) => notes),
  };
};

async function part(
  settings: ServerSettings,
  onProgress: (what: string) => void,
  judge: (results: readonly ServerResult[]) => Finding[],
): Promise<Report> {
  const { results, hash, notes } = await measureServers(settings, onProgress);
  const title = `${grouped(settings.items)} items, ${settings.connections} connections`;
  return { findings: judge(results), tables: [serverTable(title, results)], hash, notes };
}

function settingsOf(options: Options, items: number, contenders: readonly ContenderName[]): ServerSettings {
  const { small } = options;
  return {
    seed: options.seed,
    items,
    connections: options.connections ?? (small ? 4 : 64),
    seconds: options.seconds ?? (small ? 0.05 : 2),
    warmUpSeconds: small ? 0.02 : 0.5,
    rounds: options.rounds ?? (small ? 1 : 5),
    contenders: options.contenders ?? contenders,
    groups: writes.map((name) => [name]),
    nodeFlags: options.nodeFlags,
  };
}

function toRaw(results: readonly ServerResult[], items: number): Finding[] {
  return writes.map((name) => {
    const title = `${cases[name].title}, durable, ${grouped(items)} items, to the raw engine behind node:http`;
    return atLeast(
      title,
      ratio(rateOf(results, 'stator-lmdb', name), rateOf(results, 'bare-lmdb', name)),
      0.7,
    );
  });
}
