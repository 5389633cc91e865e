import { setTimeout as sleep } from 'node:timers/promises';
import { bothImages } from '../change-log/streams.ts';
import { median } from '../compare.ts';
import { plainTable } from '../growth/collection.ts';
import { askServer } from '../http/ask-server.ts';
import { type CaseName, cases } from '../http/cases.ts';
import {
  checkAll,
  jobBasis,
  type ServerSettings,
  type Servers,
  withServers,
} from '../http/measure-servers.ts';
import { processorSeconds } from '../http/process-figures.ts';
import type { ServerProcess } from '../http/server-process.ts';
import { grouped } from '../report.ts';
import { atLeast, atMost, type Finding, type OnProgress, type Options, type Suite } from '../suite.ts';
import { httpSettings } from './http.ts';

const measured: readonly CaseName[] = ['get', 'put'];

/** The bars. What is nothing cannot be told from what the machine does meanwhile: a few hundredths of a rate, a tick. */
const rateMin = 0.95;
const ticksMsMax = 10;

const idleName = 'Idle';
const idleItems = 20;

/**
 * Two servers of a kind, one of which has a table with a stream that has some records and that nobody writes to or
 * reads: requests to another table, and processor time while there are no requests at all.
 */
export const idleStream: Suite = async (options, onProgress) => {
  const settings: ServerSettings = {
    ...httpSettings({ ...options, what: ['get'] }),
    contenders: ['stator', 'stator', 'stator-lmdb', 'stator-lmdb'],
    rounds: options.rounds ?? (options.small ? 1 : 7),
  };
  return withServers(settings, onProgress, async (running) => {
    const pairs = await pairsOf(running.servers);
    const hash = await checkAll(running.servers, running.generator, settings);
    const findings: Finding[] = [];
    const rows: string[][] = [];
    for (const name of measured)
      for (const { store, without, withStream } of pairs) {
        const rates = [without, withStream].map((server) => ({ server, done: [] as number[] }));
        for (let round = 0; round < settings.rounds; round++) {
          onProgress(`${store}: ${cases[name].title}, round ${round + 1} of ${settings.rounds}`);
          for (const { server, done } of rates) done.push(await oneLap(server, name, running, settings));
        }
        const [plainly, beside] = rates.map(({ done }) => median(done));
        const title = `${cases[name].title}, ${store}, beside an idle stream to without`;
        findings.push(atLeast(title, beside! / plainly!, rateMin));
        rows.push([store, cases[name].title, grouped(plainly!), grouped(beside!)]);
      }
    const idle = await idleTimes(pairs, options, onProgress);
    if ((await checkAll(running.servers, running.generator, settings)) !== hash)
      throw new Error('The items are not what they were');
    return {
      findings: [...findings, ...idle.findings],
      tables: [
        {
          title: `Requests to another table, ${settings.connections} connections`,
          head: ['store', 'operation', 'without, ops/s', 'with an idle stream, ops/s'],
          rows,
        },
        idle.table,
      ],
      hash,
      notes: running.notes,
    };
  });
};

interface Pair {
  readonly store: string;
  readonly without: ServerProcess;
  readonly withStream: ServerProcess;
}

/** Every second server gets the stream; the ones before them the same table without. */
async function pairsOf(servers: readonly ServerProcess[]): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let at = 0; at < servers.length; at += 2) {
    const [without, withStream] = [servers[at]!, servers[at + 1]!];
    const definition = { ...plainTable, TableName: idleName };
    await askServer(without, 'CreateTable', definition);
    await askServer(withStream, 'CreateTable', { ...definition, ...bothImages });
    for (const server of [without, withStream])
      for (let index = 0; index < idleItems; index++) {
        const Item = { pk: { S: `item ${index}` }, sk: { S: 'x' } };
        await askServer(server, 'PutItem', { TableName: idleName, Item });
      }
    pairs.push({ store: without.contender.keeps, without, withStream });
  }
  return pairs;
}

async function oneLap(
  server: ServerProcess,
  name: CaseName,
  { generator }: Servers,
  settings: ServerSettings,
): Promise<number> {
  const { seconds, warmUpSeconds } = settings;
  const job = { kind: 'measure', names: [name], seconds, warmUpSeconds } as const;
  const load = await generator.run({ ...jobBasis(server, settings), ...job });
  return load.operations / load.seconds;
}

/** All servers are idle in the same seconds, so that whatever wakes processes up on this machine wakes up all. */
async function idleTimes(pairs: readonly Pair[], { small, seconds }: Options, onProgress: OnProgress) {
  const idleSeconds = small ? 0.2 : Math.max(10, seconds ?? 0);
  onProgress(`${idleSeconds} seconds without a request`);
  // What requests have left to do is done by then: collected garbage, synced files.
  await sleep(small ? 1 : 3_000);
  const servers = pairs.flatMap(({ without, withStream }) => [without, withStream]);
  const used = () => servers.map(({ pid }) => processorSeconds(pid));
  const before = used();
  await sleep(idleSeconds * 1_000);
  const after = used();
  const ms = servers.map((_, at) =>
    before[at] === undefined || after[at] === undefined ? null : (after[at] - before[at]) * 1_000,
  );
  const findings = pairs.map(({ store }, at): Finding => {
    const [without, withStream] = [ms[at * 2]!, ms[at * 2 + 1]!];
    const added = without === null || withStream === null ? null : Math.max(0, withStream - without);
    return atMost(
      `${store}: processor time that an idle stream adds in ${idleSeconds} s`,
      added,
      ticksMsMax,
      'ms',
    );
  });
  const shown = (value: number | null | undefined) => (value == null ? 'not told' : value.toFixed(0));
  const rows = pairs.map(({ store }, at) => [store, shown(ms[at * 2]), shown(ms[at * 2 + 1])]);
  const head = ['store', 'without, ms', 'with an idle stream, ms'];
  return { findings, table: { title: `Processor time of ${idleSeconds} idle seconds`, head, rows } };
}
