import { type CaseName, cases } from '../http/cases.ts';
import type { ContenderName } from '../http/contenders.ts';
import { measureServers, type ServerResult, type ServerSettings } from '../http/measure-servers.ts';
import { againstPeers, rateOf, serverTable } from '../http/server-table.ts';
import { grouped } from '../report.ts';
import {
  atLeast,
  type Finding,
  type OnProgress,
  type Options,
  type Report,
  ratio,
  suiteOf,
} from '../suite.ts';

const writes: readonly CaseName[] = ['put', 'update', 'transact'];

const smallItems = 20_000;

/**
 * Writes that are on disk before they are answered: `peers`, which keep theirs in memory, and the bare engine beside
 * them; `large`, the bare engine again with many items; `memory`, our own store in memory.
 */
export const durable = suiteOf({ peers: besidePeers, large: withManyItems, memory: besideMemory });

const peers: readonly ContenderName[] = ['dynalite', 'dynoxide', 'extenddb'];

function besidePeers(options: Options, onProgress: OnProgress): Promise<Report> {
  const settings = settingsOf(options, fewItems(options), ['stator-lmdb', 'bare-lmdb', ...peersOf(options)]);
  return part(settings, noting(onProgress, 'with peers'), (results) => [
    ...writes.flatMap((name) => againstPeers(results, 'stator-lmdb', name, 1.2)),
    ...toRaw(results, settings.items),
  ]);
}

function withManyItems(options: Options, onProgress: OnProgress): Promise<Report> {
  const items = options.items ?? (options.small ? 200 : 1_000_000);
  const settings = settingsOf(options, items, ['stator-lmdb', 'bare-lmdb']);
  return part(settings, noting(onProgress, 'large'), (results) => toRaw(results, items));
}

/** Transactions with few connections, where a commit has few to share it. */
function besideMemory(options: Options, onProgress: OnProgress): Promise<Report> {
  const settings: ServerSettings = {
    ...settingsOf(options, fewItems(options), ['stator-lmdb', 'stator', ...peersOf(options)]),
    connections: options.small ? 4 : 16,
    groups: [['transact']],
  };
  return part(settings, noting(onProgress, 'beside memory'), (results) => {
    const [ours, inMemory] = [
      rateOf(results, 'stator-lmdb', 'transact'),
      rateOf(results, 'stator', 'transact'),
    ];
    const title = `${cases.transact.title}, ${settings.connections} connections, durable to in memory`;
    return [
      atLeast(title, ratio(ours, inMemory), 0.6),
      ...againstPeers(results, 'stator-lmdb', 'transact', 1.2),
    ];
  });
}

function peersOf({ small }: Options): readonly ContenderName[] {
  return small ? [] : peers;
}

function fewItems({ items = smallItems, small }: Options): number {
  return small ? 100 : Math.min(items, smallItems);
}

function noting(onProgress: OnProgress, label: string): OnProgress {
  return (what) => onProgress(`${label}: ${what}`);
}

async function part(
  settings: ServerSettings,
  onProgress: OnProgress,
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
