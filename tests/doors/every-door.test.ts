import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awsApis } from '../../src/aws-apis.ts';
import { accessDenied, type Intent, type Requester, Stator, type StatorServer } from '../../src/index.ts';
import type { Monitoring } from '../../src/monitoring.ts';
import allOperations from '../../src/operations/all-operations.ts';
import { PastView } from '../../src/past-view.ts';
import { HeaderFields } from '../../src/wire/header-fields.ts';
import { bodyBytes } from '../../src/wire/reply-body.ts';
import { type Child, runChild } from '../run-child.ts';
import { newDirectory } from '../storage/directories.ts';
import { accessKeyOf, type Policy, policyJudge } from './door-policies.ts';
import { definition, doorRequests, type Made } from './door-requests.ts';
import { foreignControl } from './foreign-requests.ts';

/** One way to send a request under a policy. Answers the text of the reply. */
type Door = (policy: Policy, prefix: string, operation: string, body: object) => Promise<string>;

const types: Readonly<Record<string, string>> = {
  DynamoDB_20120810: 'dynamodb 1.0',
  DynamoDBStreams_20120810: 'dynamodb 1.0',
  GraniteServiceVersion20100801: 'monitoring 1.0',
  AnyScaleFrontendService: 'application-autoscaling 1.1',
};

