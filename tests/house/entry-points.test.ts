import { describe, expect, it } from 'vitest';
import { awsApis } from '../../src/aws-apis.ts';
import { controlResources } from '../../src/control/control-api.ts';
import { Engine } from '../../src/engine/engine.ts';
import { processCaller } from '../../src/engine/process-caller.ts';
import { newHash16 } from '../../src/hash16.ts';
import { VirtualClock } from '../../src/index.ts';
import type { Intent } from '../../src/model/access/intent.ts';
import { DynamoError } from '../../src/model/errors.ts';
import type { Monitoring } from '../../src/monitoring.ts';
import allOperations from '../../src/operations/all-operations.ts';
import { realRuntime } from '../../src/runtime/machine/runtime-of.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { doorRequests } from '../doors/door-requests.ts';
import { type EntryKind, entryPointsOf } from './entry-points.ts';
import { filesUnder, isOfTests, textOf } from './source-files.ts';

/**
 * Every place in `src` that lets a request in, with the reason why it asks, or need not. A new one stands here before it
 * is merged, and `tests/doors/every-door.test.ts` sends requests through it.
 */
const entryPoints: Readonly<Record<EntryKind, Readonly<Record<string, string>>>> = {
  'calls operations': {
    'src/cli/init.ts': 'the operator who starts the server',
    'src/cli/init-monitoring.ts': 'the operator who starts the server, as the caller of init.ts',
    'src/control/call-here.ts': 'through the request handler of the database',
    'src/dynamodb-service.ts': 'with the caller of the request',
    'src/lab/lab-database.ts': 'the laboratory, on a database of its own',
    'src/observe/auto-scaling/table-capacity.ts': 'Application Auto Scaling, whose caller was asked',
    'src/past-view.ts': 'with the authorizer of the database',
    'src/plain/plain-call.ts': 'with the authorizer of the database',
    'src/sdk/in-process-handler.ts': 'through the request handler of the database',
    'src/wire/http-exchange.ts': 'through the request handler',
    'src/wire/request-handler.ts': 'with the caller of the request',
  },
  'makes a request handler': {
    'src/past-view.ts': 'with the authorizer of the database',
    'src/server.ts': 'with the authorizers of the database, the server and the rule about accounts',
    'src/stator.ts': 'with the authorizer of the database',
    'src/wire/http-server.ts': 'with the authorizer that the server was given',
  },
  'asks no authorizer': {
    'src/cli/init.ts': 'the operator who starts the server',
    'src/lab/lab-database.ts': 'the laboratory, on a database of its own',
    'src/observe/auto-scaling/table-capacity.ts': 'Application Auto Scaling, whose caller was asked',
  },
  'makes callers': {
    'src/cli/init.ts': 'the operator who starts the server',
    'src/engine/process-caller.ts': 'states its authorizer',
    'src/lab/lab-database.ts': 'the laboratory, on a database of its own',
    'src/observe/auto-scaling/table-capacity.ts': 'Application Auto Scaling, whose caller was asked',
    'src/past-view.ts': 'with the authorizer of the database',
    'src/plain/plain-call.ts': 'with the authorizer of the database',
    'src/wire/request-handler.ts': 'with the authorizer of the handler',
  },
  'leaves the road': {
    'src/engine/road.ts': 'defines it',
  },
  'serves a resource': Object.fromEntries(
    [
      ...['check', 'clock', 'doctor', 'explain', 'faults', 'followers', 'fork', 'health', 'import-errors'],
      ...['indexes', 'insights', 'models', 'namespaces', 'physics', 'record', 'snapshot', 'tables'],
    ]
      .map((name) => [`src/control/${name}-resource.ts`, 'asked by the control API'])
      .concat(
        ['observe', 'past'].map((name) => [`src/control/${name}-resources.ts`, 'asked by the control API']),
      ),
  ),
};

/** Resources that answer unsigned requests. They say nothing of any data. */
const unsignedResources = ['health', 'ready'];

function unlisted(files: readonly (readonly [path: string, text: string])[]): string[] {
  return files
    .flatMap(([path, text]) => entryPointsOf(path, text))
    .filter(({ path, what }) => entryPoints[what][path] === undefined)
    .map(({ path, what }) => `${path} ${what}`);
}

const sources = filesUnder('src')
  .filter((path) => path.endsWith('.ts') && !isOfTests(path))
  .map((path) => [path, textOf(path)] as const);

type Handle = (body: unknown, authorize: (intent: Intent) => DynamoError) => unknown;

/** The operations that answer although an authorizer refuses everything, or that never asked it. */
async function answering(operations: Readonly<Record<string, readonly [Handle, body: object]>>) {
  const wrong: string[] = [];
  for (const [name, [handle, body]] of Object.entries(operations)) {
    let asked = 0;
    const denied = new DynamoError('AccessDeniedException', 'planted');
    const answer = await handle(body, () => {
      asked++;
      return denied;
    });
    // A batch of statements fails in part.
    const isRefused = JSON.stringify(answer)?.includes('planted') || name === 'BatchExecuteStatement';
    if (asked === 0 || !isRefused) wrong.push(name);
  }
  return wrong;
}

