import { median } from '../compare.ts';
import type { OnProgress } from '../suite.ts';
import { buildPackage } from './built-package.ts';
import { type CaseName, cases } from './cases.ts';
import { Connection } from './connection.ts';
import { type Contender, type ContenderName, contender } from './contenders.ts';
import { Orders } from './items.ts';
import type { JobBasis } from './load.ts';
import { LoadGenerator } from './load-generator.ts';
import { installPeers } from './peers.ts';
import { ServerProcess } from './server-process.ts';
import { RequestSigner } from './signed-request.ts';

export interface ServerSettings {
  readonly seed: number;
  readonly items: number;
  readonly connections: number;
  /** How long a round of one server lasts. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly rounds: number;
  readonly contenders: readonly ContenderName[];
  /** Cases of one group take turns with each other; the groups follow one another. */
  readonly groups: readonly (readonly CaseName[])[];
  readonly nodeFlags: readonly string[];
  readonly against?: string | undefined;
}

/** A server under one case; medians of the rounds. */
export interface ServerResult {
  readonly name: string;
  readonly version: string;
  readonly side: Contender['side'];
  readonly keeps: Contender['keeps'];
  readonly case: CaseName;
  /** Which group of cases it took turns with; only figures of one group may be compared. */
  readonly group: number;
  readonly items: number;
  readonly connections: number;
  readonly operationsPerSecond: number;
  readonly spread: readonly [number, number];
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time that the server used for an operation. */
  readonly serverCpuMicros: number | null;
  /** The share of a core that the load generator used. */
  readonly loadCpu: number;
}

export interface ServersMeasured {
  readonly results: readonly ServerResult[];
  /** What every server answered when it was asked for every item. */
  readonly hash: string;
  readonly notes: readonly string[];
}

/** All servers at once, each idle except in its turn, so that what the machine does meanwhile happens to all. */
export function measureServers(settings: ServerSettings, onProgress: OnProgress): Promise<ServersMeasured> {
  return withServers(settings, onProgress, async ({ servers, generator, notes }) => {
    const hash = await checkAll(servers, generator, settings);
    const results: ServerResult[] = [];
    for (const [at, group] of settings.groups.entries())
      for (const entrant of await takeTurns(group, servers, generator, settings, notes, onProgress))
        results.push(summary(entrant, at, settings));
    if ((await checkAll(servers, generator, settings)) !== hash)
      throw new Error('The items are not what they were');
    return { results, hash, notes };
  });
}

export interface Servers {
  readonly servers: readonly ServerProcess[];
  readonly generator: LoadGenerator;
  readonly notes: string[];
}

/** Starts the servers and fills them; they end with the work, however it ends. */
export async function withServers<Result>(
  settings: ServerSettings,
  onProgress: OnProgress,
  work: (running: Servers) => Promise<Result>,
): Promise<Result> {
  const notes: string[] = [];
  const contenders = chooseContenders(settings, notes);
  const generator = new LoadGenerator();
  const servers: ServerProcess[] = [];
  try {
    for (const each of contenders) {
      onProgress(`${each.name}: loading ${settings.items} items`);
      const server = await ServerProcess.start(each);
      servers.push(server);
      await server.createTable();
      await generator.run({
        ...jobBasis(server, settings),
        connections: 16,
        kind: 'load',
        from: 0,
        to: settings.items,
      });
    }
    return await work({ servers, generator, notes });
  } finally {
    generator.stop();
    await Promise.all(servers.map((server) => server.stop()));
  }
}

export function chooseContenders(
  settings: Pick<ServerSettings, 'contenders' | 'nodeFlags' | 'against'>,
  notes: string[],
): Contender[] {
  const circumstances = {
    index: buildPackage(),
    nodeFlags: settings.nodeFlags,
    against: settings.against,
  };
  if (settings.contenders.some((name) => !own.includes(name))) installPeers();
  const chosen: Contender[] = [];
  for (const name of settings.contenders) {
    const found = contender(name, circumstances);
    if (typeof found === 'string') notes.push(found);
    else chosen.push(found);
  }
  return chosen;
}

