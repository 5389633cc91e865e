/** Order management: customers, their orders and the lines of each order. */
import {
  change,
  choice,
  count,
  create,
  entity,
  get,
  id,
  list,
  model,
  number,
  of,
  per,
  text,
  time,
  write,
  zipf,
} from 'stator/design';

const customer = entity('Customer', {
  identity: { customerId: id(12) },
  fixed: { createdAt: time() },
  changing: { name: text(30), email: text(30), tier: choice({ BRONZE: 0.8, SILVER: 0.15, GOLD: 0.05 }) },
  population: count(2_000_000, 1_000),
});

const order = entity('Order', {
  identity: { orderId: id(14) },
  fixed: { customerId: of(customer), placedAt: time() },
  changing: {
    status: choice({ OPEN: 0.02, PAID: 0.03, SHIPPED: 0.9, CANCELLED: 0.05 }),
    total: number(8, { decimals: 2 }),
    version: number(4),
  },
  version: 'version',
  states: { status: { OPEN: ['PAID', 'CANCELLED'], PAID: ['SHIPPED', 'CANCELLED'] } },
  population: per(customer, { mean: 12, max: 5_000 }),
});

const line = entity('Line', {
  identity: { orderId: of(order), lineNo: number(3) },
  fixed: { sku: id(10), quantity: number(4), price: number(8, { decimals: 2 }) },
  population: per(order, { mean: 3, max: 100 }),
});

export default model('orders', {
  description: 'A shop: customers, orders, order lines.',
  entities: [customer, order, line],
  reads: {
    A1: get(customer, { does: 'a customer by id', actor: 'shop', by: 'customerId', peak: 800, mean: 200 }),
    A2: list(order, {
      does: 'orders of a customer, newest first',
      actor: 'shop',
      by: 'customerId',
      order: 'placedAt desc',
      page: 25,
      needs: ['orderId', 'placedAt', 'status', 'total'],
      latencyMs: 100,
      peak: 400,
      mean: 100,
      skew: { customerId: zipf(0.8) },
    }),
    A3: list([order, line], {
      does: 'an order with its lines',
      actor: 'shop',
      by: 'orderId',
      page: 'all',
      consistency: 'strong',
      peak: 500,
      mean: 120,
    }),
    A4: list(order, {
      does: 'orders of a customer in one status, newest first',
      actor: 'shop',
      by: ['customerId', 'status'],
      order: 'placedAt desc',
      page: 25,
      needs: ['orderId', 'placedAt', 'status', 'total'],
      peak: 50,
      mean: 10,
    }),
    A5: list(order, {
      does: 'all open orders, oldest first',
      actor: 'operations',
      where: { status: 'OPEN' },
      order: 'placedAt',
      page: 100,
      needs: ['orderId', 'customerId', 'placedAt', 'total'],
      peak: 1,
      mean: 0.1,
    }),
  },
  writes: {
    A6: write({
      does: 'place an order with its lines',
      actor: 'shop',
      steps: [create(order, { with: { status: 'OPEN' } }), create(line, { count: 3 })],
      idempotency: { kind: 'token' },
      peak: 120,
      mean: 30,
      skew: { customerId: zipf(0.8) },
    }),
    A7: write({
      does: 'ship an order',
      actor: 'warehouse',
      steps: [
        change(order, {
          given: 'orderId',
          sets: { status: 'SHIPPED' },
          when: { status: 'PAID' },
          checksVersion: true,
        }),
      ],
      peak: 100,
      mean: 25,
    }),
    A8: write({
      does: 'take the payment of an order',
      actor: 'payments',
      steps: [
        change(order, {
          given: 'orderId',
          sets: { status: 'PAID' },
          when: { status: 'OPEN' },
          checksVersion: true,
        }),
      ],
      peak: 120,
      mean: 28,
    }),
    A9: write({
      does: 'register a customer',
      actor: 'shop',
      steps: [create(customer, { unique: 'email' })],
      peak: 5,
      mean: 0.5,
    }),
  },
});
