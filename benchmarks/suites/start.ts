import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../compare.ts';
import { buildPackage } from '../http/built-package.ts';
import { binary, type Contender, type ContenderName } from '../http/contenders.ts';
import { chooseContenders } from '../http/measure-servers.ts';
import { residentMegabytes } from '../http/process-figures.ts';
import { ServerProcess } from '../http/server-process.ts';
import { atMost, type Finding, ratio, type Suite } from '../suite.ts';

/** The package's command as it is published, and the least that a server on Node can be, beside the peers. */
export const start: Suite = async (options, onProgress) => {
  const { small } = options;
  const notes: string[] = [];
  const peers: readonly ContenderName[] = small ? [] : ['dynalite', 'dynoxide', 'extenddb'];
  const contenders = [
    ...ownCommands(),
    ...chooseContenders({ contenders: options.contenders ?? peers, nodeFlags: [] }, notes),
  ];
  const figures = new Map(
    contenders.map((each) => [each, { ms: [] as number[], megabytes: [] as number[] }]),
  );
  const rounds = options.rounds ?? (small ? 1 : 11);
  // The round before the first fills the caches of files.
  for (let round = small ? 0 : -1; round < rounds; round++) {
    onProgress(`round ${round + 1} of ${rounds}`);
    for (const [contender, { ms, megabytes }] of figures) {
      const server = await ServerProcess.start(contender);
      try {
        // By then whatever goes on after a start has come to rest.
        await sleep(small ? 1 : 500);
        if (round < 0) continue;
        ms.push(server.startMs);
        megabytes.push(residentMegabytes(server.pid) ?? 0);
      } finally {
        await server.stop();
      }
    }
  }
  const rows = [...figures].map(([{ name, version }, { ms, megabytes }]) => [
    name,
    version,
    median(ms).toFixed(0),
    `${Math.min(...ms).toFixed(0)}–${Math.max(...ms).toFixed(0)}`,
    median(megabytes).toFixed(0),
  ]);
  const of = (name: string, what: 'ms' | 'megabytes') => {
    const found = [...figures].find(([contender]) => contender.name === name);
    return found === undefined ? null : median(found[1][what]);
  };
  const findings: Finding[] = [inMemory, onDisk].flatMap((name) => [
    atMost(`${name}: start to node -e`, ratio(of(name, 'ms'), of(least, 'ms')), 3),
    atMost(`${name}: idle memory to node -e`, ratio(of(name, 'megabytes'), of(least, 'megabytes')), 2),
  ]);
  const head = ['server', 'version', 'command to first answer, ms', 'rounds', 'idle, MB'];
  return { findings, tables: [{ title: `${rounds} starts of each, in turns`, head, rows }], notes };
};

const inMemory = 'stator start --in-memory';
const onDisk = 'stator start';
const least = 'node -e, a bare server';

function ownCommands(): Contender[] {
  const main = `${dirname(buildPackage())}/cli/main.js`;
  const ours = { version: 'this', side: 'ours' } as const;
  return [
    {
      ...ours,
      name: inMemory,
      keeps: 'in memory',
      command: ({ port }) => binary(process.execPath, [main, 'start', '--in-memory', '--port', String(port)]),
    },
    {
      ...ours,
      name: onDisk,
      keeps: 'on disk, synced',
      command: ({ port }) => binary(process.execPath, [main, 'start', '--port', String(port)]),
    },
    {
      name: least,
      version: process.version,
      side: 'bare',
      keeps: 'in memory',
      command: ({ port }) =>
        binary(process.execPath, [
          '-e',
          `require('node:http').createServer((_, response) => response.end('{}')).listen(${port}, '127.0.0.1')`,
        ]),
    },
  ];
}
