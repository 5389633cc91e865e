/** ElectroDB entities of the model parcels. */
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
export function parcelsEntities(
  configuration: Omit<EntityConfiguration, 'table'>,
  tables = { parcels: 'parcels' },
) {
  const entities = {
    Event: new Entity(
      {
        model: { entity: 'Event', version: '1', service: 'parcels' },
        attributes: {
          shipmentId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          eventId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          at: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          place: { type: 'string', required: true, readOnly: true },
          kind: { type: ['SCAN', 'LOAD', 'UNLOAD', 'DELIVER'] as const, required: true, readOnly: true },
          parcel: { type: 'string', required: true, readOnly: true },
          /** The shard of shipmentId and eventId: 0 to 5. Readers ask for each of them. */
          shard: {
            type: 'string',
            hidden: true,
            default: '',
            watch: ['shipmentId', 'eventId'],
            set: (_: string | undefined, item): string => shardOf([item.shipmentId, item.eventId], 6),
          },
        },
        indexes: {
          // history
          history: {
            pk: { field: 'PK', composite: ['shipmentId', 'shard'], template: 'EVENT#${shipmentId}#${shard}', casing: 'none' },
            sk: { field: 'SK', composite: ['at', 'eventId'], template: '${at}#${eventId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.parcels },
    ),
    LatestStatus: new Entity(
      {
        model: { entity: 'LatestStatus', version: '1', service: 'parcels' },
        attributes: {
          shipmentId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          status: { type: ['IN_TRANSIT', 'DELIVERED', 'LOST'] as const, required: true },
          place: { type: 'string', required: true },
          since: { type: 'string', required: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
        },
        indexes: {
          // status
          status: {
            pk: { field: 'PK', composite: ['shipmentId'], template: 'LATESTSTATUS#${shipmentId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'LATESTSTATUS', casing: 'none' },
          },
          // inTransit
          inTransit: {
            index: 'GSI1',
            projection: ['place'],
            condition: (item) => item.status === 'IN_TRANSIT',
            pk: { field: 'GSI1PK', composite: [], template: 'LATESTSTATUS', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['since', 'shipmentId'], template: '${since}#${shipmentId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.parcels },
    ),
    Milestone: new Entity(
      {
        model: { entity: 'Milestone', version: '1', service: 'parcels' },
        attributes: {
          shipmentId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          sequence: { type: 'number', required: true, readOnly: true, padding: { length: 4, char: '0' }, validate: (value) => value === undefined || /^\d{1,4}$/.test(String(value)) },
          at: { type: 'string', required: true, readOnly: true },
          what: { type: 'string', required: true, readOnly: true },
        },
        indexes: {
          // milestones
          milestones: {
            pk: { field: 'PK', composite: ['shipmentId'], template: 'MILESTONE#${shipmentId}', casing: 'none' },
            sk: { field: 'SK', composite: ['sequence'], template: '${sequence}', casing: 'none', cast: 'string' },
          },
        },
      },
      { ...configuration, table: tables.parcels },
    ),
    Shipment: new Entity(
      {
        model: { entity: 'Shipment', version: '1', service: 'parcels' },
        attributes: {
          shipmentId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          createdAt: { type: 'string', required: true, readOnly: true },
          customer: { type: 'string', required: true, readOnly: true },
        },
        indexes: {
          // shipmentById
          shipmentById: {
            pk: { field: 'PK', composite: ['shipmentId'], template: 'SHIPMENT#${shipmentId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'SHIPMENT', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.parcels },
    ),
  };
  // Items tell their kind by the attribute that the rest of the design uses too.
  for (const entity of Object.values(entities)) entity.setIdentifier('entity', '_type');
  return entities;
}
