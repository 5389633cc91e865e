import { describe, expect, it } from 'vitest';
import { costOf } from '../../src/design/cost/cost-design.ts';
import { type Instance, isAskedFor, neededOf, whyOutOfOrder } from '../../src/design/filter-answer.ts';
import {
  type CompiledDesign,
  change,
  check,
  checkCertificate,
  checkDesign,
  choice,
  compile,
  count,
  create,
  createTableRequests,
  type Design,
  derive,
  emit,
  entity,
  type Found,
  get,
  id,
  list,
  type Model,
  ModelError,
  model,
  modelDocument,
  number,
  of,
  per,
  type Request,
  readModel,
  remove,
  run,
  storedModel,
  text,
  time,
  type Value,
  type Values,
  write,
  writeModel,
} from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';
import { awsPrices } from '../../src/physics/prices.ts';
import { Population } from '../../src/workload/population.ts';
import { sampleOf } from '../../src/workload/scale-model.ts';
import { Simulation } from '../../src/workload/simulate.ts';
import { rounds, type SeededRandom, seededRandom } from '../seeded-random.ts';

const basis = { prices: awsPrices, region: 'us-east-1', tableClass: 'STANDARD' } as const;

const order = entity('Order', {
  identity: { orderId: id(10) },
  fixed: { customerId: id(10) },
  changing: { status: choice('OPEN', 'DONE'), version: number(4) },
  version: 'version',
  population: count(100_000),
});

const line = entity('Line', {
  identity: { orderId: of(order), lineNo: number(3) },
  fixed: { sku: id(8) },
  changing: { quantity: number(4) },
  population: per(order, { mean: 3, max: 20 }),
  mayEmbed: 'lines',
});

const shipping = entity('Shipping', {
  identity: { orderId: of(order) },
  fixed: { at: time() },
  changing: { carrier: text(10) },
  population: per(order, { mean: 0.8, max: 1 }),
  mayEmbed: 'shipping',
});

const shop = model('shop', {
  entities: [order, line, shipping],
  reads: {
    orderById: get(order, { does: 'an order', by: 'orderId', peak: 50 }),
    whole: list([order, line, shipping], {
      does: 'an order with everything',
      by: 'orderId',
      page: 'all',
      consistency: 'strong',
      peak: 50,
    }),
    lines: list(line, {
      does: 'the lines, two a page',
      by: 'orderId',
      order: 'lineNo desc',
      page: 2,
      peak: 10,
    }),
    lineOf: get(line, { does: 'one line', by: ['orderId', 'lineNo'], peak: 5 }),
    bySku: list(line, {
      does: 'lines of an article',
      by: ['orderId', 'sku'],
      page: 5,
      needs: ['quantity'],
      peak: 5,
    }),
  },
  writes: {
    place: write({
      does: 'place an order',
      steps: [create(order, { with: { status: 'OPEN' } }), create(line, { count: 2 })],
      peak: 20,
    }),
    addLine: write({ does: 'add a line', steps: [create(line)], peak: 5 }),
    recount: write({
      does: 'change a quantity',
      steps: [change(line, { given: ['orderId', 'lineNo'], sets: 'quantity' })],
      peak: 5,
    }),
    strike: write({
      does: 'remove a line',
      steps: [remove(line, { given: ['orderId', 'lineNo'] })],
      peak: 1,
    }),
    ship: write({
      does: 'ship',
      steps: [
        change(order, {
          given: 'orderId',
          sets: { status: 'DONE' },
          when: { status: 'OPEN' },
          checksVersion: true,
        }),
        create(shipping),
      ],
      peak: 10,
    }),
  },
});

