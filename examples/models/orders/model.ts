/** Order management: customers, orders, order lines, payments, stock, catalogue, sessions. */
import {
  among,
  change,
  choice,
  compare,
  count,
  create,
  distinct,
  entity,
  epoch,
  get,
  hot,
  id,
  list,
  model,
  number,
  of,
  path,
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

const address = entity('Address', {
  identity: { customerId: of(customer), addressId: id(8) },
  changing: { lines: text(120), country: text(2) },
  population: per(customer, { mean: 1.4, max: 50 }),
});

/** What a customer sees in the list of orders. Callers know the customer and the date from the list itself. */
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

/** What the order page shows beside the lines. */
const orderDetail = entity('OrderDetail', {
  identity: { orderId: of(order) },
  fixed: { shipTo: text(150), note: text(100, 2_000) },
  population: per(order, { mean: 1, max: 1 }),
});

const line = entity('Line', {
  identity: { orderId: of(order), lineNo: number(3) },
  fixed: { sku: id(10), quantity: number(4), price: number(8, { decimals: 2 }) },
  population: per(order, { mean: 3, max: 100 }),
});

const payment = entity('Payment', {
  identity: { orderId: of(order), paidAt: time() },
  fixed: { method: choice('CARD', 'TRANSFER'), amount: number(8, { decimals: 2 }) },
  population: per(order, { mean: 1.05, max: 10 }),
});

const category = entity('Category', {
  identity: { catalogue: distinct(3, id(6)), path: path(40, 200) },
  changing: { title: text(40) },
  population: count(5_000),
});

const stock = entity('Stock', {
  identity: { sku: id(10) },
  changing: { quantity: number(6), minimum: number(6), warehouse: distinct(20, id(6)) },
  population: count(200_000),
});

const auditEvent = entity('AuditEvent', {
  identity: { orderId: of(order), eventId: id(26) },
  fixed: { at: time(), what: text(80), expires: epoch() },
  ttl: 'expires',
  population: per(order, { mean: 6, max: 300 }),
});

const session = entity('Session', {
  identity: { sessionId: id(32) },
  fixed: { customerId: of(customer), expires: epoch() },
  ttl: 'expires',
  population: count(100_000),
});

const orderKey = ['customerId', 'placedAt', 'orderId'] as const;

export default model('orders', {
  description: 'A shop: customers, orders, lines, payments, stock, catalogue, sessions.',
  entities: [customer, address, order, orderDetail, line, payment, category, stock, auditEvent, session],
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
    A3: list([orderDetail, line], {
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
      needs: ['status', 'total'],
      peak: 50,
      mean: 10,
    }),
    A5: list(order, {
      does: 'all open orders, oldest first',
      actor: 'operations',
      where: { status: 'OPEN' },
      order: 'placedAt',
      page: 100,
      needs: ['orderId', 'customerId', 'placedAt'],
      peak: 1,
      mean: 0.1,
    }),
    A8: list(payment, {
      does: 'payments of an order',
      actor: 'shop',
      by: 'orderId',
      order: 'paidAt',
      page: 10,
      peak: 20,
      mean: 5,
    }),
    A9: list(address, {
      does: 'addresses of a customer',
      actor: 'shop',
      by: 'customerId',
      page: 50,
      peak: 100,
      mean: 20,
    }),
    A10: list(category, {
      does: 'a subtree of the catalogue',
      actor: 'shop',
      by: 'catalogue',
      prefix: 'path',
      page: 200,
      returns: 60,
      peak: 50,
      mean: 10,
    }),
    A11: list(stock, {
      does: 'articles of a warehouse below their minimum',
      actor: 'purchasing',
      by: 'warehouse',
      where: [compare('quantity', '<', 'minimum', 0.02)],
      page: 100,
      needs: ['quantity', 'minimum'],
      peak: 1,
      mean: 0.05,
    }),
    A12: list(auditEvent, {
      does: 'history of an order',
      actor: 'support',
      by: 'orderId',
      order: 'at',
      page: 50,
      peak: 10,
      mean: 1,
    }),
    A13: get(session, { does: 'a session', actor: 'shop', by: 'sessionId', peak: 900, mean: 250 }),
  },
  writes: {
    A6: write({
      does: 'place an order with its lines',
      actor: 'shop',
      steps: [
        create(order, { with: { status: 'OPEN' } }),
        create(orderDetail),
        create(line, { count: 3 }),
        create(auditEvent),
      ],
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
          given: orderKey,
          sets: { status: 'SHIPPED' },
          when: { status: 'PAID' },
          checksVersion: true,
        }),
        create(auditEvent),
      ],
      peak: 100,
      mean: 25,
    }),
    pay: write({
      does: 'take the payment of an order',
      actor: 'payments',
      steps: [
        change(order, {
          given: orderKey,
          sets: { status: 'PAID' },
          when: { status: 'OPEN' },
          checksVersion: true,
        }),
        create(payment),
      ],
      peak: 120,
      mean: 28,
    }),
    cancel: write({
      does: 'cancel an order that has not left',
      actor: 'shop',
      steps: [
        change(order, {
          given: orderKey,
          sets: { status: 'CANCELLED' },
          when: [among('status', ['OPEN', 'PAID'])],
        }),
      ],
      peak: 5,
      mean: 1,
    }),
    register: write({
      does: 'register a customer, one for each address of mail',
      actor: 'shop',
      steps: [create(customer, { unique: 'email' })],
      peak: 5,
      mean: 0.5,
    }),
    saveAddress: write({
      does: 'save an address',
      actor: 'shop',
      steps: [create(address, { once: false })],
      peak: 5,
      mean: 1,
    }),
    reserve: write({
      does: 'take articles from stock',
      actor: 'warehouse',
      steps: [change(stock, { given: 'sku', sets: 'quantity' })],
      peak: 300,
      mean: 80,
      skew: { sku: hot(50, 0.3) },
    }),
    signIn: write({ does: 'start a session', actor: 'shop', steps: [create(session)], peak: 50, mean: 12 }),
    editCategory: write({
      does: 'add a category',
      actor: 'buyers',
      steps: [create(category, { once: false })],
      peak: 1,
      mean: 0.01,
    }),
  },
});
