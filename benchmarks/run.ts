import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { contenderNames } from './http/contenders.ts';
import { describeMachine, watchMachine } from './machine.ts';
import { renderReport, renderStorageReport } from './report.ts';
import { runStorageSuite, type StorageSettings, storeNames } from './storage/storage-suite.ts';
import { type Options, oneOf, type Suite } from './suite.ts';

const usage = `npm run bench -- storage [options]        every store beside its bare engine
npm run bench -- http [case …] [options]  our server beside its peers: get query index filter batch-get put update
                                          transact select, or reads, writes, partiql
npm run bench -- durable [options]        writes that are on disk before the answer
npm run bench -- workers [options]        one process beside two on one port
npm run bench -- load [options]           a million items by BatchWriteItem
npm run bench -- in-process [options]     plain methods and the SDK's client, without a socket
npm run bench -- latency [options]        half of the peak load, and the longest pause
npm run bench -- start [options]          from the command to the first answer; idle memory
npm run bench -- fork [options]           copies of a database for tests
npm run bench -- lab [part …]             the laboratory beside plain methods, and the parcel incident
npm run bench -- growth [options]         small tables beside large ones
npm run bench -- followed [options]       puts to a table with a stream: in-process, http
npm run bench -- records [options]        GetRecords in process
npm run bench -- idle-stream [options]    what a stream costs that nobody writes to or reads
npm run bench -- sweep [options]          requests while expired items are deleted
npm run bench -- physics [options]        the model of capacity and throttling alone
npm run bench -- physics-cost [case …]    server CPU per operation in shadow beside --physics off
npm run bench -- design [part]            derivation with static proof; the peak of the dynamic proof: derive prove
npm run bench -- observe-cost [case …]    server CPU per operation observed beside --observe off
npm run bench -- observe-read             15 days of 100 series, by GetMetricData and below it
npm run bench -- doctor [part]            stator doctor at 200 tables: the first look, and the CPU of later ones, with
                                          requests to a tenth (watch) or all (busy) of the tables between looks
npm run bench -- backups [part …]         transfers (export, import, restore), writes during a backup, recovery
npm run bench -- internals [part …]       counts inside V8 and Stator: shapes, json-reads
npm run bench -- install                  megabytes on disk
npm run bench -- before [case …] --against <dist>
                                          server CPU per operation beside another build of ours, in memory and on disk
npm run bench -- profile <case> [options] where the server's time goes, as text

  --items 1000,100000   how many items; several numbers for storage only
  --seconds 2           how long each side works in a round; for storage, in all rounds together
  --rounds 7            in how many rounds, the sides taking turns
  --seed 1              other items, in another order
  --small               everything, tiny: does it still run?
  --json                for programs

storage:
  --stores lmdb,memory  only these (of ${storeNames.join(', ')})
  --postgres <url>      a server to use; without it a private one is started

servers:
  --only stator,bare    only these (of ${contenderNames.join(', ')})
  --connections 16      each with one request under way
  --cpu-prof <dir>      servers on Node write a profile there when they end`;

