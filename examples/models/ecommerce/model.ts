/** E-commerce: users, orders as aggregates of lines, payments and shipments, and orders by product. */
import {
  add,
  change,
  choice,
  compare,
  count,
  create,
  date,
  distinct,
  entity,
  get,
  hot,
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

const user = entity('User', {
  identity: { userId: id(10) },
  changing: { name: text(30), email: text(30), orderCount: number(6) },
  population: count(3_000_000),
});

const product = entity('Product', {
  identity: { productId: id(10) },
  changing: { title: text(60), price: number(8, { decimals: 2 }), available: number(6) },
  population: count(100_000),
});

const order = entity('Order', {
  identity: { orderId: id(12) },
  fixed: {
    userId: of(user),
    placedAt: time(),
    month: distinct(36, id(7)),
    total: number(8, { decimals: 2 }),
  },
  changing: { status: choice({ NEW: 0.01, PAID: 0.02, SHIPPED: 0.07, DELIVERED: 0.88, RETURNED: 0.02 }) },
  states: { status: { NEW: ['PAID'], PAID: ['SHIPPED'], SHIPPED: ['DELIVERED'], DELIVERED: ['RETURNED'] } },
  population: per(user, { mean: 8, max: 3_000 }),
});

const line = entity('Line', {
  identity: { orderId: of(order), lineNo: number(4) },
  fixed: { productId: of(product), placedAt: time(), quantity: number(4), price: number(8, { decimals: 2 }) },
  population: per(order, { mean: 2.5, max: 200 }),
});

const payment = entity('Payment', {
  identity: { orderId: of(order), paidAt: time() },
  fixed: { method: choice('CARD', 'WALLET'), amount: number(8, { decimals: 2 }) },
  population: per(order, { mean: 1.1, max: 10 }),
});

const shipment = entity('Shipment', {
  identity: { orderId: of(order), shippedAt: time() },
  fixed: { carrier: text(12), tracking: id(20), due: date() },
  population: per(order, { mean: 1.2, max: 20 }),
});

const traffic = { skew: { userId: zipf(0.9) } } as const;
/** Every new order lies in the present month, and what is paid and shipped mostly does. */
const presentMonth = { month: hot(1, 1) };
const mostlyPresentMonth = { skew: { month: hot(1, 0.95) } } as const;

export default model('ecommerce', {
  description: 'Orders with everything about them in one collection.',
  entities: [user, product, order, line, payment, shipment],
  reads: {
    userById: get(user, { does: 'a user', actor: 'shop', by: 'userId', peak: 600, mean: 150 }),
    productById: get(product, {
      does: 'a product',
      actor: 'shop',
      by: 'productId',
      peak: 1_500,
      mean: 400,
      skew: { productId: zipf(0.7) },
    }),
    wholeOrder: list([order, line, payment, shipment], {
      does: 'an order with lines, payments and shipments',
      actor: 'shop',
      by: 'orderId',
      page: 'all',
      peak: 300,
      mean: 70,
    }),
    orderById: get(order, {
      does: 'an order',
      actor: 'shop',
      by: 'orderId',
      freshness: 'now',
      peak: 200,
      mean: 50,
    }),
    linesOfOrder: list(line, {
      does: 'the lines of an order',
      actor: 'warehouse',
      by: 'orderId',
      order: 'lineNo',
      page: 200,
      peak: 100,
      mean: 25,
    }),
    latestOrders: list(order, {
      does: "a user's latest orders, also of the last thirty days",
      actor: 'shop',
      by: 'userId',
      range: 'placedAt',
      order: 'placedAt desc',
      page: 25,
      needs: ['orderId', 'status', 'total', 'placedAt'],
      latencyMs: 100,
      freshness: '2 seconds',
      peak: 400,
      mean: 90,
      ...traffic,
    }),
    byStatus: list(order, {
      does: 'orders of a month in one status, newest first',
      actor: 'back office',
      by: ['status', 'month'],
      order: 'placedAt desc',
      page: 100,
      needs: ['orderId', 'status', 'total', 'placedAt'],
      peak: 5,
      mean: 0.5,
      ...mostlyPresentMonth,
    }),
    byProduct: list(line, {
      does: 'order lines of a product, newest first',
      actor: 'buyers',
      by: 'productId',
      order: 'placedAt desc',
      page: 50,
      needs: ['orderId', 'quantity'],
      peak: 10,
      mean: 1,
    }),
  },
  writes: {
    placeOrder: write({
      does: 'place an order; the stock never falls below zero',
      actor: 'shop',
      steps: [
        create(order, { with: { status: 'NEW' } }),
        create(line, { count: 3 }),
        change(product, {
          given: 'productId',
          sets: 'available',
          when: [compare('available', '>', 0, 0.95)],
          count: 3,
        }),
        add(user, { given: 'userId', to: 'orderCount' }),
      ],
      idempotency: { kind: 'token' },
      peak: 900,
      mean: 60,
      skew: { ...traffic.skew, ...presentMonth },
    }),
    pay: write({
      does: 'pay an order',
      actor: 'payments',
      steps: [
        create(payment),
        change(order, { given: 'orderId', sets: { status: 'PAID' }, when: { status: 'NEW' } }),
      ],
      peak: 300,
      mean: 60,
      ...mostlyPresentMonth,
    }),
    ship: write({
      does: 'ship an order',
      actor: 'warehouse',
      steps: [
        create(shipment),
        change(order, { given: 'orderId', sets: { status: 'SHIPPED' }, when: { status: 'PAID' } }),
      ],
      peak: 300,
      mean: 60,
      ...mostlyPresentMonth,
    }),
    reprice: write({
      does: 'change a price',
      actor: 'buyers',
      steps: [change(product, { given: 'productId', sets: 'price' })],
      peak: 20,
      mean: 1,
      skew: { productId: hot(10, 0.2) },
    }),
  },
});
