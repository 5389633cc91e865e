import { createRequire } from 'node:module';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import {
  type SpanAttributes,
  spanError,
  type Tracer,
  type TracingApi,
} from '../../src/observe/tracing/tracing-api.ts';

/** OpenTelemetry's own API and tracer, as a program has them; loaded late, because Stator does without them. */
const require = createRequire(import.meta.url);

interface FinishedSpan {
  readonly name: string;
  readonly kind: number;
  readonly attributes: SpanAttributes;
  readonly status: { readonly code: number; readonly message?: string };
  readonly parentSpanContext?: {
    readonly spanId: string;
    readonly traceId: string;
    readonly isRemote?: boolean;
  };
  readonly events: readonly { readonly name: string }[];
  readonly startTime: readonly [number, number];
  readonly endTime: readonly [number, number];
  spanContext(): { readonly traceId: string; readonly spanId: string };
}

type Program = Tracer & { startActiveSpan<R>(name: string, run: (span: ActiveSpan) => R): R };

interface FullApi extends TracingApi {
  readonly trace: TracingApi['trace'] & {
    setGlobalTracerProvider(provider: object): boolean;
    disable(): void;
  };
  readonly context: TracingApi['context'] & {
    setGlobalContextManager(manager: object): boolean;
    disable(): void;
  };
  readonly propagation: TracingApi['propagation'] & {
    setGlobalPropagator(propagator: object): boolean;
    disable(): void;
  };
}

interface ActiveSpan {
  end(): void;
  spanContext(): { readonly traceId: string; readonly spanId: string };
}

const api = require('@opentelemetry/api') as FullApi;
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } =
  require('@opentelemetry/sdk-trace-base') as {
    BasicTracerProvider: new (options: { spanProcessors: object[] }) => object;
    InMemorySpanExporter: new () => { getFinishedSpans(): FinishedSpan[]; reset(): void };
    SimpleSpanProcessor: new (exporter: object) => object;
  };
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks') as {
  AsyncLocalStorageContextManager: new () => { enable(): object };
};
const { W3CTraceContextPropagator } = require('@opentelemetry/core') as {
  W3CTraceContextPropagator: new () => object;
};

const exporter = new InMemorySpanExporter();
const TableName = 'orders';
const [internal, server] = [0, 1];
let db: Stator;

beforeAll(() => {
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});

afterAll(() => {
  api.trace.disable();
  api.context.disable();
  api.propagation.disable();
});

beforeEach(async () => {
  db = Stator.inMemory({ tracing: true });
  await makeTable(db);
  exporter.reset();
});

afterEach(async () => {
  await db.close();
});

