import { rm } from 'node:fs/promises';
import {
  ApplicationAutoScalingClient,
  DeleteScalingPolicyCommand,
  DeregisterScalableTargetCommand,
  PutScalingPolicyCommand,
  PutScheduledActionCommand,
  RegisterScalableTargetCommand,
} from '@aws-sdk/client-application-auto-scaling';
import {
  CloudWatchClient,
  DeleteAlarmsCommand,
  DisableAlarmActionsCommand,
  PutMetricAlarmCommand,
} from '@aws-sdk/client-cloudwatch';
import { afterEach, describe, expect, it } from 'vitest';
import { alarmKind, scalingKind } from '../../src/engine/store-keys.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { decodeUtf8 } from '../../src/model/values/utf8.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Store, Unit } from '../../src/storage/store.ts';
import { newDirectory } from '../storage/directories.ts';
import { FaultyStore, refuse } from '../storage/faulty-store.ts';
import type { Call } from '../storage/intercepted-store.ts';

const TableName = 'orders';
const target = {
  ServiceNamespace: 'dynamodb',
  ResourceId: `table/${TableName}`,
  ScalableDimension: 'dynamodb:table:WriteCapacityUnits',
} as const;
const policy = (TargetValue: number) =>
  new PutScalingPolicyCommand({
    ...{ ...target, PolicyName: 'writes', PolicyType: 'TargetTrackingScaling' },
    TargetTrackingScalingPolicyConfiguration: {
      TargetValue,
      PredefinedMetricSpecification: { PredefinedMetricType: 'DynamoDBWriteCapacityUtilization' },
    },
  });
const alarm = (AlarmName: string) =>
  new PutMetricAlarmCommand({
    ...{ AlarmName, Namespace: 'App', MetricName: 'queue', Statistic: 'Average', Period: 60 },
    ...{ EvaluationPeriods: 1, ComparisonOperator: 'LessThanThreshold', Threshold: 10 },
  });

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function open(store: NonNullable<Parameters<typeof Stator.open>[0]>['store']) {
  const clock = new VirtualClock(Date.parse('2026-03-03T00:00:00Z'));
  const log: string[] = [];
  const db = await Stator.open({ store: store!, clock, observe: true, log: (line) => log.push(line) });
  const config = {
    ...{ endpoint: (await db.listen({ port: 0 })).url, region: 'us-east-1', maxAttempts: 1 },
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
  };
  const scaling = new ApplicationAutoScalingClient(config);
  const cloudWatch = new CloudWatchClient(config);
  const close = async () => {
    for (const client of [scaling, cloudWatch]) client.destroy();
    await db.close();
  };
  cleanUps.push(close);
  return { db, scaling, cloudWatch, log, close };
}

async function begin({ db, scaling }: Awaited<ReturnType<typeof open>>): Promise<void> {
  await db.createTable({
    TableName,
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 100 },
  });
  await scaling.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: 1, MaxCapacity: 200 }));
}

/** Everything that scales and all alarms, without their histories. */
async function stored(store: Store) {
  const rows = async (kind: number) => {
    const { entries } = await store.range({
      ...{ from: Uint8Array.of(kind), to: Uint8Array.of(kind + 1) },
      limit: 1_000,
    });
    return entries.map(({ value }) => JSON.parse(decodeUtf8(value)) as Row);
  };
  const scaling = await rows(scalingKind);
  const alarms = await rows(alarmKind);
  return { scaling, alarms };
}
interface Row {
  readonly name?: string;
  readonly settings?: { readonly actionsEnabled: boolean };
  readonly alarms?: readonly { readonly name: string }[];
  readonly tracking?: { readonly TargetValue: number };
}

type Opened = Awaited<ReturnType<typeof open>>;
const operations: [name: string, run: (opened: Opened) => Promise<unknown>][] = [
  ['PutScalingPolicy again', ({ scaling }) => scaling.send(policy(70))],
  [
    'DeleteScalingPolicy',
    ({ scaling }) => scaling.send(new DeleteScalingPolicyCommand({ ...target, PolicyName: 'writes' })),
  ],
  [
    'DeregisterScalableTarget',
    ({ scaling }) => scaling.send(new DeregisterScalableTargetCommand({ ...target })),
  ],
  [
    'DeleteAlarms',
    ({ cloudWatch }) => cloudWatch.send(new DeleteAlarmsCommand({ AlarmNames: ['one', 'two', 'two'] })),
  ],
  [
    'DisableAlarmActions',
    ({ cloudWatch }) => cloudWatch.send(new DisableAlarmActionsCommand({ AlarmNames: ['one', 'two'] })),
  ],
];