function headersOf(policy: Policy, prefix: string, own: Readonly<Record<string, string>>) {
  const [signed] = types[prefix]!.split(' ');
  const credential = `${accessKeyOf(policy)}/20260921/us-east-1/${signed}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
  return { host: 'localhost', 'x-amz-date': '20260921T000000Z', authorization, ...own };
}

function jsonHeaders(policy: Policy, prefix: string, operation: string) {
  const version = types[prefix]!.split(' ')[1]!;
  const own = {
    'content-type': `application/x-amz-json-${version}`,
    'x-amz-target': `${prefix}.${operation}`,
  };
  return headersOf(policy, prefix, own);
}

const overHttp =
  (url: () => string): Door =>
  async (policy, prefix, operation, body) => {
    const { host: _, ...headers } = jsonHeaders(policy, prefix, operation);
    const reply = await fetch(url(), { method: 'POST', headers, body: JSON.stringify(body) });
    return reply.text();
  };

let db: Stator;
let server: StatorServer;
/** A database in memory with the same table, of which every look at intents takes a fork. */
let model: Stator;
let child: Child;
let made: Made;
/** The policy of doors whose callers have no keys. */
let own: Policy = {};
let asked: Intent[] = [];

const within =
  (one: () => Stator): Door =>
  async (policy, prefix, operation, body) => {
    const text = JSON.stringify(body);
    const reply = await one().requests.handle({
      ...{ method: 'POST', url: '/', sent: text, body: text },
      headers: HeaderFields.fromRecord(jsonHeaders(policy, prefix, operation)),
    });
    return Buffer.from(bodyBytes(reply.body)).toString();
  };

const plain: Door = async (policy, _, operation, body) => {
  own = policy;
  const method = `${operation[0]!.toLowerCase()}${operation.slice(1)}` as 'listTables';
  const answer = await db[method](body).catch((error: Error) => `${error.name}: ${error.message}`);
  own = {};
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
};

let workerUrl: string;
const doors: Readonly<Record<string, Door>> = {
  'plain methods': plain,
  'SDK clients in process': within(() => db),
  HTTP: overHttp(() => server.url),
  'another process': overHttp(() => workerUrl),
};

beforeAll(async () => {
  const [directory, buckets] = [await newDirectory(), await newDirectory()];
  await mkdir(join(buckets, 'data'));
  db = await Stator.open({
    ...{ store: { directory, shared: true }, s3: { directory: buckets }, observe: true },
    authorize: policyJudge(() => own),
  });
  const authorize = policyJudge(undefined, (intent) => asked.push(intent));
  model = await Stator.open({ authorize, observe: true });
  await model.createTable({ TableName: 'things', ...definition } as Parameters<Stator['createTable']>[0]);
  server = await db.listen({ port: 0, oneOfSeveral: true });
  child = runChild(new URL('./children/judged-server.ts', import.meta.url), [directory, buckets]);
  await db.createTable({ TableName: 'things', ...definition } as Parameters<Stator['createTable']>[0]);
  await db.putItem({ TableName: 'things', Item: { pk: { S: 'secret' }, concealed: { S: 'found' } } });
  const { Table } = await db.describeTable({ TableName: 'things' });
  const StreamArn = Table!.LatestStreamArn!;
  const { StreamDescription } = await db.describeStream({ StreamArn });
  const ShardId = StreamDescription!.Shards![0]!.ShardId!;
  const { ShardIterator } = await db.getShardIterator({
    ...{ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' },
  });
  made = { stream: StreamArn, shard: ShardId, iterator: ShardIterator! };
  workerUrl = (await child.until((line) => line.startsWith('listening '))).slice('listening '.length);
}, 60_000);

afterAll(async () => {
  child.process.kill();
  await child.ended;
  await model.close();
  await db.close();
});

const prefixes = Object.keys(types);
const ofDynamo = new Set(['DynamoDB_20120810', 'DynamoDBStreams_20120810']);

function cases(door: string): (readonly [prefix: string, operation: string, body: object])[] {
  return Object.entries(doorRequests(made))
    .filter(([prefix]) => door !== 'plain methods' || ofDynamo.has(prefix))
    .flatMap(([prefix, operations]) =>
      Object.entries(operations).map(([operation, body]) => [prefix, operation, body] as const),
    );
}

const denies = (action: string) =>
  new RegExp(
    `is not authorized to perform: ${action} on resource: .* because no identity-based policy allows`,
  );

describe('every operation', () => {
  it('has a request here', () => {
    const registered = [
      ...Object.entries(allOperations).map(([prefix, all]) => [
        prefix,
        Object.values(all).map(({ name }) => name),
      ]),
      ...awsApis(() => ({}) as Monitoring).map(({ targetPrefix, operations }) => [
        targetPrefix,
        [...operations.keys()],
      ]),
    ] as [string, string[]][];
    const requests = doorRequests(made);
    expect(prefixes).toEqual(Object.keys(requests));
    for (const [prefix, names] of registered)
      expect(Object.keys(requests[prefix]!).sort(), prefix).toEqual(names.sort());
  });

  it.each(Object.keys(doors))('asks before it answers through the door: %s', async (door) => {
    const before = await state();
    for (const [prefix, operation, body] of cases(door))
      expect(await doors[door]!({ all: true }, prefix, operation, body), operation).toMatch(
        denies('[\\w:-]+'),
      );
    expect(await state()).toEqual(before);
  });

  it.each(Object.keys(doors))(
    'is denied by each of its actions and ARNs through the door: %s',
    async (door) => {
      const before = await state();
      for (const [prefix, operation, body] of cases(door)) {
        for (const { action, resource, isMentioned } of await intentsOf(prefix, operation, body)) {
          if (isMentioned !== true)
            expect(await doors[door]!({ action }, prefix, operation, body), action).toMatch(denies(action));
          expect(await doors[door]!({ arn: resource }, prefix, operation, body)).toContain(resource);
        }
      }
      expect(await state()).toEqual(before);
    },
  );

  it.each(Object.keys(doors))(
    'on items is denied by key and attribute through the door: %s',
    async (door) => {
      const before = await state();
      const judged: string[] = [];
      for (const [prefix, operation, body] of cases(door)) {
        const items = (await intentsOf(prefix, operation, body)).flatMap((intent) => intent.items ?? []);
        if (items.length === 0) continue;
        judged.push(operation);
        expect(await doors[door]!({ attribute: 'concealed' }, prefix, operation, body), operation).toMatch(
          denies('\\S+'),
        );
        if (operation === 'Scan') continue;
        expect(await doors[door]!({ key: 'secret' }, prefix, operation, body), operation).toMatch(
          denies('\\S+'),
        );
      }
      expect(judged.sort()).toEqual([
        ...['BatchExecuteStatement', 'BatchGetItem', 'BatchWriteItem', 'DeleteItem', 'ExecuteStatement'],
        ...['ExecuteTransaction', 'GetItem', 'PutItem', 'Query', 'Scan', 'TransactGetItems'],
        ...['TransactWriteItems', 'UpdateItem'],
      ]);
      expect(await state()).toEqual(before);
    },
  );

  it.each(Object.keys(doors))('is permitted what no policy names, through the door: %s', async (door) => {
    const { GetItem, Query } = doorRequests(made).DynamoDB_20120810!;
    const other = { action: 'dynamodb:Other', arn: 'other', key: 'other', attribute: 'other' };
    for (const [operation, body] of [
      ['GetItem', GetItem],
      ['Query', Query],
    ] as const)
      expect(await doors[door]!(other, 'DynamoDB_20120810', operation, body!)).not.toContain(
        'not authorized',
      );
  });

  /** All intents of a request: a refusal would hide those behind it, so it is permitted, on a fork. */
  async function intentsOf(prefix: string, operation: string, body: object): Promise<readonly Intent[]> {
    await using fork = model.fork();
    asked = [];
    await within(() => fork)({}, prefix, operation, body);
    return asked;
  }
});

describe('CloudWatch', () => {
  it('asks in each of its three protocols', async () => {
    const prefix = 'GraniteServiceVersion20100801';
    const policy = { all: true } as const;
    const cbor = await fetch(`${server.url}/service/${prefix}/operation/ListMetrics`, {
      method: 'POST',
      headers: headersOf(policy, prefix, {
        'content-type': 'application/cbor',
        'smithy-protocol': 'rpc-v2-cbor',
      }),
      body: Buffer.from([0xa0]),
    });
    expect(Buffer.from(await cbor.arrayBuffer()).toString('latin1')).toMatch(
      denies('cloudwatch:ListMetrics'),
    );
    const query = await fetch(server.url, {
      method: 'POST',
      headers: headersOf(policy, prefix, { 'content-type': 'application/x-www-form-urlencoded' }),
      body: 'Action=ListMetrics&Version=2010-08-01',
    });
    expect(await query.text()).toMatch(denies('cloudwatch:ListMetrics'));
  });
});

describe('the control API', () => {
  it('asks at every resource but the two that say nothing', async () => {
    const control = await model.listen({ port: 0, studio: true });
    for (const resource of Object.keys(foreignControl)) {
      const [method, path] = resource.split(' ') as [string, string];
      const reply = await fetch(
        `${control.url}/_stator/${path.replaceAll('<name>', 'things')}?time=0&from=0`,
        {
          method,
          headers: headersOf({ all: true }, 'DynamoDB_20120810', {}),
          ...(method === 'POST' && { body: '{}' }),
        },
      );
      const text = await reply.text();
      if (['health', 'ready'].includes(path)) expect([path, reply.status]).toEqual([path, 200]);
      else
        expect([resource, reply.status, text]).toEqual([
          resource,
          403,
          expect.stringMatching(denies('stator:\\w+')),
        ]);
    }
    await control.close();
  });

  it('keeps the authorizer through snapshots, resets and namespaces', async () => {
    const base = model.fork();
    const control = await base.listen({ port: 0 });
    const allowed: Policy = { action: 'none' };
    const post = async (path: string) => {
      const headers = headersOf(allowed, 'DynamoDB_20120810', {});
      const reply = await fetch(`${control.url}/_stator/${path}`, { method: 'POST', headers });
      expect([path, reply.status]).toEqual([path, expect.toSatisfy((status: number) => status < 300)]);
    };
    const send = overHttp(() => control.url);
    const expectJudged = async () => {
      const get = { TableName: 'things', Key: { pk: { S: 'secret' } } };
      for (const policy of [{ all: true }, { key: 'secret' }] as const)
        expect(await send(policy, 'DynamoDB_20120810', 'GetItem', get)).toMatch(denies('dynamodb:GetItem'));
      expect(await send(allowed, 'DynamoDB_20120810', 'GetItem', get)).toBe('{}');
    };
    await expectJudged();
    await post('snapshot');
    await post('reset');
    await expectJudged();
    for (const policy of [{ all: true }, { key: 'secret' }, allowed] as const)
      await post(`namespaces/${accessKeyOf(policy)}`);
    await expectJudged();
    await base.close();
  });

  it('judges the reads of the past by the keys and attributes of their senders', async () => {
    const control = await model.listen({ port: 0 });
    await model.updateContinuousBackups({
      ...{ TableName: 'things', PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    });
    const read = async (policy: Policy, body: object) => {
      const reply = await fetch(`${control.url}/_stator/at/things?time=${Date.now()}`, {
        method: 'POST',
        headers: headersOf(policy, 'DynamoDB_20120810', {}),
        body: JSON.stringify(body),
      });
      return [reply.status, await reply.text()];
    };
    const get = { GetItem: { Key: { pk: { S: 'secret' } }, ProjectionExpression: 'concealed' } };
    expect(await read({}, get)).toEqual([200, '{}']);
    for (const policy of [{ key: 'secret' }, { attribute: 'concealed' }, { action: 'dynamodb:GetItem' }])
      expect(await read(policy, get)).toEqual([403, expect.stringMatching(denies('dynamodb:GetItem'))]);
    await control.close();
  });

  it('asks about the holder of the token for metrics', async () => {
    const asked: Requester[] = [];
    const control = await model.listen({
      ...{ port: 0, auth: 'verify', metricsToken: 'scrape' },
      credentials: [{ accessKeyId: 'a', secretAccessKey: 's' }],
      authorize: (intent, requester) => {
        asked.push(requester);
        return intent.action === 'stator:ReadMetrics' ? undefined : accessDenied(intent, requester);
      },
    });
    const scrape = await fetch(`${control.url}/_stator/metrics`, {
      headers: { authorization: 'Bearer scrape' },
    });
    expect(scrape.status).toBe(200);
    expect(asked.map(({ principal }) => principal.kind)).toEqual(['service']);
    await control.close();
  });
});

describe('a principal', () => {
  it('is what its credential states', async () => {
    const asked: Requester[] = [];
    const arn = 'arn:aws:sts::222222222222:assumed-role/reader/session';
    const role = { name: 'session', issuer: 'arn:aws:iam::222222222222:role/reader' };
    const judged = await model.listen({
      port: 0,
      credentials: [
        {
          ...{ accessKeyId: 'role', secretAccessKey: 's', accountId: '222222222222' },
          principal: { kind: 'assumed-role', arn, session: role, tags: { team: 'red' } },
        },
        { ...{ accessKeyId: 'root', secretAccessKey: 's' }, principal: { kind: 'root' } },
      ],
      authorize: (intent, requester) => {
        asked.push(requester);
        return accessDenied(intent, requester, 'no identity-based policy allows');
      },
    });
    const replies: string[] = [];
    for (const key of ['role', 'root', 'AKIA']) {
      const { host: _, ...headers } = jsonHeaders({}, 'DynamoDB_20120810', 'ListTables');
      const authorization = headers.authorization.replace(accessKeyOf({}), key);
      const request = { method: 'POST', headers: { ...headers, authorization }, body: '{}' };
      replies.push(await (await fetch(judged.url, request)).text());
    }
    await fetch(`${judged.url}/_stator/tables`);
    expect(asked.map(({ principal }) => principal)).toEqual([
      { kind: 'assumed-role', account: '222222222222', arn, session: role, tags: { team: 'red' } },
      { kind: 'root', account: '000000000000', arn: 'arn:aws:iam::000000000000:root', tags: {} },
      { kind: 'user', account: '000000000000', arn: 'arn:aws:iam::000000000000:user/AKIA', tags: {} },
      expect.objectContaining({ kind: 'anonymous' }),
    ]);
    expect(replies[0]).toContain(`User: ${arn} is not authorized`);
    await judged.close();
  });
});

describe('the methods of a database that are no operations', () => {
  /** Those that belong to the program, which has opened the database: they take no request from anywhere. */
  const programs = [
    ...[
      'authorize',
      'clock',
      'close',
      'constructor',
      'engine',
      'faults',
      'fork',
      'isForkable',
      'listen',
      'log',
    ],
    ...['logFailure', 'monitoring', 'newRequestId', 'nowMs', 'observation', 'region', 'restore', 'settled'],
    ...['check', 'kinesisRecords', 'patterns'],
    // These answer the control API, which has asked.
    ...['storedChanges', 'storedVersions'],
    // These are the doors above.
    ...['client', 'clientConfig', 'documentClient', 'requests', 'streamsClient', 'call'],
  ];
  const asking: Readonly<Record<string, (db: Stator) => unknown>> = {
    at: (one) => one.at(Date.now()).scan({ TableName: 'things' }),
    changes: (one) => one.changes('things', { from: 0 }).next(),
    versions: (one) => one.versions('things', { pk: { S: 'secret' } }),
    explain: (one) => one.explain('SELECT * FROM things'),
    follow: (one) => one.follow('things').next(),
    physics: (one) => one.physics('things'),
  };

  it('ask, or belong to the program', async () => {
    const operations = Object.values(allOperations).flatMap((all) => Object.keys(all));
    const methods: string[] = [];
    for (let at: object = Stator.prototype; at !== Object.prototype; at = Object.getPrototypeOf(at))
      methods.push(...Object.getOwnPropertyNames(at));
    const unknown = [...new Set(methods)].filter(
      (name) => ![...operations, ...programs, ...Object.keys(asking)].includes(name),
    );
    expect(unknown).toEqual([]);
    own = { all: true };
    for (const [name, call] of Object.entries(asking))
      await expect(
        Promise.resolve().then(() => call(db)),
        name,
      ).rejects.toThrow(denies('[\\w:]+'));
    const view = db.at(Date.now());
    expect(view).toBeInstanceOf(PastView);
    await expect(view.json('Scan', { TableName: 'things' })).rejects.toThrow(denies('dynamodb:Scan'));
    own = {};
  });
});

async function state(): Promise<object> {
  own = {};
  return {
    tables: await db.listTables({}),
    table: await db.describeTable({ TableName: 'things' }),
    items: await db.scan({ TableName: 'things' }),
    backups: await db.listBackups({}),
    tags: await db.listTagsOfResource({
      ResourceArn: `arn:aws:dynamodb:us-east-1:000000000000:table/things`,
    }),
    alarms: db.monitoring === undefined,
  };
}
