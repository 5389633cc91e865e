import { arch, cpus, platform } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type ContenderName, contenderNames } from './http/contenders.ts';
import { renderHttpReport } from './http/http-report.ts';
import type { HttpSettings } from './http/http-suite.ts';
import { renderReport } from './report.ts';
import {
  runStorageSuite,
  type StorageSettings,
  type StoreName,
  storeNames,
} from './storage/storage-suite.ts';

const usage = `npm run bench -- storage [options]
npm run bench -- http [options]

  --items 1000,100000   sizes of the stores (default 1000,100000,1000000); for http, one number (20000)
  --seconds 2           how long each side of a comparison works; for http, how long each round lasts
  --rounds 7            in how many rounds, the sides taking turns
  --seed 1              other items, in another order
  --small               everything, tiny: does it still run?
  --json                for programs

storage:
  --stores lmdb,memory  only these (of ${storeNames.join(', ')})
  --postgres <url>      a server to use; without it a private one is started

http:
  --only stator,bare    only these (of ${contenderNames.join(', ')})
  --connections 16      each with one request under way
  --cpu-prof <dir>      servers on Node write a profile there when they end`;

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
    seed: { type: 'string' },
    small: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const machine = { cores: cpus().length, node: process.version, system: `${platform()} ${arch()}` };
const onProgress = (what: string) => console.error(`measuring ${what}`);
if (positionals.length === 1 && positionals[0] === 'storage') {
  const settings = storageSettings();
  const report = await runStorageSuite(settings, onProgress);
  print(settings, report, renderReport(report));
} else if (positionals.length === 1 && positionals[0] === 'http') {
  const settings = httpSettings();
  // So that what is to be cleaned up at the end is also cleaned up when someone loses patience.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  // Loaded only here: it brings the whole package along, which the stores alone do not need.
  const { runHttpSuite } = await import('./http/http-suite.ts');
  const report = await runHttpSuite(settings, onProgress);
  print(settings, report, renderHttpReport(report));
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
    stores: given.stores === undefined ? storeNames : given.stores.split(',').map(storeOf),
    ...(given.postgres !== undefined && { postgresUrl: given.postgres }),
  };
}

function httpSettings(): HttpSettings {
  const chosen = given.only?.split(',').map(contenderOf);
  return {
    seed: numberOf(given.seed ?? '1'),
    items: numberOf(given.items ?? (given.small ? '200' : '20000')),
    connections: numberOf(given.connections ?? (given.small ? '4' : '16')),
    seconds: numberOf(given.seconds ?? (given.small ? '0.1' : '3')),
    warmUpSeconds: given.small ? 0.05 : 1,
    rounds: numberOf(given.rounds ?? (given.small ? '1' : '5')),
    starts: given.small ? 1 : 5,
    contenders: chosen ?? (given.small ? ['stator', 'bare'] : contenderNames),
    nodeFlags:
      given['cpu-prof'] === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(given['cpu-prof'])}`],
  };
}

function print(settings: StorageSettings | HttpSettings, report: object, rendered: string): void {
  if (given.json) {
    console.log(JSON.stringify({ machine, settings, ...report }, null, 2));
    return;
  }
  console.log(
    `${machine.cores} cores, Node ${machine.node}, ${machine.system}; seed ${settings.seed}, ` +
      `${settings.rounds} rounds, ${settings.seconds} s\n\n${rendered}`,
  );
}

function numberOf(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new RangeError(`Not a number above 0: ${text}`);
  return value;
}

function storeOf(name: string): StoreName {
  const found = storeNames.find((known) => known === name);
  if (found === undefined) throw new RangeError(`No such store: ${name}. There are ${storeNames.join(', ')}`);
  return found;
}

function contenderOf(name: string): ContenderName {
  const found = contenderNames.find((known) => known === name);
  if (found === undefined)
    throw new RangeError(`No such server: ${name}. There are ${contenderNames.join(', ')}`);
  return found;
}
