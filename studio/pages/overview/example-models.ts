import { derive } from '../../../src/design/derive/derive.ts';
import type { Design } from '../../../src/design/design.ts';
import type { Model } from '../../../src/design/ir.ts';
import {
  choice,
  date,
  id,
  number,
  of,
  plainText,
  text,
  time,
} from '../../../src/design/language/attribute-specs.ts';
import { count, entity, per } from '../../../src/design/language/entity.ts';
import { model } from '../../../src/design/language/model.ts';
import { get, list } from '../../../src/design/language/read.ts';
import { change, create, write } from '../../../src/design/language/write.ts';

/** What the examples are for, as models: the access patterns, with the keys that the examples' items have. */

const customer = entity('Customer', {
  identity: { customerId: id(4) },
  changing: { name: text(20), tier: choice('BRONZE', 'SILVER', 'GOLD'), city: text(12) },
  population: count(10_000),
  keys: { table: (c) => [`CUST#${c.customerId}`, 'PROFILE'] },
});

const order = entity('Order', {
  identity: { orderId: id(6) },
  fixed: { customerId: of(customer), placedOn: date(), placedAt: time() },
  changing: {
    status: choice({ OPEN: 0.1, SHIPPED: 0.3, DELIVERED: 0.5, CANCELLED: 0.1 }),
    total: number(6, { decimals: 2 }),
  },
  population: per(customer, { mean: 5, max: 1_000 }),
  keys: {
    table: (o) => [`CUST#${o.customerId}`, `ORDER#${o.placedOn}#${o.orderId}`],
    GSI1: (o) => [`CUST#${o.customerId}#${o.status}`, `${o.placedOn}#${o.orderId}`],
    GSI2: { key: (o) => ['OPEN', `${o.placedOn}#${o.orderId}`], when: { status: 'OPEN' } },
  },
});

const line = entity('Line', {
  identity: { orderId: of(order), lineNo: number(3) },
  fixed: { sku: id(10), title: text(12), quantity: number(3), price: number(6, { decimals: 2 }) },
  population: per(order, { mean: 2, max: 100 }),
  keys: { table: (l) => [`ORDER#${l.orderId}`, `LINE#${l.lineNo}`] },
});

const orderKey = ['customerId', 'placedOn', 'orderId'] as const;

const orders = () =>
  model('orders', {
    description: 'Customers, orders and lines in one table; open orders in a sparse index.',
    entities: [customer, order, line],
    reads: {
      customer: get(customer, { does: 'a customer by id', by: 'customerId', peak: 100, mean: 20 }),
      ordersOfCustomer: list(order, {
        does: 'orders of a customer, newest first',
        by: 'customerId',
        order: 'placedOn desc',
        page: 25,
        peak: 50,
        mean: 10,
      }),
      ordersInStatus: list(order, {
        does: 'orders of a customer in one status, newest first',
        by: ['customerId', 'status'],
        order: 'placedOn desc',
        page: 25,
        peak: 10,
        mean: 2,
      }),
      openOrders: list(order, {
        does: 'all open orders, oldest first',
        where: { status: 'OPEN' },
        order: 'placedOn',
        page: 100,
        peak: 1,
        mean: 0.1,
      }),
      linesOfOrder: list(line, {
        does: 'the lines of an order',
        by: 'orderId',
        page: 'all',
        peak: 50,
        mean: 10,
      }),
    },
    writes: {
      placeOrder: write({
        does: 'place an order with its lines',
        steps: [create(order, { with: { status: 'OPEN' } }), create(line, { count: 2 })],
        peak: 20,
        mean: 4,
      }),
      shipOrder: write({
        does: 'ship an order',
        steps: [change(order, { given: orderKey, sets: { status: 'SHIPPED' }, when: { status: 'OPEN' } })],
        peak: 20,
        mean: 4,
      }),
    },
  });

const parcel = entity('Parcel', {
  identity: { parcelId: id(8) },
  fixed: { weight: number(4), depot: plainText(8), pickedUpOn: date() },
  population: count(100_000),
  keys: {
    table: (p) => [`PARCEL#${p.parcelId}`, 'META'],
    GSI1: (p) => [`DEPOT#${p.depot}`, `${p.pickedUpOn}#${p.parcelId}`],
  },
});

const scan = entity('Scan', {
  identity: { parcelId: of(parcel), scannedAt: time() },
  fixed: { at: plainText(8) },
  population: per(parcel, { mean: 3, max: 50 }),
  keys: { table: (s) => [`PARCEL#${s.parcelId}`, `SCAN#${s.scannedAt}`] },
});

/** Every scan of a depot's day under one key: fine at the declared rates, and the hot key of the morning rush. */
const depotScan = entity('DepotScan', {
  identity: { depot: plainText(8), day: date(), sequence: number(7) },
  fixed: { parcel: id(8), label: plainText(3_530) },
  population: count(100_000),
  keys: { table: (s) => [`DEPOT#${s.depot}#${s.day}`, `SCAN#${s.sequence}`] },
});

const parcels = () =>
  model('parcels', {
    description: 'Parcels with their scans, and the scans of a depot by day.',
    entities: [parcel, scan, depotScan],
    reads: {
      parcel: get(parcel, { does: 'a parcel by id', by: 'parcelId', peak: 100, mean: 20 }),
      track: list(scan, {
        does: 'where a parcel was, newest first',
        by: 'parcelId',
        order: 'scannedAt desc',
        page: 50,
        peak: 100,
        mean: 20,
      }),
      parcelsOfDepot: list(parcel, {
        does: 'parcels of a depot by day',
        by: 'depot',
        order: 'pickedUpOn',
        page: 100,
        peak: 1,
        mean: 0.1,
      }),
      scansOfDay: list(depotScan, {
        does: 'scans of a depot on a day',
        by: ['depot', 'day'],
        order: 'sequence',
        page: 100,
        peak: 1,
        mean: 0.1,
      }),
    },
    writes: {
      pickUp: write({ does: 'pick a parcel up', steps: [create(parcel)], peak: 20, mean: 5 }),
      scanParcel: write({ does: 'scan a parcel', steps: [create(scan)], peak: 100, mean: 20 }),
      scanAtDepot: write({
        does: 'write a scan to the list of its depot',
        steps: [create(depotScan)],
        peak: 100,
        mean: 20,
      }),
    },
  });

const models: Readonly<Record<string, () => Model>> = { orders, parcels };

export function exampleModel(name: string): { readonly model: Model; readonly design: Design } {
  const own = models[name]!();
  return { model: own, design: derive(own) };
}
