import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { ElectroError, Entity, type EntityConfiguration, Service } from 'electrodb';
import { beforeEach, expect, it } from 'vitest';
import type { CreateTableInput } from '../../src/index.ts';
import { throughBothDoors } from './application-doors.ts';

const shopTable = {
  TableName: 'shop',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'gsi1pk', AttributeType: 'S' },
    { AttributeName: 'gsi1sk', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'gsi1',
      KeySchema: [
        { AttributeName: 'gsi1pk', KeyType: 'HASH' },
        { AttributeName: 'gsi1sk', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
} as const satisfies CreateTableInput;

/** A shop: customers with their orders in one partition, carts that expire, and orders by status in an index. */
function openShop(configuration: EntityConfiguration) {
  const customer = new Entity(
    {
      model: { entity: 'customer', version: '1', service: 'shop' },
      attributes: {
        customerId: { type: 'string', required: true },
        email: { type: 'string', required: true, validate: /^\S+@\S+$/ },
        tier: { type: ['basic', 'gold'] as const, default: 'basic' },
        points: { type: 'number', default: 0 },
        interests: { type: 'set', items: 'string' },
        createdAt: { type: 'string', readOnly: true, default: () => '2026-06-01T08:00:00.000Z' },
      },
      indexes: {
        byId: {
          collection: 'account',
          pk: { field: 'pk', composite: ['customerId'] },
          sk: { field: 'sk', composite: [] },
        },
      },
    },
    configuration,
  );
  const order = new Entity(
    {
      model: { entity: 'order', version: '1', service: 'shop' },
      attributes: {
        customerId: { type: 'string', required: true },
        orderId: { type: 'string', required: true },
        status: { type: ['open', 'paid', 'shipped'] as const, required: true, default: 'open' },
        placedAt: { type: 'string', required: true },
        total: { type: 'number', required: true },
        version: { type: 'number', required: true, default: 1 },
        note: { type: 'string' },
        lines: {
          type: 'list',
          required: true,
          default: [],
          items: {
            type: 'map',
            properties: {
              sku: { type: 'string', required: true },
              quantity: { type: 'number', required: true },
            },
          },
        },
        address: {
          type: 'map',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
        labels: { type: 'set', items: 'string' },
      },
      indexes: {
        byCustomer: {
          collection: 'account',
          pk: { field: 'pk', composite: ['customerId'] },
          sk: { field: 'sk', composite: ['orderId'] },
        },
        byStatus: {
          index: 'gsi1',
          pk: { field: 'gsi1pk', composite: ['status'] },
          sk: { field: 'gsi1sk', composite: ['placedAt', 'orderId'] },
        },
      },
    },
    configuration,
  );
  const cart = new Entity(
    {
      model: { entity: 'cart', version: '1', service: 'shop' },
      attributes: {
        sessionId: { type: 'string', required: true },
        items: { type: 'any', default: {} },
        // Time to Live wants seconds, where JavaScript counts milliseconds.
        expiresAt: {
          type: 'number',
          required: true,
          default: () => Date.UTC(2026, 5, 2) / 1000,
        },
      },
      indexes: {
        bySession: {
          pk: { field: 'pk', composite: ['sessionId'] },
          sk: { field: 'sk', composite: [] },
        },
      },
    },
    configuration,
  );
  return new Service({ customer, order, cart });
}

throughBothDoors('ElectroDB', shopTable, (door) => {
  let shop: ReturnType<typeof openShop>;
  beforeEach(() => {
    shop = openShop({ table: 'shop', client: door.documentClient() });
  });

  const key = { customerId: 'a1b2', orderId: 'o-9001' };
  const placed = {
    ...key,
    placedAt: '2026-06-01',
    total: 149,
    lines: [{ sku: 'ABC', quantity: 2 }],
    address: { street: 'Main Street 1', city: 'Springfield' },
    labels: ['gift'],
  };

  /** The service tells why it refused, and the library hands that on as the cause. */
  const refused = {
    code: 4001,
    isElectroError: true,
    cause: expect.any(ConditionalCheckFailedException),
  };

  it('creates an order with defaults and reads it back', async () => {
    const created = await shop.entities.order.create(placed).go();
    expect(created.data).toEqual({ ...placed, status: 'open', version: 1 });
    expect((await shop.entities.order.get(key).go({ consistent: true })).data).toEqual(created.data);
    const some = await shop.entities.order.get(key).go({ attributes: ['total', 'status'] });
    expect(some.data).toEqual({ total: 149, status: 'open' });
    expect((await shop.entities.order.get({ ...key, orderId: 'o-1' }).go()).data).toBeNull();
  });

  it('keeps its entities apart by the prefixes of their keys', async () => {
    await shop.entities.order.create(placed).go();
    const { Item } = await door.documentClient().send(
      new GetCommand({
        TableName: 'shop',
        Key: { pk: '$shop#customerid_a1b2', sk: '$account#order_1#orderid_o-9001' },
      }),
    );
    expect(Item).toEqual({
      ...placed,
      status: 'open',
      version: 1,
      labels: new Set(['gift']),
      pk: '$shop#customerid_a1b2',
      sk: '$account#order_1#orderid_o-9001',
      gsi1pk: '$shop#status_open',
      gsi1sk: '$order_1#placedat_2026-06-01#orderid_o-9001',
      __edb_e__: 'order',
      __edb_v__: '1',
    });
  });

  it('refuses to create twice, and says so as users catch it', async () => {
    await shop.entities.customer.create({ customerId: 'a1b2', email: 'office@acme.example' }).go();
    const again = shop.entities.customer.create({ customerId: 'a1b2', email: 'other@acme.example' }).go();
    await expect(again).rejects.toBeInstanceOf(ElectroError);
    await expect(again).rejects.toThrow('The conditional request failed');
    await expect(again).rejects.toMatchObject(refused);
    const { data } = await shop.entities.customer.get({ customerId: 'a1b2' }).go();
    expect(data).toMatchObject({ email: 'office@acme.example', tier: 'basic', points: 0 });
  });

  it('puts over what is there', async () => {
    await shop.entities.order.create(placed).go();
    const { customerId, orderId, placedAt } = placed;
    await shop.entities.order.put({ customerId, orderId, placedAt, total: 10 }).go();
    expect((await shop.entities.order.get(key).go()).data).toEqual({
      ...key,
      placedAt,
      total: 10,
      lines: [],
      status: 'open',
      version: 1,
    });
  });

  it('adds, subtracts, appends and changes sets and nested values in one update', async () => {
    await shop.entities.order.create({ ...placed, note: 'ring twice' }).go();
    const updated = await shop.entities.order
      .update(key)
      .add({ total: 50, labels: ['fragile', 'heavy'] })
      .append({ lines: [{ sku: 'XYZ', quantity: 1 }] })
      .remove(['note'])
      .data(({ address }, { set }) => set(address.city, 'Shelbyville'))
      .go({ response: 'all_new' });
    expect(updated.data).toEqual({
      ...placed,
      status: 'open',
      version: 1,
      total: 199,
      labels: ['fragile', 'gift', 'heavy'],
      lines: [
        { sku: 'ABC', quantity: 2 },
        { sku: 'XYZ', quantity: 1 },
      ],
      address: { street: 'Main Street 1', city: 'Shelbyville' },
    });
    const less = await shop.entities.order
      .update(key)
      .subtract({ total: 99 })
      .delete({ labels: ['gift', 'heavy'] })
      .data(({ lines }, { add, remove }) => {
        add(lines[0]!.quantity, 3);
        remove(lines[1]!);
      })
      .go({ response: 'all_new' });
    expect(less.data).toMatchObject({
      total: 100,
      labels: ['fragile'],
      lines: [{ sku: 'ABC', quantity: 5 }],
    });
  });

  it('creates or adds with upsert', async () => {
    const visit = () =>
      shop.entities.customer
        .upsert({ customerId: 'a1b2', email: 'office@acme.example' })
        .add({ points: 5, interests: ['tea'] })
        .go({ response: 'all_new' });
    await visit();
    expect((await visit()).data).toMatchObject({ points: 10, interests: ['tea'] });
  });

  it('patches only what exists, and only the version that was read', async () => {
    const pay = (version: number) =>
      shop.entities.order
        .patch(key)
        .set({ status: 'paid' })
        .add({ version: 1 })
        .composite({ placedAt: '2026-06-01' })
        .where((order, { eq }) => eq(order.version, version))
        .go({ response: 'all_new' });
    await expect(pay(1)).rejects.toMatchObject(refused);
    await shop.entities.order.create(placed).go();
    expect((await pay(1)).data).toMatchObject({ status: 'paid', version: 2 });
    await expect(pay(1)).rejects.toMatchObject(refused);
    expect((await shop.entities.order.get(key).go()).data).toMatchObject({ status: 'paid', version: 2 });
  });

  it('composes conditions of every kind', async () => {
    await shop.entities.order.create(placed).go();
    const note = (text: string) => shop.entities.order.patch(key).set({ note: text });
    await note('holds')
      .where(
        (order, { eq, ne, between, begins, contains, exists, notExists, size, type, field, value }) => `
          ${eq(order.status, 'open')} AND ${ne(order.version, 2)} AND ${between(order.total, 100, 150)}
          AND ${begins(order.placedAt, '2026-')} AND ${contains(order.labels, 'gift')}
          AND (${exists(order.address.city)} OR ${exists(order.note)}) AND ${notExists(order.note)}
          AND ${size(order.lines)} = ${value(order.total, 1)} AND ${type(order.address, 'M')}
          AND NOT ${field('pk')} = ${field('sk')}`,
      )
      .go();
    const fails = note('does not hold').where(
      (order, { lt, gte }) => `${lt(order.total, 100)} OR NOT ${gte(order.version, 1)}`,
    );
    await expect(fails.go()).rejects.toMatchObject(refused);
    expect((await shop.entities.order.get(key).go()).data?.note).toBe('holds');
  });

  it('deletes what may be gone and removes what must be there', async () => {
    await shop.entities.order.delete(key).go();
    await expect(shop.entities.order.remove(key).go()).rejects.toMatchObject(refused);
    await shop.entities.order.create(placed).go();
    const onlyPaid = shop.entities.order.delete(key).where(({ status }, { eq }) => eq(status, 'paid'));
    await expect(onlyPaid.go()).rejects.toMatchObject(refused);
    const removed = await shop.entities.order.remove(key).go({ response: 'all_old' });
    expect(removed.data).toMatchObject(placed);
    expect((await shop.entities.order.get(key).go()).data).toBeNull();
  });

  it('puts, gets and deletes more at once than the service takes in one batch', async () => {
    const orders = Array.from({ length: 130 }, (_, i) => ({
      ...placed,
      orderId: `o-${String(i).padStart(4, '0')}`,
      total: i,
    }));
    const keys = orders.map(({ customerId, orderId }) => ({ customerId, orderId }));
    expect((await shop.entities.order.put(orders).go({ concurrent: 3 })).unprocessed).toEqual([]);
    const found = await shop.entities.order.get(keys).go({ preserveBatchOrder: true, consistent: true });
    expect(found.unprocessed).toEqual([]);
    expect(found.data.map((order) => order?.total)).toEqual(orders.map(({ total }) => total));
    await shop.entities.order.delete(keys.slice(1)).go();
    const left = await shop.entities.order.get(keys).go();
    expect(left.data).toEqual([{ ...orders[0], status: 'open', version: 1 }]);
  });

  it('queries a partition page by page, by range, by status and as a collection', async () => {
    const { customer, order } = shop.entities;
    const customerId = 'a1b2';
    await customer.create({ customerId, email: 'office@acme.example' }).go();
    await order
      .put(
        [1, 2, 3, 4, 5].map((day) => ({
          ...placed,
          orderId: `o-900${day}`,
          placedAt: `2026-06-0${day}`,
          total: day * 10,
          status: day === 3 ? ('shipped' as const) : ('open' as const),
        })),
      )
      .go();
    await order.put({ ...placed, customerId: 'other', orderId: 'o-1', placedAt: '2026-06-03' }).go();
    const ids = ({ data }: { data: readonly { orderId: string }[] }) => data.map(({ orderId }) => orderId);

    const newest = await order.query.byCustomer({ customerId }).go({ order: 'desc', limit: 2 });
    expect(ids(newest)).toEqual(['o-9005', 'o-9004']);
    const { cursor } = newest;
    const next = await order.query.byCustomer({ customerId }).go({ order: 'desc', limit: 2, cursor });
    expect(ids(next)).toEqual(['o-9003', 'o-9002']);
    expect(ids(await order.query.byCustomer({ customerId }).go({ pages: 'all', limit: 1 }))).toHaveLength(5);
    expect(ids(await order.query.byCustomer({ customerId }).begins({ orderId: 'o-9' }).go())).toHaveLength(5);
    const range = order.query
      .byCustomer({ customerId })
      .between({ orderId: 'o-9002' }, { orderId: 'o-9004' });
    expect(ids(await range.go())).toEqual(['o-9002', 'o-9003', 'o-9004']);
    const large = range.where(
      ({ total, status }, { gt, ne }) => `${gt(total, 20)} AND ${ne(status, 'shipped')}`,
    );
    expect(ids(await large.go())).toEqual(['o-9004']);

    const open = await order.query.byStatus({ status: 'open' }).gte({ placedAt: '2026-06-03' }).go();
    expect(ids(open)).toEqual(['o-1', 'o-9004', 'o-9005']);
    await order
      .patch({ customerId, orderId: 'o-9004' })
      .set({ status: 'shipped' })
      .composite({ placedAt: '2026-06-04' })
      .go();
    expect(ids(await order.query.byStatus({ status: 'shipped' }).go())).toEqual(['o-9003', 'o-9004']);

    const { data } = await shop.collections.account({ customerId }).go();
    expect(data.customer).toMatchObject([{ customerId, tier: 'basic' }]);
    expect(data.order).toHaveLength(5);
    expect(ids(await order.match({ customerId, total: 50 }).go())).toEqual(['o-9005']);
    const scanned = await order.scan.where(({ total }, { lte }) => lte(total, 20)).go({ pages: 'all' });
    expect(ids(scanned).sort()).toEqual(['o-9001', 'o-9002']);
  });

  it('keeps carts with whatever is in them and the second at which they expire', async () => {
    await shop.entities.cart.create({ sessionId: 's1', items: { ABC: 1 } }).go();
    const { data } = await shop.entities.cart.get({ sessionId: 's1' }).go();
    expect(data).toEqual({ sessionId: 's1', items: { ABC: 1 }, expiresAt: 1_780_358_400 });
    await shop.entities.cart.patch({ sessionId: 's1' }).add({ expiresAt: 3600 }).go();
    const later = await shop.entities.cart.get({ sessionId: 's1' }).go();
    expect(later.data?.expiresAt).toBe(1_780_362_000);
  });

  it('refuses in the application what the schema does not allow', async () => {
    const invalid = shop.entities.customer.create({ customerId: 'a1b2', email: 'nowhere' }).go();
    await expect(invalid).rejects.toMatchObject({ code: 3001 });
    expect((await shop.entities.customer.get({ customerId: 'a1b2' }).go()).data).toBeNull();
  });
});
