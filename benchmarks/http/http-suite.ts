import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../compare.ts';
import { buildPackage } from './built-package.ts';
import { type Contender, type ContenderName, contender } from './contenders.ts';
import { measureInProcess } from './in-process.ts';
import type { MeasuredOperation } from './load.ts';
import { LoadGenerator } from './load-generator.ts';
import { installPeers } from './peers.ts';
import { residentMegabytes } from './process-figures.ts';
import { ServerProcess } from './server-process.ts';

export interface HttpSettings {
  readonly seed: number;
  readonly items: number;
  readonly connections: number;
  /** How long a round of one server lasts. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly rounds: number;
  /** How often each server is started, to see how long that takes. */
  readonly starts: number;
  readonly contenders: readonly ContenderName[];
  /** Flags for servers that run on Node, such as those of its profiler. */
  readonly nodeFlags: readonly string[];
}

/** A server under one operation; medians of the rounds. */
export interface HttpResult {
  readonly name: string;
  readonly side: Contender['side'];
  readonly keeps: Contender['keeps'];
  readonly operation: MeasuredOperation;
  readonly operationsPerSecond: number;
  readonly spread: readonly [number, number];
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time that the server used for an operation. */
  readonly serverCpuMicros: number | null;
  /** The share of a core that the load generator used. */
  readonly loadCpu: number;
  /** To the fastest peer in memory or on disk, as we are, and to the bare server. */
  readonly toBestPeer: number | null;
  readonly toBare: number | null;
}

export interface StartResult {
  readonly name: string;
  readonly version: string;
  /** Milliseconds from the command to the first answer. */
  readonly startMs: number;
  readonly idleMegabytes: number | null;
  readonly loadedMegabytes: number | null;
}

export interface InProcessResult {
  readonly door: string;
  readonly operation: MeasuredOperation;
  readonly operationsPerSecond: number;
}

export interface HttpReport {
  readonly results: readonly HttpResult[];
  readonly starts: readonly StartResult[];
  readonly inProcess: readonly InProcessResult[];
  /** What every server answered when it was asked for every item. */
  readonly hash: string;
  readonly notes: readonly string[];
}

const operations: readonly MeasuredOperation[] = ['GetItem', 'PutItem', 'UpdateItem'];

/** All servers at once, each idle except in its turn, so that what the machine does meanwhile happens to all. */
export async function runHttpSuite(
  settings: HttpSettings,
  onProgress: (what: string) => void,
): Promise<HttpReport> {
  const notes: string[] = [];
  const contenders = choose(settings, notes);
  const generator = new LoadGenerator();
  const servers: ServerProcess[] = [];
  try {
    const starts: StartResult[] = [];
    for (const each of contenders) {
      onProgress(`${each.name}: starting`);
      const { server, startMs, idleMegabytes } = await startOften(each, settings.starts);
      servers.push(server);
      onProgress(`${each.name}: loading ${settings.items} items`);
      await server.createTable();
      await generator.run({ ...jobBasis(server, settings), kind: 'load' });
      const loadedMegabytes = residentMegabytes(server.pid) ?? null;
      starts.push({ name: each.name, version: each.version, startMs, idleMegabytes, loadedMegabytes });
    }
    const hash = await checkAll(servers, generator, settings);
    const measured = await takeTurns(servers, generator, settings, onProgress);
    if ((await checkAll(servers, generator, settings)) !== hash)
      throw new Error('The items are not what they were');
    await stopAll(servers);
    generator.stop();
    onProgress('in process');
    const inProcess = contenders.some(({ side }) => side === 'ours') ? await measureInProcess(settings) : [];
    return { results: withRatios(measured), starts, inProcess, hash, notes };
  } finally {
    await stopAll(servers);
  }
}

function choose(settings: HttpSettings, notes: string[]): Contender[] {
  const circumstances = { index: buildPackage(), nodeFlags: settings.nodeFlags };
  if (settings.contenders.some((name) => !own.includes(name))) installPeers();
  const chosen: Contender[] = [];
  for (const name of settings.contenders) {
    const found = contender(name, circumstances);
    if (typeof found === 'string') notes.push(found);
    else chosen.push(found);
  }
  return chosen;
}

