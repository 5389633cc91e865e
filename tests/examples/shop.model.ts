/** The model that docs/design/client.md speaks of. */
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
  remembered,
  time,
  write,
} from 'stator/design';

const customer = entity('Customer', {
  identity: { customerId: id(8) },
  population: count(1_000),
});

const order = entity('Order', {
  identity: { orderId: id(8) },
  fixed: { customerId: of(customer), placedAt: time() },
  changing: { status: choice('OPEN', 'PAID'), total: number(6), version: number(4) },
  version: 'version',
  population: per(customer, { mean: 5, max: 100 }),
});

const line = entity('Line', {
  identity: { orderId: of(order), lineNo: number(3) },
  population: per(order, { mean: 3, max: 40 }),
});

const payment = entity('Payment', {
  identity: { orderId: of(order), paymentId: id(8) },
  fixed: { amount: number(6) },
  population: per(order, { mean: 1, max: 5 }),
});

const task = entity('Task', {
  identity: { caseId: id(8) },
  population: count(100),
});

export default model('shop', {
  entities: [customer, order, line, payment, task],
  reads: {
    customerById: get(customer, { does: 'a customer', by: 'customerId', peak: 10 }),
    ordersOfCustomer: list(order, {
      does: 'orders of a customer',
      by: 'customerId',
      range: 'placedAt',
      order: 'placedAt desc',
      page: 25,
      peak: 10,
    }),
    orderWithLines: list([order, line], {
      does: 'an order with its lines',
      by: 'orderId',
      page: 'all',
      peak: 10,
    }),
  },
  writes: {
    pay: write({
      does: 'pay an order',
      steps: [
        change(order, {
          given: ['customerId', 'placedAt', 'orderId'],
          sets: { status: 'PAID' },
          when: { status: 'OPEN' },
          checksVersion: true,
        }),
        create(payment),
      ],
      peak: 5,
    }),
    openCase: write({
      does: 'open a case',
      steps: [create(task)],
      idempotency: remembered('commandId', { keepDays: 7 }),
      peak: 1,
    }),
  },
});