describe('a process that dies between two commits', () => {
  /** Refuses all units that touch alarms or scaling, from the n-th on. */
  const dying = () => {
    const memory = new MemoryStore();
    let left = Number.POSITIVE_INFINITY;
    const isMeant = ({ args }: Call) =>
      (args[0] as Unit<unknown>).reads.some((key) => key[0] === alarmKind || key[0] === scalingKind) &&
      left-- <= 0;
    const store = new FaultyStore(memory, [
      { method: 'transact', where: isMeant, effect: refuse('unavailable') },
    ]);
    return {
      memory,
      store,
      dieAfter: (commits: number) => {
        left = commits;
      },
    };
  };

  it.each([0, 1, 2, 3, 4])('leaves no alarm without its policy, after %i commits', async (commits) => {
    const { memory, store, dieAfter } = dying();
    const opened = await open(store);
    await begin(opened);
    await opened.db.settled();
    dieAfter(commits);
    const isDone = await opened.scaling.send(policy(50)).then(
      () => true,
      () => false,
    );
    const { scaling, alarms } = await stored(memory);
    const names = scaling.flatMap(({ alarms: its = [] }) => its.map(({ name }) => name)).sort();
    expect(alarms.map(({ name }) => name!).sort()).toEqual(names);
    expect(names).toHaveLength(isDone ? 4 : 0);
    expect(isDone).toBe(commits > 0);
    dieAfter(Number.POSITIVE_INFINITY);
  });

  for (const [name, run] of operations)
    it(`has all of ${name} or nothing`, async () => {
      for (const commits of [0, 1]) {
        const { memory, store, dieAfter } = dying();
        const opened = await open(store);
        await begin(opened);
        await opened.scaling.send(policy(50));
        await opened.scaling.send(
          new PutScheduledActionCommand({
            ...{ ...target, ScheduledActionName: 'nightly', Schedule: 'cron(0 3 * * ? *)' },
            ScalableTargetAction: { MinCapacity: 2, MaxCapacity: 20 },
          }),
        );
        for (const each of ['one', 'two']) await opened.cloudWatch.send(alarm(each));
        await opened.db.settled();
        const before = await stored(memory);
        expect(before.scaling).toHaveLength(3);
        expect(before.alarms).toHaveLength(6);
        dieAfter(commits);
        const isDone = await run(opened).then(
          () => true,
          () => false,
        );
        const after = await stored(memory);
        expect(isDone).toBe(commits > 0);
        if (isDone) expect(after).not.toEqual(before);
        else expect(after).toEqual(before);
        dieAfter(Number.POSITIVE_INFINITY);
      }
    });
});

it('mends policies without alarms and alarms without a policy when it starts', async () => {
  const directory = await newDirectory();
  cleanUps.push(() => rm(directory, { recursive: true, force: true }));
  const store = { directory, durability: 'relaxed' } as const;
  const first = await open(store);
  await begin(first);
  await first.scaling.send(policy(50));
  await first.scaling.send(
    new PutScalingPolicyCommand({
      ...{ ...target, PolicyName: 'steps', PolicyType: 'StepScaling' },
      StepScalingPolicyConfiguration: {
        AdjustmentType: 'ChangeInCapacity',
        StepAdjustments: [{ MetricIntervalUpperBound: 0, ScalingAdjustment: -10 }],
      },
    }),
  );
  await first.cloudWatch.send(alarm('mine'));
  await first.db.settled();
  const whole = await stored(first.db.engine.store);
  // As a process left it that was killed after it had deleted two of four alarms, and made one for a policy that never was.
  const { entries } = await first.db.engine.store.range({
    ...{ from: Uint8Array.of(alarmKind), to: Uint8Array.of(alarmKind + 1) },
    limit: 10,
  });
  const made = entries.filter(({ value }) => decodeUtf8(value).includes('TargetTracking-'));
  const lost = decodeUtf8(made[0]!.value)
    .replaceAll('policyName/writes', 'policyName/lost')
    .replace(/"name":"[^"]*"/, (name) => `${name.slice(0, -2)}z"`);
  await first.db.engine.store.transact({
    reads: [],
    decide: () => ({
      result: undefined,
      mutations: [
        ...made.slice(0, 2).map(({ key }) => ({ kind: 'delete', key }) as const),
        {
          kind: 'put',
          key: Uint8Array.from([...made[0]!.key.subarray(0, -1), 0x7a]),
          value: new TextEncoder().encode(lost),
        },
      ],
    }),
  });
  await first.close();

  const second = await open(store);
  await second.db.settled();
  const mended = await stored(second.db.engine.store);
  const names = mended.scaling.flatMap(({ alarms = [] }) => alarms.map(({ name }) => name));
  expect(names).toHaveLength(4);
  expect(mended.alarms.map(({ name }) => name!).sort()).toEqual([...names, 'mine'].sort());
  expect(mended.scaling).toHaveLength(whole.scaling.length);
  expect(second.log.filter((line) => line.startsWith('Auto scaling'))).toHaveLength(2);
});