const own: readonly ContenderName[] = ['stator', 'stator-lmdb', 'stator-lmdb-relaxed', 'bare'];

async function startOften(
  contender: Contender,
  times: number,
): Promise<{ server: ServerProcess; startMs: number; idleMegabytes: number | null }> {
  const all: number[] = [];
  for (;;) {
    const server = await ServerProcess.start(contender);
    all.push(server.startMs);
    if (all.length >= times) {
      // By then whatever goes on after a start has come to rest.
      await sleep(500);
      return { server, startMs: median(all), idleMegabytes: residentMegabytes(server.pid) ?? null };
    }
    await server.stop();
  }
}

type Measured = Omit<HttpResult, 'toBestPeer' | 'toBare'>;

async function takeTurns(
  servers: readonly ServerProcess[],
  generator: LoadGenerator,
  settings: HttpSettings,
  onProgress: (what: string) => void,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const operation of operations) {
    const laps = new Map(servers.map((server) => [server, [] as Lap[]]));
    for (let round = 0; round < settings.rounds; round++) {
      onProgress(`${operation}, round ${round + 1} of ${settings.rounds}`);
      for (const [server, done] of laps)
        done.push(await oneLap(server, generator, settings, operation, round));
    }
    for (const [{ contender }, done] of laps) measured.push(summary(contender, operation, done));
  }
  return measured;
}

interface Lap {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly serverCpuMicros: number | undefined;
  readonly loadCpu: number;
}

async function oneLap(
  server: ServerProcess,
  generator: LoadGenerator,
  settings: HttpSettings,
  operation: MeasuredOperation,
  round: number,
): Promise<Lap> {
  const { seconds, warmUpSeconds } = settings;
  const load = await generator.run({
    ...jobBasis(server, settings),
    kind: 'measure',
    operation,
    warmUpSeconds,
    seconds,
    round,
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
  { name, side, keeps }: Contender,
  operation: MeasuredOperation,
  laps: readonly Lap[],
): Measured {
  const rates = laps.map(({ rate }) => rate);
  const cpu = laps.flatMap(({ serverCpuMicros }) => serverCpuMicros ?? []);
  return {
    name,
    side,
    keeps,
    operation,
    operationsPerSecond: median(rates),
    spread: [Math.min(...rates), Math.max(...rates)],
    p50: median(laps.map(({ p50 }) => p50)),
    p99: median(laps.map(({ p99 }) => p99)),
    serverCpuMicros: cpu.length === 0 ? null : median(cpu),
    loadCpu: median(laps.map(({ loadCpu }) => loadCpu)),
  };
}

function withRatios(measured: readonly Measured[]): HttpResult[] {
  return measured.map((result) => {
    const rates = (side: Contender['side'], matches: (other: Measured) => boolean) =>
      measured
        .filter((other) => other.side === side && other.operation === result.operation && matches(other))
        .map(({ operationsPerSecond }) => operationsPerSecond);
    const peers = rates('peer', ({ keeps }) => (keeps === 'in memory') === (result.keeps === 'in memory'));
    const [bare] = rates('bare', () => true);
    const { operationsPerSecond } = result;
    return {
      ...result,
      toBestPeer:
        result.side !== 'ours' || peers.length === 0 ? null : operationsPerSecond / Math.max(...peers),
      toBare: bare === undefined ? null : operationsPerSecond / bare,
    };
  });
}

/** Every server must answer with the very same items, or the comparison means nothing. */
async function checkAll(
  servers: readonly ServerProcess[],
  generator: LoadGenerator,
  settings: HttpSettings,
): Promise<string> {
  let hash: string | undefined;
  for (const server of servers) {
    const checked = await generator.run({ ...jobBasis(server, settings), kind: 'check' });
    hash ??= checked.hash;
    if (checked.hash !== hash) throw new Error(`${server.contender.name} does not hold the same items`);
  }
  return hash ?? '';
}

function jobBasis({ port, pid }: ServerProcess, { connections, items, seed }: HttpSettings) {
  return { port, pid, connections, items, seed };
}

async function stopAll(servers: ServerProcess[]): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
}
