import {
  change,
  choice,
  count,
  create,
  entity,
  get,
  hot,
  id,
  list,
  model,
  number,
  of,
  per,
  remove,
  text,
  time,
  write,
} from '../../src/design/index.ts';

const shipment = entity('Shipment', {
  identity: { shipmentId: id(12) },
  fixed: { createdAt: time(), customer: id(12), code: id(10) },
  changing: { status: choice({ OPEN: 0.1, CLOSED: 0.9 }), total: number(6) },
  population: count(2_000_000, 20_000),
});

const event = entity('Event', {
  identity: { shipmentId: of(shipment), eventId: id(26) },
  fixed: { at: time(), place: text(20) },
  population: per(shipment, { mean: 30, max: 500_000 }),
});

const reads = {
  shipmentById: get(shipment, { does: 'a shipment', actor: 'shop', by: 'shipmentId', peak: 300, mean: 80 }),
  history: list(event, {
    does: 'events, newest first',
    actor: 'shop',
    by: 'shipmentId',
    order: 'at desc',
    page: 50,
    peak: 100,
    mean: 25,
  }),
};

const writes = {
  register: write({ does: 'a write', actor: 'shop', steps: [create(shipment)], peak: 20, mean: 5 }),
  close: write({
    does: 'a write',
    actor: 'shop',
    steps: [change(shipment, { given: ['shipmentId', 'createdAt'], sets: ['status', 'total'] })],
    peak: 20,
    mean: 5,
  }),
  forget: write({
    does: 'a write',
    actor: 'shop',
    steps: [remove(shipment, { given: 'shipmentId' })],
    peak: 1,
    mean: 0.1,
  }),
};

const common = {
  headroom: 0.2,
  entities: [shipment, event],
} as const;

/** Shipments and their events, as it began. */
export const first = model('tracking', {
  ...common,
  reads,
  writes: {
    ...writes,
    scan: write({ does: 'a write', actor: 'shop', steps: [create(event)], peak: 600, mean: 300 }),
  },
});

/** A new access pattern: shipments of a customer, newest first. */
export const withCustomers = model('tracking', {
  ...common,
  reads: {
    ...reads,
    ofCustomer: list(shipment, {
      does: 'shipments of a customer, newest first',
      actor: 'shop',
      by: 'customer',
      order: 'createdAt desc',
      page: 25,
      peak: 100,
      mean: 20,
    }),
  },
  writes: {
    ...writes,
    scan: write({ does: 'a write', actor: 'shop', steps: [create(event)], peak: 600, mean: 300 }),
  },
});

/** Events of three shipments take most of the writes: their keys are sharded. */
export const withMegaShipments = model('tracking', {
  ...common,
  reads,
  writes: {
    ...writes,
    scan: write({
      does: 'a write',
      actor: 'shop',
      steps: [create(event)],
      peak: 3_400,
      mean: 3_000,
      skew: { shipmentId: hot(3, 0.9) },
    }),
  },
});

/** The new pattern asks by the status as well, so that its index has other keys. */
export const withStatus = model('tracking', {
  ...common,
  reads: {
    ...reads,
    ofCustomer: list(shipment, {
      does: 'shipments of a customer in a status, newest first',
      actor: 'shop',
      by: ['customer', 'status'],
      order: 'createdAt desc',
      page: 25,
      peak: 100,
      mean: 20,
    }),
  },
  writes: {
    ...writes,
    scan: write({ does: 'a write', actor: 'shop', steps: [create(event)], peak: 600, mean: 300 }),
  },
});

/** No two shipments have one code. */
export const withUniqueCodes = model('tracking', {
  ...common,
  reads,
  writes: {
    ...writes,
    register: write({
      does: 'a write',
      actor: 'shop',
      steps: [create(shipment, { unique: 'code' })],
      peak: 20,
      mean: 5,
    }),
    scan: write({ does: 'a write', actor: 'shop', steps: [create(event)], peak: 600, mean: 300 }),
  },
});
