import type { ContenderName } from '../http/contenders.ts';
import { LoadGenerator } from '../http/load-generator.ts';
import { checkAll, chooseContenders, jobBasis, type ServerSettings } from '../http/measure-servers.ts';
import { ownMegabytes } from '../http/process-figures.ts';
import { ServerProcess } from '../http/server-process.ts';
import { grouped } from '../report.ts';
import { atLeast, atMost, type Finding, ratio, type Suite } from '../suite.ts';

/** A load is cut into so many parts, and the servers take turns part by part. */
const parts = 10;

/** A large table by BatchWriteItem: how fast, and with how much memory. */
export const load: Suite = async (options, onProgress) => {
  const { small, seed } = options;
  const settings: ServerSettings = {
    seed,
    items: options.items ?? (small ? 500 : 1_000_000),
    connections: options.connections ?? (small ? 4 : 16),
    contenders:
      options.contenders ??
      (small
        ? ['stator-lmdb', 'bare-lmdb']
        : ['stator-lmdb', 'bare-lmdb', 'dynalite', 'dynoxide', 'extenddb']),
    nodeFlags: options.nodeFlags,
    seconds: 0,
    warmUpSeconds: 0,
    rounds: 1,
    groups: [],
  };
  const notes: string[] = [];
  const contenders = chooseContenders(settings, notes);
  const generator = new LoadGenerator();
  const loads: Loading[] = [];
  try {
    for (const each of contenders) {
      const server = await ServerProcess.start(each);
      loads.push({ server, seconds: 0, items: 0, megabytes: [], failed: false });
      await server.createTable();
    }
    for (let part = 0; part < parts; part++) {
      onProgress(`part ${part + 1} of ${parts}`);
      for (const loading of loads) await loadPart(loading, generator, settings, part, notes);
    }
    const whole = loads.filter(({ failed }) => !failed).map(({ server }) => server);
    const hash = await checkAll(whole, generator, settings);
    return { findings: findingsOf(loads), tables: [tableOf(loads)], hash, notes };
  } finally {
    generator.stop();
    await Promise.all(loads.map(({ server }) => server.stop()));
  }
};

interface Loading {
  readonly server: ServerProcess;
  seconds: number;
  items: number;
  /** After each part: its own memory, without what is mapped from files. */
  readonly megabytes: number[];
  failed: boolean;
}

/** A peer that gives up, as one in memory may, is judged by what it did until then. */
async function loadPart(
  loading: Loading,
  generator: LoadGenerator,
  settings: ServerSettings,
  part: number,
  notes: string[],
): Promise<void> {
  const { server, failed, megabytes } = loading;
  if (failed) return;
  const from = Math.round((settings.items * part) / parts);
  const to = Math.round((settings.items * (part + 1)) / parts);
  try {
    const { seconds } = await generator.run({ ...jobBasis(server, settings), kind: 'load', from, to });
    loading.seconds += seconds;
    loading.items += to - from;
    megabytes.push(ownMegabytes(server.pid) ?? 0);
  } catch (error) {
    if (server.contender.side !== 'peer') throw error;
    loading.failed = true;
    notes.push(`${server.contender.name} gave up after ${grouped(loading.items)} items: ${String(error)}`);
  }
}

function rate(loading: Loading | undefined): number | null {
  return loading === undefined || loading.items === 0 ? null : loading.items / loading.seconds;
}

function findingsOf(loads: readonly Loading[]): Finding[] {
  const named = (name: ContenderName) => loads.find(({ server }) => server.contender.name === name);
  const ours = named('stator-lmdb');
  if (ours === undefined) return [];
  const peers = loads.filter(({ server }) => server.contender.side === 'peer').map((peer) => rate(peer) ?? 0);
  const [tenth, half, all] = [ours.megabytes[0], ours.megabytes[4], ours.megabytes[9]];
  return [
    ...(peers.length === 0
      ? []
      : [atLeast('load, durable, to the best peer in memory', ratio(rate(ours), Math.max(...peers)), 1.5)]),
    atLeast(
      'load, durable, to the raw engine behind node:http',
      ratio(rate(ours), rate(named('bare-lmdb'))),
      0.7,
    ),
    atMost('memory at 50 % of the load to that at 10 %', ratio(half, tenth), 1.5),
    atMost('memory at 100 % of the load to that at 50 %', ratio(all, half), 1.5),
  ];
}

function tableOf(loads: readonly Loading[]) {
  return {
    title: 'BatchWriteItem, 25 items each',
    head: ['server', 'version', 'keeps data', 'items', 'items/s', 'MB at 10 %', 'MB at 50 %', 'MB at 100 %'],
    rows: loads.map((loading) => [
      loading.server.contender.name,
      loading.server.contender.version,
      loading.server.contender.keeps,
      grouped(loading.items),
      grouped(rate(loading) ?? 0),
      ...[0, 4, 9].map((part) => loading.megabytes[part]?.toFixed(0) ?? ''),
    ]),
  };
}
