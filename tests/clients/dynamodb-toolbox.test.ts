import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import {
  $add,
  $append,
  $delete,
  $get,
  $prepend,
  $remove,
  $set,
  $subtract,
  $sum,
  assertConditionCheckFailed,
  BatchDeleteRequest,
  BatchGetCommand,
  BatchGetRequest,
  BatchPutRequest,
  BatchWriteCommand,
  boolean,
  DeleteItemCommand,
  DeletePartitionCommand,
  DynamoDBToolboxError,
  Entity,
  EntityRepository,
  executeBatchGet,
  executeBatchWrite,
  type FormattedItem,
  GetItemCommand,
  isConditionCheckFailed,
  item,
  list,
  map,
  number,
  PutItemCommand,
  prefix,
  QueryCommand,
  record,
  ScanCommand,
  set,
  string,
  Table,
  UpdateAttributesCommand,
  UpdateItemCommand,
} from 'dynamodb-toolbox';
import { beforeEach, expect, it } from 'vitest';
import type { CreateTableInput } from '../../src/index.ts';
import { throughBothDoors } from './application-doors.ts';

const plannerTable = {
  TableName: 'planner',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'state', AttributeType: 'S' },
    { AttributeName: 'est', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byState',
      KeySchema: [
        { AttributeName: 'state', KeyType: 'HASH' },
        { AttributeName: 'est', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
} as const satisfies CreateTableInput;

/** A planner: projects with their tasks in one partition, and invitations that expire. */
function openPlanner(documentClient: DynamoDBDocumentClient) {
  const table = new Table({
    documentClient,
    name: 'planner',
    partitionKey: { name: 'pk', type: 'string' },
    sortKey: { name: 'sk', type: 'string' },
    indexes: {
      byState: {
        type: 'global',
        partitionKey: { name: 'state', type: 'string' },
        sortKey: { name: 'est', type: 'number' },
      },
    },
  });
  const task = new Entity({
    name: 'Task',
    table,
    schema: item({
      projectId: string().key().transform(prefix('PROJECT')).savedAs('pk'),
      taskId: string().key().transform(prefix('TASK')).savedAs('sk'),
      title: string(),
      state: string().enum('todo', 'doing', 'done').default('todo'),
      // Stored under a shorter name, as large tables do.
      estimate: number().default(0).savedAs('est'),
      urgent: boolean().default(false),
      version: number().default(1),
      assignees: set(string()).optional(),
      checklist: list(map({ text: string(), done: boolean() })).default([]),
      hoursByPerson: record(string(), number()).optional(),
      where: map({ building: string(), floor: number().optional() }).optional(),
    }),
  });
  const invitation = new Entity({
    name: 'Invitation',
    table,
    timestamps: false,
    schema: item({
      email: string().key(),
      projectId: string().key(),
      // The application counts milliseconds; Time to Live wants seconds.
      expiresAt: number()
        .savedAs('ttl')
        .transform({
          encode: (ms: number) => Math.floor(ms / 1000),
          decode: (seconds: number) => seconds * 1000,
        }),
    }),
    computeKey: ({ email, projectId }) => ({ pk: `INVITED#${email}`, sk: `PROJECT#${projectId}` }),
  });
  return { table, task, invitation };
}

throughBothDoors('DynamoDB-Toolbox', plannerTable, (door) => {
  let planner: ReturnType<typeof openPlanner>;
  beforeEach(() => {
    planner = openPlanner(door.documentClient());
  });

  const key = { projectId: 'apollo', taskId: '0007' };
  const given = {
    ...key,
    title: 'Land',
    estimate: 8,
    assignees: new Set(['neil', 'buzz']),
    checklist: [{ text: 'fuel', done: true }],
    hoursByPerson: { neil: 2 },
    where: { building: 'LM', floor: 1 },
  };
  const put = (more: Partial<FormattedItem<typeof planner.task>> = {}) =>
    planner.task
      .build(PutItemCommand)
      .item({ ...given, ...more })
      .send();
  const read = async () => (await planner.task.build(GetItemCommand).key(key).send()).Item;

  it('puts a task with defaults and timestamps and gets it back', async () => {
    const { ToolboxItem } = await put();
    const found = await planner.task.build(GetItemCommand).key(key).options({ consistent: true }).send();
    expect(found.Item).toEqual({
      ...given,
      state: 'todo',
      urgent: false,
      version: 1,
      created: ToolboxItem.created,
      modified: ToolboxItem.modified,
    });
    const some = await planner.task
      .build(GetItemCommand)
      .key(key)
      .options({ attributes: ['title', 'checklist[0].text', 'hoursByPerson.neil'], capacity: 'TOTAL' })
      .send();
    expect(some.Item).toEqual({
      title: 'Land',
      checklist: [{ text: 'fuel' }],
      hoursByPerson: { neil: 2 },
    });
    expect(some.ConsumedCapacity).toEqual({ TableName: 'planner', CapacityUnits: 0.5 });
    const absent = await planner.task
      .build(GetItemCommand)
      .key({ ...key, taskId: '0' })
      .send();
    expect(absent.Item).toBeUndefined();
  });

  it('stores prefixes, other names and its own marks', async () => {
    await put();
    const { Item } = await door
      .documentClient()
      .send(new GetCommand({ TableName: 'planner', Key: { pk: 'PROJECT#apollo', sk: 'TASK#0007' } }));
    expect(Item).toMatchObject({ _et: 'Task', est: 8, title: 'Land', assignees: new Set(['buzz', 'neil']) });
    expect(Item).not.toHaveProperty('estimate');
    expect(Item?._ct).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it('refuses to create twice, and shows what is in the way', async () => {
    const create = (title: string) =>
      planner.task
        .build(PutItemCommand)
        .item({ ...given, title })
        .options({
          condition: { attr: 'taskId', exists: false },
          returnValuesOnConditionFalse: 'ALL_OLD',
        })
        .send();
    await create('Land');
    const error = await create('Crash').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConditionalCheckFailedException);
    assertConditionCheckFailed(error, planner.task);
    expect(error.message).toBe('The conditional request failed');
    expect(error.FormattedItem).toMatchObject({ ...key, title: 'Land', estimate: 8 });
    expect(await read()).toMatchObject({ title: 'Land' });
  });

  it('answers what a put replaced', async () => {
    await put();
    const replaced = await planner.task
      .build(PutItemCommand)
      .item({ ...key, title: 'Return' })
      .options({ returnValues: 'ALL_OLD' })
      .send();
    expect(replaced.Attributes).toMatchObject(given);
    const now = await read();
    expect(now).toMatchObject({ title: 'Return', checklist: [] });
    expect(now).not.toHaveProperty('assignees');
  });

  it('does arithmetic and changes lists, sets, records and maps in one update', async () => {
    await put();
    const { Attributes } = await planner.task
      .build(UpdateItemCommand)
      .item({
        ...key,
        estimate: $add(3),
        version: $sum($get('version'), 1),
        assignees: $add(new Set(['michael'])),
        checklist: $append([
          { text: 'flag', done: false },
          { text: 'rocks', done: false },
        ]),
        hoursByPerson: { buzz: 3, neil: $subtract($get('hoursByPerson.neil'), 0.5) },
        where: { floor: $remove() },
      })
      .options({ returnValues: 'ALL_NEW' })
      .send();
    expect(Attributes).toMatchObject({
      estimate: 11,
      version: 2,
      assignees: new Set(['buzz', 'michael', 'neil']),
      checklist: [
        { text: 'fuel', done: true },
        { text: 'flag', done: false },
        { text: 'rocks', done: false },
      ],
      hoursByPerson: { buzz: 3, neil: 1.5 },
      where: { building: 'LM' },
    });
    expect(Attributes?.where).not.toHaveProperty('floor');
    const second = await planner.task
      .build(UpdateItemCommand)
      .item({
        ...key,
        assignees: $delete(new Set(['neil', 'michael'])),
        checklist: { 0: { done: false }, 2: $remove() },
        hoursByPerson: $set({ buzz: 4 }),
        where: $remove(),
      })
      .options({ returnValues: 'ALL_NEW' })
      .send();
    expect(second.Attributes).toMatchObject({
      assignees: new Set(['buzz']),
      checklist: [
        { text: 'fuel', done: false },
        { text: 'flag', done: false },
      ],
      hoursByPerson: { buzz: 4 },
    });
    expect(second.Attributes).not.toHaveProperty('where');
    await planner.task
      .build(UpdateItemCommand)
      .item({ ...key, checklist: $prepend([{ text: 'undock', done: true }]) })
      .send();
    expect((await read())?.checklist.map(({ text }) => text)).toEqual(['undock', 'fuel', 'flag']);
  });

  it('begins lists, sets and numbers that are not there', async () => {
    await planner.task
      .build(UpdateItemCommand)
      .item({
        ...key,
        title: $get('title', 'Untitled'),
        state: $get('state', 'todo'),
        urgent: false,
        estimate: $add(2),
        version: $sum($get('version', 0), 1),
        assignees: $add(new Set(['neil'])),
        checklist: $append([{ text: 'fuel', done: false }]),
      })
      .send();
    expect(await read()).toMatchObject({
      title: 'Untitled',
      estimate: 2,
      version: 1,
      assignees: new Set(['neil']),
      checklist: [{ text: 'fuel', done: false }],
    });
  });

  it('replaces whole attributes with updateAttributes', async () => {
    await put();
    const { Attributes } = await planner.task
      .build(UpdateAttributesCommand)
      .item({ ...key, where: { building: 'CSM' }, hoursByPerson: { michael: 21 } })
      .options({ returnValues: 'UPDATED_NEW' })
      .send();
    expect(Attributes).toMatchObject({ where: { building: 'CSM' }, hoursByPerson: { michael: 21 } });
    expect(Attributes).not.toHaveProperty('title');
  });

  it('changes only the version that was read', async () => {
    await put();
    const start = (version: number) =>
      planner.task
        .build(UpdateItemCommand)
        .item({ ...key, state: 'doing', version: $add(1) })
        .options({
          condition: {
            and: [
              { attr: 'taskId', exists: true },
              { attr: 'version', eq: version },
            ],
          },
          returnValues: 'UPDATED_OLD',
          returnValuesOnConditionFalse: 'ALL_OLD',
        })
        .send();
    expect((await start(1)).Attributes).toMatchObject({ state: 'todo', version: 1 });
    const error = await start(1).catch((thrown: unknown) => thrown);
    if (!isConditionCheckFailed(error, planner.task)) throw error;
    expect(error.FormattedItem).toMatchObject({ state: 'doing', version: 2 });
    expect(error.$metadata.attempts).toBe(1);
  });

  it('writes conditions of every kind', async () => {
    const tasks = planner.task.build(EntityRepository);
    await put();
    await tasks.update(
      { ...key, title: 'Landed' },
      {
        condition: {
          and: [
            { attr: 'title', beginsWith: 'La' },
            { attr: 'estimate', between: [5, 10] },
            { attr: 'state', in: ['todo', 'doing'] },
            { attr: 'assignees', contains: 'neil' },
            { attr: 'checklist[0].done', eq: true },
            { attr: 'where', type: 'M' },
            { or: [{ attr: 'urgent', eq: true }, { not: { attr: 'version', gt: 1 } }] },
          ],
        },
      },
    );
    await expect(
      tasks.delete(key, {
        condition: {
          or: [
            { attr: 'state', eq: 'done' },
            { size: 'title', lt: 3 },
          ],
        },
      }),
    ).rejects.toBeInstanceOf(ConditionalCheckFailedException);
    const removed = await tasks.delete(key, {
      condition: {
        and: [
          { size: 'checklist', eq: 1 },
          { attr: 'title', ne: 'Land' },
        ],
      },
      returnValues: 'ALL_OLD',
    });
    expect(removed.Attributes).toMatchObject({ title: 'Landed' });
    expect(await read()).toBeUndefined();
  });

  it('deletes what may be gone, and with a condition only what is there', async () => {
    await planner.task.build(DeleteItemCommand).key(key).send();
    const strict = planner.task
      .build(DeleteItemCommand)
      .key(key)
      .options({ condition: { attr: 'taskId', exists: true } });
    await expect(strict.send()).rejects.toBeInstanceOf(ConditionalCheckFailedException);
    await put();
    await strict.send();
    expect(await read()).toBeUndefined();
  });

  it('writes and reads entities of both kinds in one batch', async () => {
    await put();
    const second = { ...key, taskId: '0008' };
    const invited = { email: 'gene@example.com', projectId: 'apollo' };
    const written = await executeBatchWrite(
      planner.table
        .build(BatchWriteCommand)
        .requests(
          planner.task.build(BatchDeleteRequest).key(key),
          planner.task.build(BatchPutRequest).item({ ...second, title: 'Return' }),
          planner.invitation.build(BatchPutRequest).item({ ...invited, expiresAt: 1_780_358_400_000 }),
        ),
    );
    expect(written.UnprocessedItems).toEqual({});
    const { Responses } = await executeBatchGet(
      { capacity: 'TOTAL' },
      planner.table
        .build(BatchGetCommand)
        .requests(
          planner.invitation.build(BatchGetRequest).key(invited),
          planner.task.build(BatchGetRequest).key(key),
          planner.task.build(BatchGetRequest).key(second),
        )
        .options({ consistent: true }),
    );
    expect(Responses).toEqual([
      [
        { ...invited, expiresAt: 1_780_358_400_000 },
        undefined,
        expect.objectContaining({ ...second, title: 'Return', state: 'todo' }),
      ],
    ]);
  });

  it('queries and scans for entities of both kinds, and empties a partition', async () => {
    const { table, task, invitation } = planner;
    for (const [i, state] of (['todo', 'doing', 'todo', 'done', 'todo'] as const).entries()) {
      const one = { ...given, taskId: `000${i}`, state, estimate: (i + 1) * 10 };
      await task.build(PutItemCommand).item(one).send();
    }
    const invited = { email: 'gene@example.com', projectId: 'apollo', expiresAt: 1_780_358_400_000 };
    await invitation.build(PutItemCommand).item(invited).send();

    const tasks = table.build(QueryCommand).entities(task);
    const range = { beginsWith: 'TASK#' };
    const newest = await tasks
      .query({ partition: 'PROJECT#apollo', range })
      .options({ reverse: true, limit: 2, consistent: true, capacity: 'TOTAL' })
      .send();
    expect(newest.Items?.map(({ taskId }) => taskId)).toEqual(['0004', '0003']);
    expect(newest.LastEvaluatedKey).toEqual({ pk: 'PROJECT#apollo', sk: 'TASK#0003' });
    const rest = await tasks
      .query({ partition: 'PROJECT#apollo', range })
      .options({ reverse: true, exclusiveStartKey: newest.LastEvaluatedKey!, maxPages: Infinity })
      .send();
    expect(rest.Items?.map(({ taskId }) => taskId)).toEqual(['0002', '0001', '0000']);
    const filtered = await tasks
      .query({ partition: 'PROJECT#apollo', range: { between: ['TASK#0001', 'TASK#0004'] } })
      .options({ filters: { Task: { attr: 'state', eq: 'todo' } }, attributes: ['taskId', 'estimate'] })
      .send();
    expect(filtered.Items).toEqual([
      { taskId: '0002', estimate: 30 },
      { taskId: '0004', estimate: 50 },
    ]);
    const small = await tasks.query({ index: 'byState', partition: 'todo', range: { lt: 50 } }).send();
    expect(small.Items?.map(({ estimate }) => estimate)).toEqual([10, 30]);
    const counted = await tasks.query({ partition: 'PROJECT#apollo' }).options({ select: 'COUNT' }).send();
    expect(counted).toMatchObject({ Count: 5, ScannedCount: 5 });

    const scanned = await table.build(ScanCommand).entities(task, invitation).send();
    expect(scanned.Items).toHaveLength(6);
    expect(scanned.Items).toContainEqual(invited);

    await table.build(DeletePartitionCommand).entities(task).query({ partition: 'PROJECT#apollo' }).send();
    const left = await table.build(ScanCommand).entities(task, invitation).send();
    expect(left.Items).toEqual([invited]);
  });

  it('keeps invitations under computed keys with the second at which they expire', async () => {
    const invitation = { email: 'gene@example.com', projectId: 'apollo', expiresAt: Date.UTC(2026, 5, 2) };
    await planner.invitation.build(PutItemCommand).item(invitation).send();
    const { email, projectId } = invitation;
    const found = await planner.invitation.build(GetItemCommand).key({ email, projectId }).send();
    expect(found.Item).toEqual(invitation);
    const { Item } = await door
      .documentClient()
      .send(
        new GetCommand({ TableName: 'planner', Key: { pk: `INVITED#${email}`, sk: `PROJECT#${projectId}` } }),
      );
    expect(Item?.ttl).toBe(1_780_358_400);
  });

  it('refuses in the application what the schema does not allow', async () => {
    await put();
    const invalid = () =>
      planner.task
        .build(UpdateItemCommand)
        .item({ ...key, state: 'forgotten' as 'done' })
        .params();
    expect(invalid).toThrow(DynamoDBToolboxError);
  });
});
