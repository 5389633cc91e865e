import { isDeepStrictEqual } from 'node:util';
import type { Stator } from '../../src/stator.ts';
import { seededRandom } from '../../tests/seeded-random.ts';
import { median } from '../compare.ts';
import { builtStator } from '../http/built-package.ts';
import { cases } from '../http/cases.ts';
import { type Door, fillPlainly, plainDoor, requestDoor, sdkDoor } from '../http/in-process.ts';
import { Orders, tableDefinition } from '../http/items.ts';
import { jobBasis, withServers } from '../http/measure-servers.ts';
import { ratePerSecond } from '../rates.ts';
import { grouped } from '../report.ts';
import { atLeast, atMost, type Finding, type Suite } from '../suite.ts';
import { httpSettings } from './http.ts';

const bars = { get: 6, put: 4 } as const;
type Measured = keyof typeof bars;

/** The doors without a socket, one call after the other, beside the same database behind HTTP. */
export const inProcess: Suite = async (options, onProgress) => {
  const settings = { ...httpSettings(options), contenders: ['stator'] as const };
  const orders = new Orders(settings.items, settings.seed);
  const db = await (await builtStator()).Stator.open();
  try {
    await db.createTable(tableDefinition as unknown as Parameters<Stator['createTable']>[0]);
    await fillPlainly(db, orders);
    return await withServers(settings, onProgress, async ({ servers: [server], generator, notes }) => {
      const sdk = sdkDoor(db);
      const doors: readonly Door[] = [plainDoor(db), requestDoor(db), sdk];
      const findings: Finding[] = [];
      const rows: string[][] = [];
      for (const name of ['get', 'put'] as const) {
        const rates = doors.map(() => [] as number[]);
        const overHttp: number[] = [];
        const shares: number[] = [];
        // The round before the first warms up.
        for (let round = -1; round < settings.rounds; round++) {
          onProgress(`${cases[name].title}, round ${round + 1} of ${settings.rounds}`);
          const { seconds, warmUpSeconds } = settings;
          const job = { ...jobBasis(server!, settings), kind: 'measure' as const, names: [name] };
          const load = await generator.run({ ...job, warmUpSeconds, seconds });
          if (round >= 0) overHttp.push(load.operations / load.seconds);
          for (const [at, door] of doors.entries()) {
            sdk.ourMs = 0;
            const start = performance.now();
            const rate = await oneRound(door, name, orders, seconds, round);
            if (round < 0) continue;
            rates[at]!.push(rate);
            if (door === sdk) shares.push((sdk.ourMs / (performance.now() - start)) * 100);
          }
        }
        const http = median(overHttp);
        const title = cases[name].title;
        rows.push([`HTTP, ${settings.connections} connections`, title, grouped(http), '1.00']);
        for (const [at, door] of doors.entries()) {
          const rate = median(rates[at]!);
          rows.push([door.name, title, grouped(rate), (rate / http).toFixed(2)]);
        }
        findings.push(atLeast(`${title}, plain methods to HTTP`, median(rates[0]!) / http, bars[name]));
        findings.push(atMost(`${title}, our share of a call of the SDK’s client`, median(shares), 15, '%'));
      }
      await expectAlike(doors, orders);
      const head = ['door', 'operation', 'ops/s', 'to HTTP'];
      return { findings, tables: [{ title: 'In process, in memory', head, rows }], notes };
    });
  } finally {
    await db.close();
  }
};

async function oneRound(
  door: Door,
  name: Measured,
  orders: Orders,
  seconds: number,
  round: number,
): Promise<number> {
  const random = seededRandom(round + 2);
  const indexes = Array.from({ length: 4096 }, () => random.below(orders.count));
  const inputs = indexes.map((index) => (name === 'get' ? orders.key(index) : orders.item(index, round + 2)));
  const act = name === 'get' ? door.get : door.put;
  return ratePerSecond(seconds, async (turn) => {
    if ((await act(inputs[turn & 4095]!)) === undefined) throw new Error(`${door.name}: no answer`);
  });
}

/** All doors lead to the same items. */
async function expectAlike(doors: readonly Door[], orders: Orders): Promise<void> {
  for (const index of orders.spread(0, 25)) {
    const answers = await Promise.all(doors.map((door) => door.get(orders.key(index))));
    const items = answers.map((answer) =>
      answer instanceof Uint8Array || typeof answer === 'string'
        ? (JSON.parse(Buffer.from(answer as string).toString()) as { Item: object }).Item
        : (answer as { Item: object }).Item,
    );
    const wanted = orders.item(index, Orders.versionOf(items[0] as never));
    if (!items.every((item) => isDeepStrictEqual({ ...item }, wanted)))
      throw new Error(`Item ${index} is not the same through every door: ${JSON.stringify(items)}`);
  }
}
