import { describe, expect, it } from 'vitest';
import {
  add,
  change,
  choice,
  count,
  create,
  derive,
  distinct,
  entity,
  get,
  hot,
  id,
  list,
  listOf,
  type Model,
  ModelError,
  model,
  number,
  of,
  optional,
  per,
  readModel,
  text,
  time,
  write,
} from './index.ts';

/** A model's JSON that a test may break. */
interface Loose {
  readonly entities: { readonly attributes: { readonly type: object }[] }[];
  readonly reads: { readonly rate: object }[];
}

function troublesOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof ModelError) return error.troubles.map(({ where, rule }) => `${where}: ${rule}`);
    throw error;
  }
  return [];
}

const customer = entity('Customer', {
  identity: { customerId: id() },
  changing: { email: text(30), visits: optional(number(9)) },
  population: count(1_000_000),
});

const order = entity('Order', {
  identity: { orderId: id() },
  fixed: { customerId: of(customer), placedAt: time() },
  changing: { status: choice('OPEN', 'DONE'), total: number(8) },
  population: per(customer, { mean: 5, max: 100 }),
});

describe('a model that cannot be served is refused with the reason', () => {
  it('a strong read by what changes', () => {
    const impossible = model('strong', {
      entities: [customer],
      reads: { byMail: get(customer, { does: 'by mail', by: 'email', consistency: 'strong', peak: 1 }) },
      writes: {},
    });
    expect(troublesOf(() => derive(impossible))).toEqual(['read byMail: strong reads']);
  });

  it('a write that cannot compute the key that a strong read needs', () => {
    const blind = model('blind', {
      entities: [customer, order],
      reads: {
        latest: list(order, {
          does: 'latest orders',
          by: 'customerId',
          order: 'placedAt desc',
          page: 10,
          consistency: 'strong',
          peak: 1,
        }),
      },
      writes: {
        ship: write({ does: 'ship', steps: [change(order, { given: 'orderId', sets: 'status' })], peak: 1 }),
      },
    });
    try {
      derive(blind);
      expect.unreachable();
    } catch (error) {
      expect((error as ModelError).message).toContain('Read it eventually consistent.');
    }
  });

  it('one item that is written too often, unless its counter may spread', () => {
    const counting = (spread: 'never' | 'shards') =>
      model('counter', {
        entities: [customer],
        reads: { one: get(customer, { does: 'one', by: 'customerId', peak: 1 }) },
        writes: {
          visit: write({
            does: 'count a visit',
            steps: [add(customer, { given: 'customerId', to: 'visits', spread })],
            peak: 5_000,
            skew: { customerId: hot(1, 1) },
          }),
        },
      });
    expect(troublesOf(() => derive(counting('never')))).toEqual(['entity Customer: hot item']);
    const [counter] = derive(counting('shards')).tables[0]!.satellites;
    expect(counter).toMatchObject({ kind: 'counter', shards: 8 });
  });

  it('a list that grows without bound, a write without the identity, a range and another order', () => {
    const wrong = () =>
      model('wrong', {
        entities: [
          entity('Rollup', {
            identity: { a: id() },
            changing: { events: listOf(100, { mean: 10 }) },
            population: count(1),
          }),
          order,
          customer,
        ],
        reads: {
          R: list(order, { does: '', by: 'customerId', range: 'placedAt', order: 'total', page: 1, peak: 1 }),
        },
        writes: {
          W: write({ does: '', steps: [change(order, { given: 'customerId', sets: 'status' })], peak: 1 }),
        },
      });
    expect(troublesOf(wrong)).toEqual([
      'entity Rollup: unbounded list',
      'read R: range and order',
      'write W: write address',
    ]);
  });

  it('a transition that the states do not allow, a change of what never changes', () => {
    const stateful = entity('Job', {
      identity: { jobId: id() },
      fixed: { at: time() },
      changing: { state: choice('NEW', 'RUNNING', 'DONE') },
      states: { state: { NEW: ['RUNNING'], RUNNING: ['DONE'] } },
      population: count(10),
    });
    const wrong = () =>
      model('states', {
        entities: [stateful],
        reads: {},
        writes: {
          skip: write({
            does: '',
            steps: [change(stateful, { given: 'jobId', sets: { state: 'DONE' }, when: { state: 'NEW' } })],
            peak: 1,
          }),
          move: write({ does: '', steps: [change(stateful, { given: 'jobId', sets: 'at' })], peak: 1 }),
        },
      });
    expect(troublesOf(wrong)).toEqual(['write skip: states', 'write move: contradiction']);
  });

  it('a hot list that no number of shards cools', () => {
    const board = entity('Entry', {
      identity: { entryId: id() },
      fixed: { board: distinct(1, id(4)), at: time() },
      changing: { body: text(2_000) },
      population: count(100_000),
    });
    const hotList = model('board', {
      entities: [board],
      reads: {
        front: list(board, { does: 'the front page', by: 'board', order: 'at desc', page: 50, peak: 2_000 }),
      },
      writes: { post: write({ does: 'post', steps: [create(board)], peak: 10 }) },
    });
    expect(troublesOf(() => derive(hotList))).toEqual(['read front: hot partition']);
  });

  it('one item that is read too often: shards spread items, and no shard divides one', () => {
    const reading = (skew: ReturnType<typeof hot>) =>
      model('famous', {
        entities: [customer],
        reads: {
          one: get(customer, { does: 'one', by: 'customerId', peak: 20_000, skew: { customerId: skew } }),
        },
        writes: {},
      });
    expect(troublesOf(() => derive(reading(hot(1, 1))))).toEqual(['read one: hot partition']);
    expect(derive(reading(hot(100, 1))).tables[0]!.indexes).toEqual([]);
  });

  it('one large item that is written too often, and an identity that no key has room for', () => {
    const pages = (url: ReturnType<typeof text>) => {
      const page = entity('Page', {
        identity: { url },
        changing: { body: text(3_000) },
        population: count(9),
      });
      // Four units each: 300 edits of one page are more than a partition gives.
      const edit = write({
        does: 'edit',
        steps: [change(page, { given: 'url', sets: 'body' })],
        peak: 300,
        skew: { url: hot(1, 1) },
      });
      return model('pages', { entities: [page], reads: {}, writes: { edit } });
    };
    expect(troublesOf(() => derive(pages(text(30, 2_000))))).toEqual(['entity Page: hot item']);
    expect(troublesOf(() => derive(pages(text(30, 3_000))))).toEqual([
      'entity Page: hot item',
      'entity Page: key size',
    ]);
  });

  it('by all changes that it takes, if one is not enough, and by the patterns that contradict each other', () => {
    const strong = { does: '', page: 10, consistency: 'strong', peak: 1 } as const;
    const blind = model('blind', {
      entities: [customer, order],
      reads: {
        R1: list(order, { ...strong, by: 'status' }),
        R2: list(order, { ...strong, by: 'total' }),
        R3: get(order, { does: '', by: 'orderId', peak: 1 }),
      },
      writes: {},
    });
    expect(troublesOf(() => derive(blind))).toEqual([
      'reads R1, R2, R3: no design',
      'read R1: strong reads',
      'read R2: strong reads',
    ]);
  });
});