/** Loaded when they are run: each brings along what the others do not need. */
const suites: Readonly<Record<string, () => Promise<Suite>>> = {
  http: async () => (await import('./suites/http.ts')).http,
  durable: async () => (await import('./suites/durable.ts')).durable,
  workers: async () => (await import('./suites/workers.ts')).workers,
  load: async () => (await import('./suites/load.ts')).load,
  'in-process': async () => (await import('./suites/in-process.ts')).inProcess,
  latency: async () => (await import('./suites/latency.ts')).latency,
  start: async () => (await import('./suites/start.ts')).start,
  fork: async () => (await import('./suites/fork.ts')).fork,
  lab: async () => (await import('./suites/lab.ts')).lab,
  growth: async () => (await import('./suites/growth.ts')).growth,
  followed: async () => (await import('./suites/followed.ts')).followed,
  design: async () => (await import('./suites/design.ts')).design,
  records: async () => (await import('./suites/records.ts')).records,
  'idle-stream': async () => (await import('./suites/idle-stream.ts')).idleStream,
  sweep: async () => (await import('./suites/sweep.ts')).sweep,
  physics: async () => (await import('./suites/physics.ts')).physics,
  'physics-cost': async () => (await import('./suites/physics-cost.ts')).physicsCost,
  'observe-cost': async () => (await import('./suites/observe-cost.ts')).observeCost,
  doctor: async () => (await import('./suites/doctor.ts')).doctor,
  'observe-read': async () => (await import('./suites/observe-read.ts')).observeRead,
  backups: async () => (await import('./suites/backups.ts')).backups,
  internals: async () => (await import('./suites/internals.ts')).internals,
  install: async () => (await import('./suites/install.ts')).install,
  before: async () => (await import('./suites/before.ts')).before,
  profile: async () => (await import('./suites/profile.ts')).profile,
};

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    items: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    stores: { type: 'string' },
    postgres: { type: 'string' },
    only: { type: 'string' },
    connections: { type: 'string' },
    'cpu-prof': { type: 'string' },
    against: { type: 'string' },
    seed: { type: 'string' },
    small: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const machine = watchMachine();
const onProgress = (what: string) => console.error(`measuring ${what}`);
// So that what is to be cleaned up at the end is also cleaned up when someone loses patience.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const [name = '', ...what] = positionals;
const suite = suites[name];
if (name === 'storage' && what.length === 0) {
  const settings = storageSettings();
  const report = await runStorageSuite(settings, onProgress);
  print({ ...settings }, report, renderStorageReport(report));
} else if (suite !== undefined) {
  const options = optionsOf(what);
  const run = await suite();
  const report = await run(options, onProgress);
  print({ ...options }, report, renderReport(report));
} else {
  console.error(usage);
  process.exit(2);
}

function storageSettings(): StorageSettings {
  return {
    seed: numberOf(given.seed ?? '1'),
    seconds: numberOf(given.seconds ?? (given.small ? '0.01' : '2')),
    rounds: numberOf(given.rounds ?? (given.small ? '3' : '7')),
    items: (given.items ?? (given.small ? '200,2000' : '1000,100000,1000000')).split(',').map(numberOf),
    stores:
      given.stores === undefined
        ? storeNames
        : given.stores.split(',').map((store) => oneOf(storeNames, store, 'store')),
    ...(given.postgres !== undefined && { postgresUrl: given.postgres }),
  };
}

function optionsOf(words: readonly string[]): Options {
  const { items, seconds, rounds, connections, only } = given;
  return {
    what: words,
    seed: numberOf(given.seed ?? '1'),
    small: given.small,
    ...(items !== undefined && { items: numberOf(items) }),
    ...(seconds !== undefined && { seconds: numberOf(seconds) }),
    ...(rounds !== undefined && { rounds: numberOf(rounds) }),
    ...(connections !== undefined && { connections: numberOf(connections) }),
    ...(only !== undefined && {
      contenders: only.split(',').map((server) => oneOf(contenderNames, server, 'server')),
    }),
    ...(given.against !== undefined && { against: resolve(given.against) }),
    nodeFlags:
      given['cpu-prof'] === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(given['cpu-prof'])}`],
  };
}

function print(settings: object, report: object, rendered: string): void {
  const place = machine();
  if (given.json) console.log(JSON.stringify({ machine: place, settings, ...report }, null, 2));
  else console.log(`${describeMachine(place)}\n${settingsText(settings)}\n\n${rendered}`);
}

function settingsText(settings: object): string {
  return Object.entries(settings)
    .filter(([, value]) => value !== false && String(value) !== '')
    .map(([option, value]) => `${option} ${String(value)}`)
    .join(', ');
}

function numberOf(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new RangeError(`Not a number above 0: ${text}`);
  return value;
}
