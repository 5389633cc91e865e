import { expect, it } from 'vitest';
import { client } from '../../src/client/index.ts';
import { createTableRequests } from '../../src/design/create-table.ts';
import {
  type CompiledDesign,
  change,
  compare,
  compile,
  count,
  create,
  type Design,
  derive,
  entity,
  get,
  type ItemJson,
  id,
  list,
  type Model,
  model,
  number,
  of,
  per,
  planMigration,
  text,
  write,
} from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';

it('keep entries of indexes right that follow from numbers which several programs add to', async () => {
  await using db = await tablesOf(games, derive(games));
  const { patterns } = client(games, { client: db.client(), wait: soon });
  await patterns.join({ playerId: 'p', league: 'L', score: 10, floor: 12, name: 'n' });
  await Promise.all(Array.from({ length: 5 }, () => patterns.win({ playerId: 'p', score: { add: 1 } })));
  expect(await patterns.top({ league: 'L' }).all()).toMatchObject([{ score: 15 }]);
  await expectItemsOf(db, compile(games, derive(games)));
  // The score rises above a floor that somebody else raises at the same time.
  await Promise.all([
    patterns.win({ playerId: 'p', score: 20 }),
    patterns.raise({ playerId: 'p', floor: 30 }),
  ]);
  expect(await patterns.below({ league: 'L' }).all()).toHaveLength(1);
  await expectItemsOf(db, compile(games, derive(games)));
});

it('keep a guard of a value that is written again while somebody else changes it', async () => {
  await using db = await tablesOf(games, derive(games));
  const sdk = db.client();
  const { entities } = client(games, { client: sdk });
  const player = { playerId: 'p', league: 'L', score: 1, floor: 1, name: 'n' };
  await entities.Player.create(player);
  let meanwhile: (() => Promise<unknown>) | undefined;
  const slow = client(games, {
    client: {
      middlewareStack: sdk.middlewareStack as never,
      async send(command: never) {
        const answer = await sdk.send(command);
        const run = meanwhile;
        meanwhile = undefined;
        await run?.();
        return answer as unknown;
      },
    },
    wait: soon,
  });
  for (const [ours, theirs] of [
    ['n', 'm'],
    // Both want the same value: the guard that refuses the second is the first one's.
    ['k', 'k'],
  ] as const) {
    meanwhile = () => entities.Player.update({ playerId: 'p' }, { name: theirs });
    await slow.entities.Player.update({ playerId: 'p' }, { name: ours });
    await expectItemsOf(db, compile(games, derive(games)));
  }
});

it('change entries inside both items of a parent that moves', async () => {
  const design = derive(shop);
  const moved = JSON.parse(JSON.stringify(design).replaceAll('"ORDER#"', '"BEST#"')) as Design;
  const plan = planMigration({ model: shop, design }, { model: shop, design: moved });
  await using db = await tablesOf(shop, design);
  const apps = (['dual-write', 'flipped'] as const).map((phase) =>
    client(shop, { client: db.client(), migration: { plan, phase }, wait: soon }),
  );
  const [{ patterns }] = apps as [(typeof apps)[0]];
  await patterns.place({
    Order: { orderId: 'o', note: 'n' },
    Line: [{ orderId: 'o', lineNo: 1, quantity: 1 }],
  });
  const [first, second] = apps as [(typeof apps)[0], (typeof apps)[0]];
  await Promise.all([
    first.patterns.recount({ orderId: 'o', lineNo: 1, quantity: { add: 1 } }),
    second.patterns.recount({ orderId: 'o', lineNo: 1, quantity: { add: 1 } }),
    first.patterns.addLine({ orderId: 'o', lineNo: 2, quantity: 7 }),
  ]);
  const read = await Promise.all(apps.map((one) => one.patterns.lines({ orderId: 'o' }).all()));
  expect(read[0]!.map(({ quantity }) => quantity)).toEqual([3, 7]);
  expect(read[1]).toEqual(read[0]);
});

const player = entity('Player', {
  identity: { playerId: id(10) },
  fixed: { league: id(6) },
  changing: { score: number(6), floor: number(6), name: text(10) },
  population: count(1_000_000),
});

const games = model('games', {
  entities: [player],
  reads: {
    top: list(player, { does: '', by: 'league', order: 'score desc', page: 10, peak: 10 }),
    below: list(player, {
      does: '',
      by: 'league',
      where: [compare('score', '<', 'floor', 0.02)],
      page: 10,
      peak: 1,
    }),
    one: get(player, { does: '', by: 'playerId', peak: 10 }),
  },
  writes: {
    join: write({ does: '', steps: [create(player, { unique: 'name' })], peak: 1 }),
    win: write({ does: '', steps: [change(player, { given: 'playerId', sets: 'score' })], peak: 10 }),
    raise: write({ does: '', steps: [change(player, { given: 'playerId', sets: 'floor' })], peak: 1 }),
  },
});

const order = entity('Order', {
  identity: { orderId: id(10) },
  changing: { note: text(10) },
  population: count(100_000),
});

const line = entity('Line', {
  identity: { orderId: of(order), lineNo: number(3) },
  changing: { quantity: number(4) },
  population: per(order, { mean: 3, max: 20 }),
  mayEmbed: 'lines',
});

const shop = model('shop', {
  entities: [order, line],
  reads: {
    whole: list([order, line], { does: '', by: 'orderId', page: 'all', consistency: 'strong', peak: 50 }),
    lines: list(line, { does: '', by: 'orderId', order: 'lineNo', page: 'all', peak: 10 }),
  },
  writes: {
    place: write({ does: '', steps: [create(order), create(line, { count: 2 })], peak: 20 }),
    addLine: write({ does: '', steps: [create(line)], peak: 5 }),
    recount: write({
      does: '',
      steps: [change(line, { given: ['orderId', 'lineNo'], sets: 'quantity' })],
      peak: 20,
    }),
  },
});

async function tablesOf(from: Model, design: Design): Promise<Stator> {
  const db = Stator.inMemory({ physics: 'off', seed: 1 });
  for (const request of createTableRequests(from, design)) await db.createTable(request as never);
  return db;
}

/** Others run before a repetition. */
function soon(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The table holds the items that the values of its instances ask for, with their keys and guards, and no others. */
async function expectItemsOf(db: Stator, compiled: CompiledDesign): Promise<void> {
  const { Items = [] } = await db.scan({ TableName: compiled.model.name });
  const items = Items as unknown as ItemJson[];
  const wanted = items.flatMap((item) => {
    const placed = compiled.entities.get((item._type as { readonly S: string }).S);
    if (placed === undefined) return [];
    return compiled.itemsOf(placed.entity.name, placed.valuesFrom(item, placed.base)).items;
  });
  const inOrder = (all: readonly ItemJson[]) =>
    all.toSorted((a, b) => (JSON.stringify(a.PK) < JSON.stringify(b.PK) ? -1 : 1));
  expect(inOrder(items)).toEqual(inOrder(wanted));
}
