/** ElectroDB entities of the model orders. */
import { Entity, type EntityConfiguration } from 'electrodb';

/** The entities over a client. Tables may have other names where they are deployed. */
export function ordersEntities(
  configuration: Omit<EntityConfiguration, 'table'>,
  tables = { orders: 'orders' },
) {
  const entities = {
    Address: new Entity(
      {
        model: { entity: 'Address', version: '1', service: 'orders' },
        attributes: {
          customerId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          addressId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          lines: { type: 'string', required: true },
          country: { type: 'string', required: true },
        },
        indexes: {
          // A9
          A9: {
            pk: { field: 'PK', composite: ['customerId'], template: 'ADDRESS#${customerId}', casing: 'none' },
            sk: { field: 'SK', composite: ['addressId'], template: '${addressId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.orders },
    ),
    AuditEvent: new Entity(
      {
        model: { entity: 'AuditEvent', version: '1', service: 'orders' },
        attributes: {
          orderId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          eventId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          at: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          what: { type: 'string', required: true, readOnly: true },
          expires: { type: 'number', required: true, readOnly: true },
        },
        indexes: {
          // A12
          A12: {
            pk: { field: 'PK', composite: ['orderId'], template: 'AUDITEVENT#${orderId}', casing: 'none' },
            sk: { field: 'SK', composite: ['at', 'eventId'], template: '${at}#${eventId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.orders },
    ),
    Category: new Entity(
      {
        model: { entity: 'Category', version: '1', service: 'orders' },
        attributes: {
          catalogue: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          path: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          title: { type: 'string', required: true },
        },
        indexes: {
          // A10
          A10: {
            pk: { field: 'PK', composite: ['catalogue'], template: 'CATEGORY#${catalogue}', casing: 'none' },
            sk: { field: 'SK', composite: ['path'], template: '${path}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.orders },
    ),
    Customer: new Entity(
      {
        model: { entity: 'Customer', version: '1', service: 'orders' },
        attributes: {
          customerId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          createdAt: { type: 'string', required: true, readOnly: true },
          name: { type: 'string', required: true },
          email: { type: 'string', required: true },
          tier: { type: ['BRONZE', 'SILVER', 'GOLD'] as const, required: true },
        },
        indexes: {
          // A1
          A1: {
            pk: { field: 'PK', composite: ['customerId'], template: 'CUSTOMER#${customerId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'CUSTOMER', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.orders },
    ),
    Line: new Entity(
      {
        model: { entity: 'Line', version: '1', service: 'orders' },
        attributes: {
          orderId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          lineNo: { type: 'number', required: true, readOnly: true, padding: { length: 3, char: '0' }, validate: (value) => value === undefined || /^\d{1,3}$/.test(String(value)) },
          sku: { type: 'string', required: true, readOnly: true },
          quantity: { type: 'number', required: true, readOnly: true },
          price: { type: 'number', required: true, readOnly: true },
        },
        indexes: {
          // A3
          A3: {
            pk: { field: 'PK', composite: ['orderId'], template: 'ORDERDETAIL#${orderId}', casing: 'none' },
            sk: { field: 'SK', composite: ['lineNo'], template: 'LINE#${lineNo}', casing: 'none', cast: 'string' },
          },
        },
      },
      { ...configuration, table: tables.orders },
    ),
    Order: new Entity(
      {
        model: { entity: 'Order', version: '1', service: 'orders' },
        attributes: {
          orderId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          customerId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          placedAt: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          status: { type: ['OPEN', 'PAID', 'SHIPPED', 'CANCELLED'] as const, required: true },
          total: { type: 'number', required: true },
          version: { type: 'number', required: true },
        },
        indexes: {
          // A2
          A2: {
            pk: { field: 'PK', composite: ['customerId'], template: 'ORDER#${customerId}', casing: 'none' },
            sk: { field: 'SK', composite: ['placedAt', 'orderId'], template: '${placedAt}#${orderId}', casing: 'none' },
          },
          // A5
          A5: {
            index: 'GSI1',
            projection: ['customerId', 'orderId', 'placedAt'],
            condition: (item) => item.status === 'OPEN',
            pk: { field: 'GSI1PK', composite: [], template: 'ORDER', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['placedAt', 'orderId'], template: '${placedAt}#${orderId}', casing: 'none' },
          },
          // A4
          A4: {
            index: 'GSI2',
            projection: ['status', 'total'],
            pk: { field: 'GSI2PK', composite: ['status', 'customerId'], template: 'ORDER#${status}#${customerId}', casing: 'none' },
            sk: { field: 'GSI2SK', composite: ['placedAt', 'orderId'], template: '${placedAt}#${orderId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.orders },
    ),
    OrderDetail: new Entity(
      {
        model: { entity: 'OrderDetail', version: '1', service: 'orders' },
        attributes: {
          orderId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          shipTo: { type: 'string', required: true, readOnly: true },
          note: { type: 'string', required: true, readOnly: true },
        },
        indexes: {
          // A3
          A3: {
            pk: { field: 'PK', composite: ['orderId'], template: 'ORDERDETAIL#${orderId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'ORDERDETAIL', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.orders },
    ),
    Payment: new Entity(
      {
        model: { entity: 'Payment', version: '1', service: 'orders' },
        attributes: {
          orderId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          paidAt: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          method: { type: ['CARD', 'TRANSFER'] as const, required: true, readOnly: true },
          amount: { type: 'number', required: true, readOnly: true },
        },
        indexes: {
          // A8
          A8: {
            pk: { field: 'PK', composite: ['orderId'], template: 'PAYMENT#${orderId}', casing: 'none' },
            sk: { field: 'SK', composite: ['paidAt'], template: '${paidAt}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.orders },
    ),
    Session: new Entity(
      {
        model: { entity: 'Session', version: '1', service: 'orders' },
        attributes: {
          sessionId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          customerId: { type: 'string', required: true, readOnly: true },
          expires: { type: 'number', required: true, readOnly: true },
        },
        indexes: {
          // A13
          A13: {
            pk: { field: 'PK', composite: ['sessionId'], template: 'SESSION#${sessionId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'SESSION', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.orders },
    ),
    Stock: new Entity(
      {
        model: { entity: 'Stock', version: '1', service: 'orders' },
        attributes: {
          sku: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          quantity: { type: 'number', required: true },
          minimum: { type: 'number', required: true },
          warehouse: { type: 'string', required: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
        },
        indexes: {
          primary: {
            pk: { field: 'PK', composite: ['sku'], template: 'STOCK#${sku}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'STOCK', casing: 'none' },
          },
          // A11
          A11: {
            index: 'GSI1',
            projection: ['minimum', 'quantity'],
            condition: (item) => Number(item.quantity) < Number(item.minimum),
            pk: { field: 'GSI1PK', composite: ['warehouse'], template: 'STOCK#${warehouse}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['sku'], template: '${sku}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.orders },
    ),
  };
  // Items tell their kind by the attribute that the rest of the design uses too.
  for (const entity of Object.values(entities)) entity.setIdentifier('entity', '_type');
  return entities;
}
