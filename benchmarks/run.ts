import { arch, cpus, platform } from 'node:os';
import { parseArgs } from 'node:util';
import { renderReport } from './report.ts';
import {
  runStorageSuite,
  type StorageSettings,
  type StoreName,
  storeNames,
} from './storage/storage-suite.ts';

const usage = `npm run bench -- storage [options]

  --items 1000,100000   sizes of the stores (default 1000,100000,1000000)
  --seconds 2           how long each side of a comparison works
  --rounds 7            in how many rounds, the sides taking turns
  --stores lmdb,memory  only these (of ${storeNames.join(', ')})
  --postgres <url>      a server to use; without it a private one is started
  --seed 1              other items, in another order
  --small               everything, tiny: does it still run?
  --json                for programs`;

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    items: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    stores: { type: 'string' },
    postgres: { type: 'string' },
    seed: { type: 'string' },
    small: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

if (positionals.length !== 1 || positionals[0] !== 'storage') {
  console.error(usage);
  process.exit(2);
}

const settings: StorageSettings = {
  seed: numberOf(given.seed ?? '1'),
  seconds: numberOf(given.seconds ?? (given.small ? '0.01' : '2')),
  rounds: numberOf(given.rounds ?? (given.small ? '3' : '7')),
  items: (given.items ?? (given.small ? '200,2000' : '1000,100000,1000000')).split(',').map(numberOf),
  stores: given.stores === undefined ? storeNames : given.stores.split(',').map(storeOf),
  ...(given.postgres !== undefined && { postgresUrl: given.postgres }),
};
const machine = { cores: cpus().length, node: process.version, system: `${platform()} ${arch()}` };
const report = await runStorageSuite(settings, (what) => console.error(`measuring ${what}`));
if (given.json) console.log(JSON.stringify({ machine, settings, ...report }, null, 2));
else
  console.log(
    `${machine.cores} cores, Node ${machine.node}, ${machine.system}; seed ${settings.seed}, ` +
      `${settings.rounds} rounds, ${settings.seconds} s\n\n${renderReport(report)}`,
  );

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
