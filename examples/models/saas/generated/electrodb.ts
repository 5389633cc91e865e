/** ElectroDB entities of the model saas. */
import { Entity, type EntityConfiguration } from 'electrodb';

/** The entities over a client. Tables may have other names where they are deployed. */
export function saasEntities(
  configuration: Omit<EntityConfiguration, 'table'>,
  tables = { saas: 'saas', 'saas-audit': 'saas-audit' },
) {
  const entities = {
    Comment: new Entity(
      {
        model: { entity: 'Comment', version: '1', service: 'saas' },
        attributes: {
          taskId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          commentId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          at: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          authorId: { type: 'string', required: true, readOnly: true },
          body: { type: 'string', required: true },
        },
        indexes: {
          // P10
          P10: {
            pk: { field: 'PK', composite: ['taskId'], template: 'COMMENT#${taskId}', casing: 'none' },
            sk: { field: 'SK', composite: ['at', 'commentId'], template: '${at}#${commentId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.saas },
    ),
    Membership: new Entity(
      {
        model: { entity: 'Membership', version: '1', service: 'saas' },
        attributes: {
          tenantId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          userId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          joinedAt: { type: 'string', required: true, readOnly: true },
          role: { type: ['OWNER', 'MEMBER'] as const, required: true },
        },
        indexes: {
          // P2
          P2: {
            pk: { field: 'PK', composite: ['tenantId'], template: 'MEMBERSHIP#${tenantId}', casing: 'none' },
            sk: { field: 'SK', composite: ['userId'], template: '${userId}', casing: 'none' },
          },
          // P6
          P6: {
            index: 'GSI1',
            projection: ['role', 'userId'],
            pk: { field: 'GSI1PK', composite: ['userId'], template: 'MEMBERSHIP#${userId}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['tenantId'], template: '${tenantId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.saas },
    ),
    Notification: new Entity(
      {
        model: { entity: 'Notification', version: '1', service: 'saas' },
        attributes: {
          userId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          notificationId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          at: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          about: { type: 'string', required: true, readOnly: true },
          expires: { type: 'number', required: true, readOnly: true },
          unread: { type: 'boolean' },
        },
        indexes: {
          primary: {
            pk: { field: 'PK', composite: ['notificationId'], template: 'NOTIFICATION#${notificationId}', casing: 'none' },
            sk: { field: 'SK', composite: ['userId'], template: '${userId}', casing: 'none' },
          },
          // P11
          P11: {
            index: 'GSI1',
            projection: ['about', 'at', 'userId'],
            condition: (item) => item.unread !== undefined,
            pk: { field: 'GSI1PK', composite: ['userId'], template: 'NOTIFICATION#${userId}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['at', 'notificationId'], template: '${at}#${notificationId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.saas },
    ),
    Project: new Entity(
      {
        model: { entity: 'Project', version: '1', service: 'saas' },
        attributes: {
          projectId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          tenantId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          createdOn: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\d$/ },
          title: { type: 'string', required: true },
          description: { type: 'string', required: true },
          status: { type: ['ACTIVE', 'ARCHIVED'] as const, required: true },
          ownerId: { type: 'string', required: true },
        },
        indexes: {
          // P8
          P8: {
            pk: { field: 'PK', composite: ['projectId'], template: 'PROJECT#${projectId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'PROJECT', casing: 'none' },
          },
          // P7
          P7: {
            index: 'GSI1',
            projection: ['status', 'title'],
            pk: { field: 'GSI1PK', composite: ['tenantId'], template: 'PROJECT#${tenantId}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['projectId'], template: '${projectId}', casing: 'none' },
          },
          // P5
          P5: {
            index: 'GSI2',
            projection: ['createdOn', 'ownerId', 'title'],
            condition: (item) => item.status === 'ACTIVE',
            pk: { field: 'GSI2PK', composite: ['tenantId'], template: 'PROJECT#${tenantId}', casing: 'none' },
            sk: { field: 'GSI2SK', composite: ['createdOn', 'projectId'], template: '${createdOn}#${projectId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.saas },
    ),
    Session: new Entity(
      {
        model: { entity: 'Session', version: '1', service: 'saas' },
        attributes: {
          userId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          sessionId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          createdAt: { type: 'string', required: true, readOnly: true },
          token: { type: 'string', required: true, readOnly: true },
          expires: { type: 'number', required: true, readOnly: true },
        },
        indexes: {
          // P13
          P13: {
            pk: { field: 'PK', composite: ['userId'], template: 'SESSION#${userId}', casing: 'none' },
            sk: { field: 'SK', composite: ['sessionId'], template: '${sessionId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.saas },
    ),
    Task: new Entity(
      {
        model: { entity: 'Task', version: '1', service: 'saas' },
        attributes: {
          projectId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          taskId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          createdAt: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          title: { type: 'string', required: true },
          status: { type: ['TODO', 'DOING', 'DONE'] as const, required: true },
          priority: { type: ['LOW', 'MEDIUM', 'HIGH'] as const, required: true },
          assigneeId: { type: 'string', validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          dueOn: { type: 'string', validate: /^\d{4}-\d\d-\d\d$/ },
          dueMonth: { type: 'string', validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          overdue: { type: 'boolean' },
          /** assigneeId as keys hold it; empty while it is missing. */
          assigneeIdKey: {
            type: 'string',
            hidden: true,
            default: '',
            watch: ['assigneeId'],
            set: (_: string | undefined, item): string => item.assigneeId === undefined ? '' : String(item.assigneeId),
          },
          /** dueOn as keys hold it; empty while it is missing. */
          dueOnKey: {
            type: 'string',
            hidden: true,
            default: '',
            watch: ['dueOn'],
            set: (_: string | undefined, item): string => item.dueOn === undefined ? '' : String(item.dueOn),
          },
          /** dueMonth as keys hold it; empty while it is missing. */
          dueMonthKey: {
            type: 'string',
            hidden: true,
            default: '',
            watch: ['dueMonth'],
            set: (_: string | undefined, item): string => item.dueMonth === undefined ? '' : String(item.dueMonth),
          },
        },
        indexes: {
          // P8, P9
          P8: {
            pk: { field: 'PK', composite: ['projectId'], template: 'PROJECT#${projectId}', casing: 'none' },
            sk: { field: 'SK', composite: ['createdAt', 'taskId'], template: 'TASK#${createdAt}#${taskId}', casing: 'none' },
          },
          // P4
          P4: {
            index: 'GSI1',
            projection: ['dueOn', 'priority', 'status', 'title'],
            condition: (item) => item.dueOn !== undefined && item.assigneeId !== undefined,
            pk: { field: 'GSI1PK', composite: ['assigneeIdKey'], template: 'TASK#${assigneeIdKey}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['dueOnKey', 'projectId', 'taskId'], template: '${dueOnKey}#${projectId}#${taskId}', casing: 'none' },
          },
          // P14
          P14: {
            index: 'GSI2',
            projection: ['assigneeId', 'dueOn', 'title'],
            condition: (item) => item.dueOn !== undefined && item.overdue !== undefined && item.dueMonth !== undefined,
            pk: { field: 'GSI2PK', composite: ['dueMonthKey'], template: 'TASK#${dueMonthKey}', casing: 'none' },
            sk: { field: 'GSI2SK', composite: ['dueOnKey', 'projectId', 'taskId'], template: '${dueOnKey}#${projectId}#${taskId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.saas },
    ),
    Tenant: new Entity(
      {
        model: { entity: 'Tenant', version: '1', service: 'saas' },
        attributes: {
          tenantId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          createdAt: { type: 'string', required: true, readOnly: true },
          name: { type: 'string', required: true },
          plan: { type: ['FREE', 'TEAM', 'ENTERPRISE'] as const, required: true },
        },
        indexes: {
          // P1
          P1: {
            pk: { field: 'PK', composite: ['tenantId'], template: 'TENANT#${tenantId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'TENANT', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.saas },
    ),
    User: new Entity(
      {
        model: { entity: 'User', version: '1', service: 'saas' },
        attributes: {
          userId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          name: { type: 'string', required: true },
          email: { type: 'string', required: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          avatar: { type: 'string', required: true },
        },
        indexes: {
          // P15
          P15: {
            pk: { field: 'PK', composite: ['userId'], template: 'USER#${userId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'USER', casing: 'none' },
          },
          // P3
          P3: {
            index: 'GSI1',
            projection: ['email', 'name', 'userId'],
            pk: { field: 'GSI1PK', composite: ['email'], template: 'USER#${email}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['userId'], template: '${userId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.saas },
    ),
    AuditLog: new Entity(
      {
        model: { entity: 'AuditLog', version: '1', service: 'saas' },
        attributes: {
          tenantId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          entryId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          at: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          who: { type: 'string', required: true, readOnly: true },
          what: { type: 'any', required: true, readOnly: true },
          expires: { type: 'number', required: true, readOnly: true },
        },
        indexes: {
          // P12
          P12: {
            pk: { field: 'PK', composite: ['tenantId'], template: 'AUDITLOG#${tenantId}', casing: 'none' },
            sk: { field: 'SK', composite: ['at', 'entryId'], template: '${at}#${entryId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables['saas-audit'] },
    ),
  };
  // Items tell their kind by the attribute that the rest of the design uses too.
  for (const entity of Object.values(entities)) entity.setIdentifier('entity', '_type');
  return entities;
}