describe('keys by hand', () => {
  const keyed = (sort: 'date' | 'total') =>
    entity('Order', {
      identity: { orderId: id() },
      fixed: { customerId: id(), placedAt: time() },
      changing: { total: number(8), status: choice('OPEN', 'DONE') },
      population: count(1_000_000),
      keys: {
        table: (o) => [`CUST#${o.customerId}`, `ORDER#${o.placedAt}#${o.orderId}`],
        GSI1: {
          key: (o) => ['OPEN', sort === 'date' ? `${o.placedAt}#${o.orderId}` : `${o.total}#${o.orderId}`],
          when: { status: 'OPEN' },
        },
      },
    });
  const handMade = (sort: 'date' | 'total'): Model => {
    const hand = keyed(sort);
    return model('hand', {
      entities: [hand],
      reads: {
        A2: list(hand, { does: 'newest first', by: 'customerId', order: 'placedAt desc', page: 10, peak: 1 }),
        A5: list(hand, { does: 'open', where: { status: 'OPEN' }, order: 'placedAt', page: 10, peak: 1 }),
      },
      writes: {},
    });
  };

  it('are taken as they are and checked', () => {
    const { plans } = derive(handMade('date')).tables[0]!;
    expect(plans.map(({ pattern, slot, operation, forward }) => [pattern, slot, operation, forward])).toEqual(
      [
        ['A2', 'table', 'Query', false],
        ['A5', 'GSI1', 'Query', true],
      ],
    );
  });

  it('are refused where they do not serve', () => {
    expect(troublesOf(() => derive(handMade('total')))).toEqual(['read A5: keys by hand']);
  });
});

describe('JSON that is no model', () => {
  it.each([
    ['no JSON', '{', '/: JSON'],
    ['no object', '[]', '/: schema'],
    ['another format', '{"format":"x"}', '/: schema'],
  ])('is refused: %s', (_what, source, expected) => {
    expect(troublesOf(() => readModel(source))).toContain(expected);
  });

  it('is refused with the place', () => {
    const good = model('small', {
      entities: [customer],
      reads: { R: get(customer, { does: '', by: 'customerId', peak: 1 }) },
      writes: {},
    });
    const broken = (change: (value: Loose) => void) => {
      const value = JSON.parse(JSON.stringify(good));
      change(value);
      return troublesOf(() => readModel(value));
    };
    expect(broken((value) => Object.assign(value.entities[0]!, { colour: 'red' }))).toEqual([
      '/entities/0/colour: schema',
    ]);
    expect(
      broken((value) => Object.assign(value.entities[0]!.attributes[0]!.type, { kind: 'uuid' })),
    ).toEqual(['/entities/0/attributes/0/type/kind: schema']);
    expect(broken((value) => Object.assign(value.reads[0]!.rate, { peak: -1 }))).toEqual([
      '/reads/0/rate/peak: schema',
    ]);
    expect(broken((value) => Object.assign(value.reads[0]!, { by: ['nobody'] }))).toEqual(['read R: names']);
  });

  it('names what is no model', () => {
    for (const wrong of [undefined, {}, { default: {} }, { format: 'stator-design/1', name: 'x' }])
      expect(() => derive(wrong as never)).toThrow(
        /it is no model: its format is (missing|"stator-design\/1")/,
      );
  });
});

