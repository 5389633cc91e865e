import { isDeepStrictEqual } from 'node:util';
import { median } from '../compare.ts';
import { cases } from '../http/cases.ts';
import { type DoorName, doors as doorsByName } from '../http/in-process.ts';
import { Orders } from '../http/items.ts';
import { jobBasis, withServers } from '../http/measure-servers.ts';
import { MeasuredDoor } from '../http/measured-door.ts';
import { grouped } from '../report.ts';
import { atLeast, atMost, type Finding, type Suite } from '../suite.ts';
import { httpSettings } from './http.ts';

const bars = { get: 6, put: 4 } as const;
const [plain, , sdk] = Object.keys(doorsByName) as [DoorName, DoorName, DoorName];

/** The doors without a socket, one call after the other, beside HTTP; each has a process and a database to itself. */
export const inProcess: Suite = async (options, onProgress) => {
  const settings = { ...httpSettings(options), contenders: ['stator'] as const };
  const orders = new Orders(settings.items, settings.seed);
  const doors: MeasuredDoor[] = [];
  try {
    for (const name of Object.keys(doorsByName) as DoorName[])
      doors.push(await MeasuredDoor.open(name, settings.items, settings.seed));
    return await withServers(settings, onProgress, async ({ servers: [server], generator, notes }) => {
      const findings: Finding[] = [];
      const rows: string[][] = [];
      for (const name of ['get', 'put'] as const) {
        const { title } = cases[name];
        const rates = new Map(doors.map((door) => [door.name, [] as number[]]));
        const overHttp: number[] = [];
        const shares: number[] = [];
        // The round before the first warms up.
        for (let round = -1; round < settings.rounds; round++) {
          onProgress(`${title}, round ${round + 1} of ${settings.rounds}`);
          const { seconds, warmUpSeconds } = settings;
          const job = { ...jobBasis(server!, settings), kind: 'measure' as const, names: [name] };
          const load = await generator.run({ ...job, warmUpSeconds, seconds });
          if (round >= 0) overHttp.push(load.operations / load.seconds);
          for (const door of doors) {
            const { rate, ourShare } = await door.round(name, seconds);
            if (round < 0) continue;
            rates.get(door.name)!.push(rate);
            if (door.name === sdk) shares.push(ourShare * 100);
          }
        }
        const http = median(overHttp);
        rows.push([`HTTP, ${settings.connections} connections`, title, grouped(http), '1.00']);
        for (const door of doors) {
          const rate = median(rates.get(door.name)!);
          rows.push([door.name, title, grouped(rate), (rate / http).toFixed(2)]);
        }
        findings.push(
          atLeast(`${title}, plain methods to HTTP`, median(rates.get(plain)!) / http, bars[name]),
          atMost(`${title}, our share of a call of the SDK’s client`, median(shares), 15, '%'),
        );
      }
      await expectAlike(doors, orders);
      const head = ['door', 'operation', 'ops/s', 'to HTTP'];
      return { findings, tables: [{ title: 'In process, in memory', head, rows }], notes };
    });
  } finally {
    for (const door of doors) door.stop();
  }
};

/** Behind every door are the items that were put there. */
async function expectAlike(doors: readonly MeasuredDoor[], orders: Orders): Promise<void> {
  for (const index of orders.spread(0, 25)) {
    for (const door of doors) {
      const item = await door.item(index);
      const wanted = orders.item(index, Orders.versionOf(item));
      if (!isDeepStrictEqual(item, wanted))
        throw new Error(`Item ${index} is another behind ${door.name}: ${JSON.stringify(item)}`);
    }
  }
}