const own: readonly ContenderName[] = [
  ...(['stator', 'stator-lmdb', 'stator-lmdb-relaxed', 'stator-lmdb-workers'] as const),
  ...(['bare', 'bare-lmdb', 'before', 'before-lmdb'] as const),
];

async function takeTurns(
  group: readonly CaseName[],
  servers: readonly ServerProcess[],
  generator: LoadGenerator,
  settings: ServerSettings,
  notes: string[],
  onProgress: OnProgress,
): Promise<Entrant[]> {
  const entrants: Entrant[] = [];
  for (const name of group)
    for (const server of servers) {
      if (await knows(server, name, settings)) entrants.push({ server, name, laps: [] });
      else
        notes.push(`${server.contender.name} has no ${cases[name].operation}: ${cases[name].title} skipped`);
    }
  for (let round = 0; round < settings.rounds; round++) {
    onProgress(
      `${group.map((name) => cases[name].title).join(', ')}: round ${round + 1} of ${settings.rounds}`,
    );
    for (const { server, name, laps } of entrants) laps.push(await oneLap(server, generator, settings, name));
  }
  return entrants;
}

interface Entrant {
  readonly server: ServerProcess;
  readonly name: CaseName;
  readonly laps: Lap[];
}

interface Lap {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly serverCpuMicros: number | undefined;
  readonly loadCpu: number;
}

/** Whether a server has the operation at all; any other refusal is for the measurement to complain about. */
async function knows(
  { port }: ServerProcess,
  name: CaseName,
  { items, seed }: ServerSettings,
): Promise<boolean> {
  const { operation, input, versions } = cases[name];
  const orders = new Orders(items, seed);
  const request = new RequestSigner(port).request(operation, input(orders, 0, versions?.[1] ?? 0));
  const { status, body } = await Connection.ask(port, request);
  return status === 200 || !body.includes('UnknownOperationException');
}

async function oneLap(
  server: ServerProcess,
  generator: LoadGenerator,
  settings: ServerSettings,
  name: CaseName,
): Promise<Lap> {
  const { seconds, warmUpSeconds } = settings;
  const job = {
    ...jobBasis(server, settings),
    kind: 'measure' as const,
    names: [name],
    warmUpSeconds,
    seconds,
  };
  const load = await generator.run(job).catch((error: Error) => {
    throw new Error(`${server.contender.name}, ${cases[name].title}: ${error.message}`);
  });
  const rate = load.operations / load.seconds;
  return {
    rate,
    p50: load.p50,
    p99: load.p99,
    serverCpuMicros: load.serverCpu === null ? undefined : (load.serverCpu / rate) * 1e6,
    loadCpu: load.loadCpu,
  };
}

function summary(
  { server, name, laps }: Entrant,
  group: number,
  { items, connections }: ServerSettings,
): ServerResult {
  const { contender } = server;
  const rates = laps.map(({ rate }) => rate);
  const cpu = laps.flatMap(({ serverCpuMicros }) => serverCpuMicros ?? []);
  return {
    name: contender.name,
    version: contender.version,
    side: contender.side,
    keeps: contender.keeps,
    case: name,
    group,
    items,
    connections,
    operationsPerSecond: median(rates),
    spread: [Math.min(...rates), Math.max(...rates)],
    p50: median(laps.map(({ p50 }) => p50)),
    p99: median(laps.map(({ p99 }) => p99)),
    serverCpuMicros: cpu.length === 0 ? null : median(cpu),
    loadCpu: median(laps.map(({ loadCpu }) => loadCpu)),
  };
}

/** Every server must answer with the very same items, or the comparison means nothing. */
export async function checkAll(
  servers: readonly ServerProcess[],
  generator: LoadGenerator,
  settings: ServerSettings,
): Promise<string> {
  let hash: string | undefined;
  for (const server of servers) {
    const checked = await generator.run({ ...jobBasis(server, settings), kind: 'check' });
    hash ??= checked.hash;
    if (checked.hash !== hash) throw new Error(`${server.contender.name} does not hold the same items`);
  }
  return hash ?? '';
}

export function jobBasis(
  { port, pid }: ServerProcess,
  { connections, items, seed }: Pick<ServerSettings, 'connections' | 'items' | 'seed'>,
): JobBasis {
  return { port, pid, connections, items, seed };
}