/** What the compiler would refuse: model files are loaded by stripping their types, unchecked. */
describe('the language refuses what no compiler has seen', () => {
  const loose = { change, entity, get, list, model, number, per, write } as unknown as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  const one = { identity: { customerId: id() }, population: count(1) };

  it.each([
    ['an unknown member', () => loose.change!(customer, { set: [] }), 'takes no "set". Did you mean "sets"?'],
    ['a missing member', () => loose.change!(customer, { given: 'x' }), 'change(Customer, …) needs "sets"'],
    ['no options at all', () => loose.change!(customer), 'takes an object here, not undefined'],
    ['a number for options', () => loose.number!(7, 2), 'number(7, …) takes an object here, not 2'],
    ['a list without a page', () => loose.list!(customer, { does: '', peak: 1 }), 'needs "page"'],
    ['a read without a rate', () => loose.get!(customer, { does: '' }), 'get(Customer, …) needs "peak"'],
    [
      'a write without a rate',
      () => loose.write!({ does: 'pay', steps: [] }),
      'that does "pay" needs "peak"',
    ],
    ['half a population', () => loose.per!(customer, { mean: 1 }), 'per(Customer, …) needs "max"'],
    ['a slip in an entity', () => loose.entity!('E', { ...one, verison: 'v' }), 'Did you mean "version"?'],
    ['states of two attributes', () => loose.entity!('E', { ...one, states: { a: {}, b: {} } }), 'names one'],
    [
      'a key that is no pair',
      () => loose.entity!('E', { ...one, keys: { table: () => 'E#1' } }),
      'E: the key in table takes a function that answers [partition, sort]',
    ],
    ['no writes', () => loose.model!('m', { entities: [], reads: {} }), 'model("m", …) needs "writes"'],
    [
      'another direction',
      () => loose.list!(customer, { does: '', page: 1, peak: 1, order: 'visits descending' }),
      'the order "visits descending" is not an attribute with "asc" or "desc" behind it',
    ],
  ])('%s', (_what, run, expected) => {
    expect(run).toThrow(expected);
  });

  it('values of another type, by the names of entities and patterns', () => {
    const wrong = loose.get!(customer, { does: '', by: 'customerId', peak: '3' });
    expect(
      troublesOf(() => loose.model!('m', { entities: [customer], reads: { R: wrong }, writes: {} })),
    ).toEqual(['read R/rate/peak: schema', 'read R/rate/mean: schema']);
    const versioned = loose.entity!('E', { ...one, version: 'v' });
    expect(troublesOf(() => loose.model!('m', { entities: [versioned], reads: {}, writes: {} }))).toEqual([
      'entity E: names',
    ]);
  });

  it.each([
    ['a value that no instance has', { where: { status: 'OPNE' } }, {}, 'read R: values'],
    ['a number for a choice', { where: { status: 3 } }, {}, 'read R: values'],
    ['a skew by what is not there', { skew: { custmerId: { kind: 'uniform' } } }, {}, 'read R: names'],
    ['a mean above the peak', { mean: 2 }, {}, 'read R: rate'],
    ['a change to no state', {}, { sets: { status: 'GONE' } }, 'write W: values'],
    ['a removal of what is always there', {}, { sets: { total: null } }, 'write W: contradiction'],
  ])('%s', (_what, read, sets, expected) => {
    const given = { does: '', by: 'customerId', page: 1, peak: 1, ...read };
    const step = loose.change!(order, { given: 'orderId', sets: ['total'], ...sets });
    const reads = { R: loose.list!(order, given) };
    const writes = { W: loose.write!({ does: '', steps: [step], peak: 1 }) };
    expect(troublesOf(() => loose.model!('m', { entities: [customer, order], reads, writes }))).toEqual([
      expected,
    ]);
  });

  it.each([
    ['sizes', { changing: { body: text(900, 100) } }],
    ['version', { changing: { body: text(9) }, version: 'body' }],
  ])('an entity whose %s contradict themselves', (rule, more) => {
    const wrong = loose.entity!('E', { ...one, ...more });
    expect(troublesOf(() => loose.model!('m', { entities: [wrong], reads: {}, writes: {} }))).toEqual([
      `entity E: ${rule}`,
    ]);
  });

  it('an addition to what is no number', () => {
    const wrong = add(customer, { given: 'customerId', to: 'email' });
    const writes = { W: loose.write!({ does: '', steps: [wrong], peak: 1 }) };
    expect(troublesOf(() => loose.model!('m', { entities: [customer], reads: {}, writes }))).toEqual([
      'write W: values',
    ]);
  });
});
