/** ElectroDB entities of the model ecommerce. */
import { Entity, type EntityConfiguration } from 'electrodb';

/** The shard of an item: FNV-1a over its values, so that writers in any language can compute it. */
function shardOf(values: readonly unknown[], count: number): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(values.map(String).join('#'))) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return String(hash % count);
}

/** The entities over a client. Tables may have other names where they are deployed. */
export function ecommerceEntities(
  configuration: Omit<EntityConfiguration, 'table'>,
  tables = { ecommerce: 'ecommerce' },
) {
  const entities = {
    Line: new Entity(
      {
        model: { entity: 'Line', version: '1', service: 'ecommerce' },
        attributes: {
          orderId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          lineNo: { type: 'number', required: true, readOnly: true, padding: { length: 4, char: '0' }, validate: (value) => value === undefined || /^\d{1,4}$/.test(String(value)) },
          productId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          placedAt: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          quantity: { type: 'number', required: true, readOnly: true },
          price: { type: 'number', required: true, readOnly: true },
        },
        indexes: {
          // linesOfOrder, wholeOrder
          linesOfOrder: {
            pk: { field: 'PK', composite: ['orderId'], template: 'ORDER#${orderId}', casing: 'none' },
            sk: { field: 'SK', composite: ['lineNo'], template: 'LINE#${lineNo}', casing: 'none', cast: 'string' },
          },
          // byProduct
          byProduct: {
            index: 'GSI1',
            projection: ['orderId', 'placedAt', 'quantity'],
            pk: { field: 'GSI1PK', composite: ['productId'], template: 'LINE#${productId}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['placedAt', 'orderId', 'lineNo'], template: '${placedAt}#${orderId}#${lineNo}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.ecommerce },
    ),
    Order: new Entity(
      {
        model: { entity: 'Order', version: '1', service: 'ecommerce' },
        attributes: {
          orderId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          userId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          placedAt: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          month: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          total: { type: 'number', required: true, readOnly: true },
          status: { type: ['NEW', 'PAID', 'SHIPPED', 'DELIVERED', 'RETURNED'] as const, required: true },
          /** The shard of orderId: 0 to 2. Readers ask for each of them. */
          shard: {
            type: 'string',
            hidden: true,
            default: '',
            watch: ['orderId'],
            set: (_: string | undefined, item): string => shardOf([item.orderId], 3),
          },
        },
        indexes: {
          // orderById, wholeOrder
          orderById: {
            pk: { field: 'PK', composite: ['orderId'], template: 'ORDER#${orderId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'ORDER', casing: 'none' },
          },
          // latestOrders
          latestOrders: {
            index: 'GSI1',
            projection: ['orderId', 'placedAt', 'status', 'total'],
            pk: { field: 'GSI1PK', composite: ['userId'], template: 'ORDER#${userId}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['placedAt', 'orderId'], template: '${placedAt}#${orderId}', casing: 'none' },
          },
          // byStatus
          byStatus: {
            index: 'GSI2',
            projection: ['orderId', 'placedAt', 'status', 'total'],
            pk: { field: 'GSI2PK', composite: ['status', 'month', 'shard'], template: 'ORDER#${status}#${month}#${shard}', casing: 'none' },
            sk: { field: 'GSI2SK', composite: ['placedAt', 'orderId'], template: '${placedAt}#${orderId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.ecommerce },
    ),
    Payment: new Entity(
      {
        model: { entity: 'Payment', version: '1', service: 'ecommerce' },
        attributes: {
          orderId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          paidAt: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          method: { type: ['CARD', 'WALLET'] as const, required: true, readOnly: true },
          amount: { type: 'number', required: true, readOnly: true },
        },
        indexes: {
          // wholeOrder
          wholeOrder: {
            pk: { field: 'PK', composite: ['orderId'], template: 'ORDER#${orderId}', casing: 'none' },
            sk: { field: 'SK', composite: ['paidAt'], template: 'PAYMENT#${paidAt}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.ecommerce },
    ),
    Product: new Entity(
      {
        model: { entity: 'Product', version: '1', service: 'ecommerce' },
        attributes: {
          productId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          title: { type: 'string', required: true },
          price: { type: 'number', required: true },
          available: { type: 'number', required: true },
        },
        indexes: {
          // productById
          productById: {
            pk: { field: 'PK', composite: ['productId'], template: 'PRODUCT#${productId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'PRODUCT', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.ecommerce },
    ),
    Shipment: new Entity(
      {
        model: { entity: 'Shipment', version: '1', service: 'ecommerce' },
        attributes: {
          orderId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          shippedAt: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          carrier: { type: 'string', required: true, readOnly: true },
          tracking: { type: 'string', required: true, readOnly: true },
          due: { type: 'string', required: true, readOnly: true },
        },
        indexes: {
          // wholeOrder
          wholeOrder: {
            pk: { field: 'PK', composite: ['orderId'], template: 'ORDER#${orderId}', casing: 'none' },
            sk: { field: 'SK', composite: ['shippedAt'], template: 'SHIPMENT#${shippedAt}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.ecommerce },
    ),
    User: new Entity(
      {
        model: { entity: 'User', version: '1', service: 'ecommerce' },
        attributes: {
          userId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          name: { type: 'string', required: true },
          email: { type: 'string', required: true },
          orderCount: { type: 'number', required: true },
        },
        indexes: {
          // userById
          userById: {
            pk: { field: 'PK', composite: ['userId'], template: 'USER#${userId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'USER', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.ecommerce },
    ),
  };
  // Items tell their kind by the attribute that the rest of the design uses too.
  for (const entity of Object.values(entities)) entity.setIdentifier('entity', '_type');
  return entities;
}