describe('an entity that may be embedded', () => {
  it('lies inside its parent where that is cheaper, with a reason and a certificate', () => {
    const design = derive(shop);
    const [table] = design.tables;
    expect(table!.embedded!.map(({ entity: name, attribute }) => [name, attribute])).toEqual([
      ['Line', 'lines'],
      ['Shipping', 'shipping'],
    ]);
    expect(table!.embedded![0]!.reason).toMatch(
      /^Each Order has 3 Line on average .* Items of their own would need 1 more index\.$/,
    );
    expect(table!.entities).toEqual(['Order']);
    expect(table!.plans.every(({ operation }) => operation === 'GetItem')).toBe(true);
    expect(checkDesign(shop, design)).toEqual([]);
    expect(checkCertificate(shop, design)).toEqual([]);
    expect(check(shop, design).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(readModel(writeModel(shop))).toEqual(shop);
  });

  it('is priced, emitted and documented as the attribute that it is stored in', () => {
    const design = derive(shop);
    const stored = storedModel(shop, design);
    expect(storedModel(stored, design)).toBe(stored);
    expect(costOf(shop, design, { basis })).toEqual(costOf(stored, design, { basis }));
    for (const format of ['cloudformation', 'iam', 'electrodb', 'aws-schema', 'aws-cost-model'] as const)
      expect(emit(format, shop, design)).toContain('shop');
    expect(modelDocument(shop, design).get('model.html')).toContain('lines');
  });

  it('keeps items of its own where a pattern asks for it without its parent, and says so', () => {
    const asked: Model = {
      ...shop,
      reads: [
        ...shop.reads,
        { ...shop.reads.find(({ name }) => name === 'bySku')!, name: 'everywhere', by: ['sku'] },
      ],
    };
    const design = derive(asked);
    expect(design.tables[0]!.embedded!.map(({ entity: name }) => name)).toEqual(['Shipping']);
    expect(design.tables[0]!.apart).toEqual([
      { entity: 'Line', reason: 'Line keeps items of its own: everywhere does not give orderId.' },
    ]);
    expect(checkCertificate(asked, design)).toEqual([]);
  });

  it('is refused where it could not lie inside at all', () => {
    const changed = (change: object): Model => ({
      ...shop,
      entities: shop.entities.map((one) => (one.name === 'Line' ? { ...one, ...change } : one)),
    });
    const refusal = (one: Model) => {
      try {
        derive(one);
      } catch (error) {
        if (error instanceof ModelError) return error.message;
        throw error;
      }
      return undefined;
    };
    expect(refusal(changed({ population: { kind: 'count', count: 5, growthPerDay: 0 } }))).toContain(
      'counted per no entity that could hold it',
    );
    expect(refusal(changed({ mayEmbed: 'status' }))).toContain('Order has another "status"');
    expect(refusal(changed({ schemaVersion: 2 }))).toContain('written into items only');
  });

  it('is not embedded by a design that the checker accepts, if it is tampered with', () => {
    const design = derive(shop);
    const [table] = design.tables;
    const forged = (change: object): Design => ({ ...design, tables: [{ ...table!, ...change }] });
    const others = table!.certificate.others!;
    const [lines] = table!.embedded!;
    for (const wrong of [
      forged({ embedded: [{ ...lines!, attribute: 'status' }, table!.embedded![1]] }),
      forged({ embedded: [{ ...lines!, entryKey: [] }, table!.embedded![1]] }),
      forged({ embedded: [lines] }),
      forged({ embedded: [] }),
      forged({ certificate: { ...table!.certificate, others: others.slice(1) } }),
    ])
      expect([...checkDesign(shop, wrong), ...checkCertificateOrRefuse(shop, wrong)]).not.toEqual([]);
  });

  it('is loaded inside its parent by a simulation', async () => {
    const compiled = compile(shop, derive(shop));
    const startMs = Date.UTC(2026, 0, 5);
    const population = new Population(sampleOf(shop, 200), { seed: 1, era: { nowMs: startMs, days: 30 } });
    population.fill();
    const simulation = await Simulation.open(compiled, { seed: 1, startMs, physics: 'off' });
    try {
      expect(await simulation.loadAll(population)).toBe(population.kind('Order').present);
      for (const values of population.kind('Order').instances.slice(0, 5)) {
        const { orderId } = values!;
        const { items } = await run(compiled.read('whole', { orderId: orderId! }), (request) =>
          simulation.send(request, 'whole'),
        );
        const own = population.kind('Line').instances.filter((line) => line?.orderId === orderId);
        expect(items.filter(({ entity: name }) => name === 'Line')).toHaveLength(own.length);
      }
    } finally {
      await simulation.close();
    }
  });

  it('is written inside its parent under conditions of its own, and read back page by page', async () => {
    const compiled = compile(shop, derive(shop));
    await using db = Stator.inMemory({ physics: 'off', seed: 1 });
    for (const request of createTableRequests(shop, compiled.design)) await db.createTable(request as never);
    const sent: Request[] = [];
    const send = sender(db, sent);
    const at = '2026-01-05T09:00:00.000Z';
    const lineOf = (lineNo: number) => ({ orderId: 'o1', lineNo, sku: `s${lineNo % 2}`, quantity: lineNo });
    await run(
      compiled.write('place', { Order: { orderId: 'o1', customerId: 'c1' }, Line: [lineOf(1), lineOf(2)] }),
      send,
    );
    expect(sent.map(({ operation }) => operation)).toEqual(['PutItem']);
    await run(compiled.write('addLine', { Line: lineOf(10) }), send);
    await expect(run(compiled.write('addLine', { Line: lineOf(10) }), send)).rejects.toThrow();
    await expect(
      run(compiled.write('addLine', { Line: { ...lineOf(10), orderId: 'o2' } }), send),
    ).rejects.toThrow();
    await run(compiled.write('recount', { Line: { orderId: 'o1', lineNo: 2, quantity: { add: 5 } } }), send);
    await expect(
      run(compiled.write('recount', { Line: { orderId: 'o1', lineNo: 3, quantity: 5 } }), send),
    ).rejects.toThrow();
    sent.length = 0;
    await run(
      compiled.write('ship', {
        Order: { orderId: 'o1', version: 1 },
        Shipping: { orderId: 'o1', at, carrier: 'post' },
      }),
      send,
    );
    expect(sent.map(({ operation }) => operation)).toEqual(['UpdateItem']);
    await run(compiled.write('strike', { Line: { orderId: 'o1', lineNo: 1 } }), send);
    const whole = await run(compiled.read('whole', { orderId: 'o1' }), send);
    expect(whole.items).toEqual([
      { entity: 'Order', values: { orderId: 'o1', customerId: 'c1', status: 'DONE', version: 2 } },
      { entity: 'Line', values: { orderId: 'o1', lineNo: 2, sku: 's0', quantity: 7 } },
      { entity: 'Line', values: { orderId: 'o1', lineNo: 10, sku: 's0', quantity: 10 } },
      { entity: 'Shipping', values: { orderId: 'o1', at, carrier: 'post' } },
    ]);
    await run(compiled.write('addLine', { Line: lineOf(4) }), send);
    const first = await run(compiled.read('lines', { orderId: 'o1' }), send);
    expect(first.items.map(({ values }) => values.lineNo)).toEqual([10, 4]);
    // What is removed meanwhile does not confuse the next page.
    await run(compiled.write('strike', { Line: { orderId: 'o1', lineNo: 4 } }), send);
    const second = await run(compiled.read('lines', { orderId: 'o1' }, { cursor: first.cursor }), send);
    expect(second.items.map(({ values }) => values.lineNo)).toEqual([2]);
    expect(second.cursor).toBeUndefined();
    const one = await run(compiled.read('lineOf', { orderId: 'o1', lineNo: 10 }), send);
    expect(one.items).toHaveLength(1);
    expect(() => compiled.itemsOf('Line', lineOf(1))).toThrow('it lies in "lines" of Order');
    const { item } = compiled.item(
      'Order',
      compiled.inside(
        'Order',
        { orderId: 'o3', customerId: 'c', status: 'OPEN', version: 1 },
        { Line: [lineOf(1)] },
      ),
    );
    expect(item.lines).toEqual({
      M: { '001': { M: { lineNo: { N: '1' }, sku: { S: 's1' }, quantity: { N: '1' } } } },
    });
  });
});

function checkCertificateOrRefuse(asked: Model, design: Design) {
  try {
    return checkCertificate(asked, design);
  } catch {
    return ['refused'];
  }
}

const models = rounds(20, 30);

describe('embedded designs', () => {
  it(
    `answer every pattern of ${models} random models as a filter over all instances does`,
    async () => {
      const counts = { models: 0, embedded: 0, asked: 0, found: 0, pages: 0, refused: 0 };
      for (let round = 0; round < models; round++) {
        const random = seededRandom(61_000 + round);
        const drawn = randomFamily(random);
        const design = derive(drawn);
        counts.models++;
        counts.embedded += design.tables[0]!.embedded?.length ?? 0;
        expect([...checkDesign(drawn, design), ...checkCertificate(drawn, design)], `round ${round}`).toEqual(
          [],
        );
        const compiled = compile(drawn, design);
        await using db = Stator.inMemory({ physics: 'off', seed: round });
        for (const request of createTableRequests(drawn, design)) await db.createTable(request as never);
        const send = sender(db, []);
        const instances = await fillByWrites(random, compiled, send, counts);
        for (const pattern of drawn.reads)
          for (let call = 0; call < 4; call++) {
            const own = instances.filter((one) => pattern.entities.includes(one.entity));
            if (own.length === 0) continue;
            const { values } = random.pick(own);
            const given = Object.fromEntries(pattern.by.map((name) => [name, values[name]!]));
            const other = random.pick(own).values;
            const [from, to] =
              pattern.range === undefined ? [] : [String(values.at), String(other.at)].sort();
            const bounds = pattern.range === undefined ? {} : { from, to };
            const answer: Found[] = [];
            let cursor: string | undefined;
            do {
              const page = await run(compiled.read(pattern.name, given, { ...bounds, cursor }), send);
              expect(page.items.length).toBeLessThanOrEqual(pattern.page === 'all' ? 1e9 : pattern.page);
              answer.push(...page.items);
              cursor = page.cursor;
              counts.pages++;
            } while (cursor !== undefined);
            const entityOf = (name: string) => drawn.entities.find((one) => one.name === name)!;
            const right = instances.filter(
              (one) =>
                pattern.entities.includes(one.entity) &&
                isAskedFor(entityOf(one.entity), pattern, given, bounds, one.values),
            );
            const where = `round ${round}, ${pattern.name}`;
            const shown = (one: string, held: Values) =>
              `${one} ${JSON.stringify(Object.entries(held).sort())}`;
            expect(answer.map((one) => shown(one.entity, one.values)).sort(), where).toEqual(
              right
                .map((one) => shown(one.entity, neededOf(entityOf(one.entity), pattern, one.values)))
                .sort(),
            );
            expect(whyOutOfOrder(drawn, pattern, answer), where).toBeUndefined();
            counts.asked++;
            counts.found += answer.length;
          }
      }
      expect(counts.embedded, JSON.stringify(counts)).toBeGreaterThan(counts.models / 3);
      expect(counts.found).toBeGreaterThan(counts.asked);
      expect(counts.pages).toBeGreaterThan(counts.asked);
      expect(counts.refused).toBeGreaterThan(5);
    },
    rounds(60_000, 30),
  );
});

function sender(db: Stator, sent: Request[]) {
  return (request: Request) => {
    sent.push(request);
    const name = request.operation.charAt(0).toLowerCase() + request.operation.slice(1);
    return (db as unknown as Record<string, (input: object) => Promise<unknown>>)[name]!(request.input);
  };
}

/** A parent with a child or two, and reads and writes of all kinds. */
function randomFamily(random: SeededRandom): Model {
  const parent = entity('Parent', {
    identity: random.chance(0.5) ? { a: id(8) } : { a: id(8), b: id(8) },
    changing: { title: text(20 + random.below(400)), version: number(5) },
    version: 'version',
    population: count(10_000),
  });
  const two = 'b' in Object.fromEntries(parent.ir.identity.map((name) => [name, true]));
  const link = { a: of(parent, 'a' as never), ...(two ? { b: of(parent, 'b' as never) } : {}) };
  const names = ['Child', ...(random.chance(0.5) ? ['Other'] : [])];
  const children = names.map((name) =>
    entity(name, {
      identity: { ...link, n: number(3), ...(random.chance(0.3) ? { m: id(4) } : {}) },
      fixed: { kind: choice('X', 'Y'), at: time() },
      changing: { amount: number(4), note: text(30) },
      population: per(parent, { mean: 2, max: 10 }),
      mayEmbed: name === 'Child' ? 'children' : 'others',
    }),
  );
  const by = two ? ['a', 'b'] : ['a'];
  const traffic = () => {
    const peak = random.pick([1, 20]);
    return { peak, mean: Math.min(peak, random.pick([0.5, 5])) };
  };
  const read: Record<string, unknown> = {};
  const add = (one: unknown) => {
    read[`r${Object.keys(read).length}`] = one;
  };
  add(get(parent, { does: 'a parent', by: by as never, ...traffic() }));
  for (const child of children) {
    const direction = random.chance(0.5) ? 'asc' : 'desc';
    add(
      list(child, {
        does: 'children',
        by: by as never,
        order: `at ${direction}` as never,
        page: 2,
        ...traffic(),
      }),
    );
    add(list(child, { does: 'window', by: by as never, range: 'at' as never, page: 3, ...traffic() }));
    if (random.chance(0.6))
      add(
        list(child, {
          does: 'X',
          by: by as never,
          where: { kind: 'X' } as never,
          page: 3,
          mayDiscard: 0.9,
          needs: ['amount'] as never,
          ...traffic(),
        }),
      );
    if (random.chance(0.4))
      add(list(child, { does: 'by kind', by: [...by, 'kind'] as never, page: 'all', ...traffic() }));
    // Sometimes a pattern that keeps the child apart.
    if (random.chance(0.2)) add(list(child, { does: 'anywhere', by: 'n' as never, page: 5, ...traffic() }));
  }
  add(
    list(
      [parent, ...children] as never,
      { does: 'all', by: by as never, page: 'all', ...traffic() } as never,
    ),
  );
  return model('family', {
    entities: [parent, ...children] as never,
    reads: read as never,
    writes: {
      found: write({
        does: 'found',
        steps: [create(parent), ...children.map((one) => create(one, { count: 2 }))],
        ...traffic(),
      }),
      ...Object.fromEntries(
        children.flatMap((one) => [
          [`add${one.ir.name}`, write({ does: 'add', steps: [create(one)], ...traffic() })],
          [
            `change${one.ir.name}`,
            write({
              does: 'change',
              steps: [
                change(one, {
                  given: [...one.ir.identity, 'at'] as never,
                  sets: ['amount', 'note'] as never,
                  when: { kind: 'X' } as never,
                }),
                ...(random.chance(0.5)
                  ? [change(parent, { given: by as never, sets: 'title' as never, checksVersion: true })]
                  : []),
              ],
              ...traffic(),
            }),
          ],
          [
            `remove${one.ir.name}`,
            write({
              does: 'remove',
              steps: [remove(one, { given: [...one.ir.identity, 'at'] as never })],
              ...traffic(),
            }),
          ],
        ]),
      ),
    },
  });
}

async function fillByWrites(
  random: SeededRandom,
  compiled: CompiledDesign,
  send: (request: Request) => Promise<unknown>,
  counts: { refused: number },
): Promise<Instance[]> {
  const { entities, writes } = compiled.model;
  const [parent, ...children] = entities as [Model['entities'][number], ...Model['entities'][number][]];
  const all = new Map<string, { entity: string; values: Record<string, Value> }>();
  const nameOf = (entity: Model['entities'][number], values: Values) =>
    `${entity.name} ${entity.identity.map((name) => values[name]).join('#')}`;
  const put = (entity: Model['entities'][number], values: Record<string, Value>) =>
    all.set(nameOf(entity, values), { entity: entity.name, values });
  // Fixed attributes may stand in the key beside the identity: the same instance always has the same time.
  const instant = (n: number) => new Date(1.7e12 + (n % 4) * 1_000).toISOString();
  const newChild = (entity: Model['entities'][number], link: Values, n: number): Record<string, Value> => ({
    ...Object.fromEntries(parent.identity.map((name) => [name, link[name]!])),
    n,
    ...(entity.identity.includes('m') ? { m: random.pick(['u', 'v-w']) } : {}),
    kind: random.pick(['X', 'Y']),
    at: instant(n),
    amount: random.below(100),
    note: `note ${random.below(9)}`,
  });
  for (let at = 0; at < 6; at++) {
    const values: Record<string, Value> = { title: `t${at}`, version: 1 };
    for (const name of parent.identity) values[name] = name === 'a' ? `p${at >> 1}` : `q${at & 1}`;
    if (all.has(nameOf(parent, values))) continue;
    const own = Object.fromEntries(
      children.map((child) => [child.name, [newChild(child, values, 1), newChild(child, values, 2)]]),
    );
    await run(compiled.write('found', { Parent: values, ...own }), send);
    put(parent, values);
    for (const child of children) for (const one of own[child.name]!) put(child, one);
  }
  for (let step = 0; step < 30; step++) {
    const child = random.pick(children);
    const some = random.pick([...all.values()].filter((one) => one.entity === parent.name)).values;
    const known = [...all.values()].filter((one) => one.entity === child.name);
    const kind = random.pick(['add', 'change', 'remove']);
    try {
      if (kind === 'add') {
        const values = newChild(child, some, 1 + random.below(6));
        await run(compiled.write(`add${child.name}`, { [child.name]: values }), send);
        expect(all.has(nameOf(child, values))).toBe(false);
        put(child, values);
        continue;
      }
      if (known.length === 0) continue;
      const { values } = random.pick(known);
      const key = Object.fromEntries([...child.identity, 'at'].map((name) => [name, values[name]!]));
      if (kind === 'remove') {
        await run(compiled.write(`remove${child.name}`, { [child.name]: key }), send);
        all.delete(nameOf(child, values));
        continue;
      }
      const around = [...all.values()].find(
        (one) =>
          one.entity === parent.name && parent.identity.every((name) => one.values[name] === values[name]),
      )!.values;
      const pattern = writes.find(({ name }) => name === `change${child.name}`)!;
      const withParent = pattern.steps.length > 1;
      const version = Number(around.version) - (random.chance(0.2) ? 1 : 0);
      const identity = Object.fromEntries(parent.identity.map((name) => [name, around[name]!]));
      const next = { amount: random.below(100), note: 'changed' };
      await run(
        compiled.write(pattern.name, {
          [child.name]: { ...key, ...next },
          ...(withParent ? { Parent: { ...identity, title: 'new', version } } : {}),
        }),
        send,
      );
      expect(values.kind).toBe('X');
      Object.assign(values, next);
      if (!withParent) continue;
      expect(version).toBe(around.version);
      Object.assign(around, { title: 'new', version: version + 1 });
    } catch (error) {
      if (!/Conditional|TransactionCanceled/.test((error as Error).name)) throw error;
      counts.refused++;
    }
  }
  return [...all.values()];
}