function callerWith(authorize: (intent: Intent) => DynamoError) {
  return processCaller({
    ...{ accountId: '000000000000', region: 'us-east-1', accessKeyId: 'test', requestId: 'test' },
    authorize,
  });
}

describe('entry points', () => {
  it('are listed, each with the reason why it asks', () => {
    expect(unlisted(sources)).toEqual([]);
  });

  it('that are listed exist', () => {
    const found = sources
      .flatMap(([path, text]) => entryPointsOf(path, text))
      .map(({ path, what }) => `${path} ${what}`);
    const listed = Object.entries(entryPoints).flatMap(([what, paths]) =>
      Object.keys(paths).map((path) => `${path} ${what}`),
    );
    expect(listed.filter((each) => !found.includes(each))).toEqual([]);
  });

  it('are found where they are planted', () => {
    const planted = [
      ['src/sdk/short-cut.ts', 'export const read = (body) => getItem.handle(engine, body, caller);'],
      ['src/wire/back-door.ts', 'const requests = new RequestHandler({ services });'],
      ['src/observe/friend.ts', 'const caller = { ...scope, authorize: undefined };'],
      ['src/plain/guest.ts', 'class Guest implements Caller {}'],
      ['src/control/secret-resource.ts', "return {\n  path: ['secret'],\n  methods: {},\n};"],
      ['src/operations/peek.ts', 'engine.readItem(openRoad, reference, strong, keyOn);'],
      ['src/doctor/comment.ts', '// operation.handle(engine) would be wrong here, and openRoad too'],
    ] as const;
    expect(unlisted(planted)).toEqual([
      'src/sdk/short-cut.ts calls operations',
      'src/wire/back-door.ts makes a request handler',
      'src/observe/friend.ts asks no authorizer',
      'src/plain/guest.ts makes callers',
      'src/control/secret-resource.ts serves a resource',
      'src/operations/peek.ts leaves the road',
    ]);
  });

  it('of the control API state intents, and only two resources answer strangers', () => {
    const resources = controlResources(
      { base: {} } as unknown as Parameters<typeof controlResources>[0],
      {} as Parameters<typeof controlResources>[1],
    );
    for (const { path, methods, intents } of resources)
      expect(Object.keys(intents).sort(), path.join('/')).toEqual(Object.keys(methods).sort());
    const unsigned = resources.filter(({ unsigned }) => unsigned === true).map(({ path }) => path.join('/'));
    expect(unsigned).toEqual(unsignedResources);
  });
});

describe('operations', () => {
  const iterator = 'x';
  const stream = 'arn:aws:dynamodb:us-east-1:000000000000:table/things/stream/2026-01-01T00:00:00.000';
  const bodies = doorRequests({ iterator, stream, shard: 'shardId-00000000000000000000-00000000' });
  const chance = { seed: 0, generation: 0, random: { next: () => 0.5 }, words: () => 0 };
  const engine = new Engine({
    store: new MemoryStore(),
    runtime: realRuntime(new VirtualClock(1_790_000_000_000), chance),
    ...{ h16: newHash16(), physics: 'off', log: () => {} },
  });

  it('of DynamoDB and Streams ask before they answer', async () => {
    for (const [prefix, operations] of Object.entries(allOperations))
      expect(
        await answering(
          Object.fromEntries(
            Object.values(operations).map(({ name, handle }): [string, [Handle, object]] => [
              name,
              [
                (body, authorize) => handle(engine as never, body, callerWith(authorize)),
                bodies[prefix]![name]!,
              ],
            ]),
          ),
        ),
      ).toEqual([]);
  });

  it('of the other services ask before they answer', async () => {
    for (const { targetPrefix, operations } of awsApis(() => ({}) as Monitoring))
      expect(
        await answering(
          Object.fromEntries(
            [...operations].map(([name, { handle }]): [string, [Handle, object]] => [
              name,
              [(body, authorize) => handle(body, callerWith(authorize)), bodies[targetPrefix]![name]!],
            ]),
          ),
        ),
      ).toEqual([]);
  });

  it('that do not ask, or do not listen, are found where they are planted', async () => {
    expect(
      await answering({
        Silent: [() => ({ Item: 'secret' }), {}],
        Deaf: [
          (_, authorize) => {
            authorize({ action: 'x:Y', resource: '*', account: undefined });
            return { Item: 'secret' };
          },
          {},
        ],
        Honest: [(_, authorize) => authorize({ action: 'x:Y', resource: '*', account: undefined }), {}],
      }),
    ).toEqual(['Silent', 'Deaf']);
  });
});