async function makeTable(on: Stator): Promise<void> {
  await on.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [
      { AttributeName: 'id', AttributeType: 'S' },
      { AttributeName: 'state', AttributeType: 'S' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-state',
        KeySchema: [{ AttributeName: 'state', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  });
}

const spans = () => exporter.getFinishedSpans();

describe('tracing', () => {
  it('makes a span of each request with the conventions of databases', async () => {
    await db.putItem({ TableName, Item: { id: { S: '1' }, state: { S: 'open' } } });
    await db.query({
      TableName,
      IndexName: 'by-state',
      KeyConditionExpression: '#s = :s',
      ExpressionAttributeNames: { '#s': 'state' },
      ExpressionAttributeValues: { ':s': { S: 'open' } },
      Limit: 5,
    });
    const [put, query] = spans();
    expect(put).toMatchObject({ name: 'PutItem orders', kind: internal, status: { code: 0 } });
    expect(put!.attributes).toMatchObject({
      'db.system.name': 'aws.dynamodb',
      'db.operation.name': 'PutItem',
      'db.collection.name': 'orders',
      'aws.dynamodb.table_names': ['orders'],
      'cloud.region': 'us-east-1',
      'cloud.account.id': '000000000000',
      'stator.pattern': 'PutItem orders',
    });
    expect(put!.attributes['aws.request_id']).toMatch(/^[0-9A-V]{52}$/);
    expect(
      (put!.attributes['aws.dynamodb.consumed_capacity'] as string[]).map((text) => JSON.parse(text)),
    ).toEqual([
      {
        TableName,
        CapacityUnits: 2,
        WriteCapacityUnits: 2,
        Indexes: { 'by-state': { CapacityUnits: 1 } },
      },
    ]);
    expect(query!.attributes).toMatchObject({
      'aws.dynamodb.index_name': 'by-state',
      'aws.dynamodb.limit': 5,
      'aws.dynamodb.count': 1,
      'db.response.returned_rows': 1,
      'stator.pattern': 'Query orders/by-state where state = ?',
    });
    const ms = ([seconds, nanos]: readonly [number, number]) => seconds * 1_000 + nanos / 1e6;
    expect(ms(query!.endTime)).toBeGreaterThanOrEqual(ms(query!.startTime));
    // No value of an item stands in a span.
    expect(JSON.stringify(spans().map(({ attributes }) => attributes))).not.toContain('open');
  });

  it('has the span that is active as the parent, over waits too', async () => {
    const tracer = api.trace.getTracer('program') as Program;
    const parent = await tracer.startActiveSpan('checkout', async (span) => {
      await Promise.all([
        db.getItem({ TableName, Key: { id: { S: '1' } } }),
        db.client().send(new GetItemCommand({ TableName, Key: { id: { S: '2' } } })),
      ]);
      span.end();
      return span.spanContext();
    });
    await db.getItem({ TableName, Key: { id: { S: '1' } } });
    const gets = spans().filter(({ name }) => name === 'GetItem orders');
    expect(gets.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
      parent.spanId,
      parent.spanId,
      undefined,
    ]);
    expect(gets[0]!.spanContext().traceId).toBe(parent.traceId);
  });

  it('continues the trace of an HTTP request, and not that of whoever began to listen', async () => {
    const tracer = api.trace.getTracer('program') as Program;
    const { url } = await tracer.startActiveSpan('start', async (span) => {
      const listening = await db.listen({ port: 0 });
      span.end();
      return listening;
    });
    const client = new DynamoDBClient({
      endpoint: url,
      region: 'eu-central-1',
      credentials: { accessKeyId: '123456789012', secretAccessKey: 'anything' },
      maxAttempts: 1,
    });
    const headers: Record<string, string> = {};
    client.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { headers: Record<string, string> }).headers, headers);
        return next(args);
      },
      { step: 'build' },
    );
    const get = () => client.send(new GetItemCommand({ TableName, Key: { id: { S: '1' } } })).catch(() => {});
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await get();
    headers.traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    headers['x-stator-pattern'] = 'get order by id';
    await get();
    headers.traceparent = 'nonsense';
    await get();
    // The caller did not sample: no span is recorded, and the request is answered.
    headers.traceparent = `00-${traceId}-b7ad6b7169203331-00`;
    await get();
    client.destroy();
    const found = spans().filter(({ attributes }) => attributes['db.operation.name'] === 'GetItem');
    expect(found.map(({ name, kind, parentSpanContext }) => [name, kind, parentSpanContext?.spanId])).toEqual(
      [
        ['GetItem', server, undefined],
        ['get order by id', server, 'b7ad6b7169203331'],
        ['get order by id', server, undefined],
      ],
    );
    expect(found[1]!.spanContext().traceId).toBe(traceId);
    expect(found[1]!.attributes).toMatchObject({
      'db.query.summary': 'get order by id',
      'stator.pattern': 'get order by id',
      'cloud.account.id': '123456789012',
      'cloud.region': 'eu-central-1',
      'error.type': 'ResourceNotFoundException',
    });
  });

  it('tells errors from failed conditions', async () => {
    await db.putItem({ TableName, Item: { id: { S: '1' } } });
    exporter.reset();
    const isNew = { ConditionExpression: 'attribute_not_exists(id)' };
    const failing = [
      db.putItem({ TableName, Item: { id: { S: '1' } }, ...isNew }),
      db.transactWriteItems({
        TransactItems: [
          { Put: { TableName, Item: { id: { S: '1' } }, ...isNew } },
          { Put: { TableName, Item: { id: { S: '2' } } } },
        ],
      }),
      db.getItem({ TableName: 'missing', Key: { id: { S: '1' } } }),
      db.getItem({ TableName, Key: { wrong: { S: '1' } } }),
    ];
    await Promise.allSettled(failing);
    expect(
      spans().map(({ name, status, attributes }) => [
        name,
        status.code,
        attributes['db.response.status_code'],
        attributes['error.type'],
      ]),
    ).toEqual([
      ['PutItem orders', 0, 'ConditionalCheckFailedException', undefined],
      ['TransactWriteItems orders', 0, 'TransactionCanceledException', undefined],
      ['GetItem', spanError, 'ResourceNotFoundException', 'ResourceNotFoundException'],
      ['GetItem', spanError, 'ValidationException', 'ValidationException'],
    ]);
    expect(spans()[1]!.attributes['db.operation.batch.size']).toBe(2);
    expect(spans()[2]!.attributes['aws.dynamodb.table_names']).toEqual(['missing']);
    expect(spans()[2]!.status.message).toContain('Requested resource not found');
  });

  it('marks injected faults', async () => {
    db.faults.add({ operation: 'GetItem', error: 'InternalServerError' });
    await db.getItem({ TableName, Key: { id: { S: '1' } } }).catch(() => {});
    expect(spans()[0]).toMatchObject({
      status: { code: spanError },
      attributes: { 'stator.injected_fault': true, 'error.type': 'InternalServerError' },
    });
  });

  it('stands beside metrics and an observer of the program', async () => {
    const seen: string[] = [];
    const observer = { request: ({ operation }: { operation: string }) => void seen.push(operation) };
    for (const observe of [true, false]) {
      const both = Stator.inMemory({ tracing: api, observe, observer });
      await makeTable(both);
      await both.close();
    }
    expect(seen).toEqual(['CreateTable', 'CreateTable']);
    expect(spans().map(({ name }) => name)).toEqual(['CreateTable orders', 'CreateTable orders']);
  });

  it('costs nothing unless it is asked for, and no request fails by it', async () => {
    const plain = Stator.inMemory();
    expect(plain.engine.observer).toBeUndefined();
    await plain.close();
    const lines: string[] = [];
    const broken: TracingApi = {
      ...api,
      trace: {
        ...api.trace,
        getTracer: () => ({
          startSpan: () => {
            throw new Error('no exporter');
          },
        }),
        getSpan: () => undefined,
      },
    };
    const hindered = Stator.inMemory({ tracing: broken, log: (line) => lines.push(line) });
    await makeTable(hindered);
    await hindered.getItem({ TableName, Key: { id: { S: '1' } } });
    await hindered.close();
    expect(lines).toEqual(['OpenTelemetry made no span: Error: no exporter']);
    expect(() => Stator.inMemory({ tracing: 'yes' as never })).toThrow(
      'Stator.inMemory: tracing must be true, false or the module @opentelemetry/api, and not "yes"',
    );
  });
});
