/** ElectroDB entities of the model cases. */
import { Entity, type EntityConfiguration } from 'electrodb';

/** The entities over a client. Tables may have other names where they are deployed. */
export function casesEntities(
  configuration: Omit<EntityConfiguration, 'table'>,
  tables = { cases: 'cases' },
) {
  const entities = {
    Case: new Entity(
      {
        model: { entity: 'Case', version: '1', service: 'cases' },
        attributes: {
          caseId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          tenantId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          createdAt: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          status: { type: ['OPEN', 'UNDER_REVIEW', 'APPROVED', 'REJECTED'] as const, required: true },
          officerId: { type: 'string', validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          priority: { type: ['LOW', 'MEDIUM', 'HIGH'] as const, required: true },
          dueAt: { type: 'string', validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          summary: { type: 'string', required: true },
          version: { type: 'number', required: true },
          /** dueAt as keys hold it; empty while it is missing. */
          dueAtKey: {
            type: 'string',
            hidden: true,
            default: '',
            watch: ['dueAt'],
            set: (_: string | undefined, item): string => item.dueAt === undefined ? '' : String(item.dueAt),
          },
          /** officerId as keys hold it; empty while it is missing. */
          officerIdKey: {
            type: 'string',
            hidden: true,
            default: '',
            watch: ['officerId'],
            set: (_: string | undefined, item): string => item.officerId === undefined ? '' : String(item.officerId),
          },
          /** priority as keys hold it. */
          priorityKey: {
            type: 'string',
            hidden: true,
            default: '',
            watch: ['priority'],
            set: (_: string | undefined, item): string => ({ LOW: '00LOW', MEDIUM: '01MEDIUM', HIGH: '02HIGH' } as Record<string, string>)[String(item.priority)] ?? '',
          },
          /** createdAt turned round, so that the newest or highest comes first. */
          createdAtInverted: {
            type: 'string',
            hidden: true,
            default: '',
            watch: ['createdAt'],
            set: (_: string | undefined, item): string => String(9_999_999_999_999 - Date.parse(String(item.createdAt))).padStart(13, '0'),
          },
        },
        indexes: {
          // P1
          P1: {
            pk: { field: 'PK', composite: ['caseId'], template: 'CASE#${caseId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'CASE', casing: 'none' },
          },
          // P6
          P6: {
            index: 'GSI1',
            condition: (item) => item.status === 'UNDER_REVIEW' && item.dueAt !== undefined,
            pk: { field: 'GSI1PK', composite: [], template: 'CASE', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['dueAtKey', 'caseId'], template: '${dueAtKey}#${caseId}', casing: 'none' },
          },
          // P5
          P5: {
            index: 'GSI2',
            projection: ['caseId', 'createdAt', 'officerId', 'priority'],
            pk: { field: 'GSI2PK', composite: ['status', 'tenantId'], template: 'CASE#${status}#${tenantId}', casing: 'none' },
            sk: { field: 'GSI2SK', composite: ['createdAt', 'caseId'], template: '${createdAt}#${caseId}', casing: 'none' },
          },
          // P4
          P4: {
            index: 'GSI3',
            projection: ['caseId', 'createdAt', 'dueAt', 'priority'],
            condition: (item) => item.status === 'OPEN' && item.officerId !== undefined,
            pk: { field: 'GSI3PK', composite: ['officerIdKey'], template: 'CASE#${officerIdKey}', casing: 'none' },
            sk: { field: 'GSI3SK', composite: ['priorityKey', 'createdAtInverted', 'caseId'], template: '${priorityKey}#${createdAtInverted}#${caseId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.cases },
    ),
    Decision: new Entity(
      {
        model: { entity: 'Decision', version: '1', service: 'cases' },
        attributes: {
          caseId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          eventId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          at: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          outcome: { type: ['APPROVED', 'REJECTED'] as const, required: true, readOnly: true },
          grounds: { type: 'string', required: true, readOnly: true },
        },
        indexes: {
          // P3
          P3: {
            pk: { field: 'PK', composite: ['caseId'], template: 'DECISION#${caseId}', casing: 'none' },
            sk: { field: 'SK', composite: ['at', 'eventId'], template: '${at}#DECISION#${eventId}', casing: 'none' },
          },
          // P7
          P7: {
            index: 'GSI1',
            pk: { field: 'GSI1PK', composite: ['caseId'], template: 'DECISION#${caseId}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['at', 'eventId'], template: '${at}#${eventId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.cases },
    ),
    Evidence: new Entity(
      {
        model: { entity: 'Evidence', version: '1', service: 'cases' },
        attributes: {
          caseId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          eventId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          at: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          kind: { type: ['DOCUMENT', 'PHOTO', 'STATEMENT'] as const, required: true, readOnly: true },
          objectKey: { type: 'string', required: true, readOnly: true },
          note: { type: 'string', required: true, readOnly: true },
        },
        indexes: {
          // P3
          P3: {
            pk: { field: 'PK', composite: ['caseId'], template: 'DECISION#${caseId}', casing: 'none' },
            sk: { field: 'SK', composite: ['at', 'eventId'], template: '${at}#EVIDENCE#${eventId}', casing: 'none' },
          },
          // P2
          P2: {
            index: 'GSI1',
            pk: { field: 'GSI1PK', composite: ['caseId'], template: 'EVIDENCE#${caseId}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['at', 'eventId'], template: '${at}#${eventId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.cases },
    ),
    Tenant: new Entity(
      {
        model: { entity: 'Tenant', version: '1', service: 'cases' },
        attributes: {
          tenantId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          name: { type: 'string', required: true },
        },
        indexes: {
          // P8
          P8: {
            pk: { field: 'PK', composite: ['tenantId'], template: 'TENANT#${tenantId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'TENANT', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.cases },
    ),
    Transition: new Entity(
      {
        model: { entity: 'Transition', version: '1', service: 'cases' },
        attributes: {
          caseId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          eventId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          at: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          from: { type: 'string', required: true, readOnly: true },
          to: { type: 'string', required: true, readOnly: true },
          byOfficer: { type: 'string', required: true, readOnly: true },
          reason: { type: 'string', required: true, readOnly: true },
        },
        indexes: {
          // P3
          P3: {
            pk: { field: 'PK', composite: ['caseId'], template: 'DECISION#${caseId}', casing: 'none' },
            sk: { field: 'SK', composite: ['at', 'eventId'], template: '${at}#TRANSITION#${eventId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.cases },
    ),
  };
  // Items tell their kind by the attribute that the rest of the design uses too.
  for (const entity of Object.values(entities)) entity.setIdentifier('entity', '_type');
  return entities;
}
