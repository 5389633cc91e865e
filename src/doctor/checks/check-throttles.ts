import type { ToldVerdict } from '../../engine/capacity/physics-report.ts';
import { capacityLimits } from '../../model/limits.ts';
import { type Finding, finding, type Told } from '../finding.ts';
import {
  aws,
  counted,
  listed,
  metricCommand,
  number,
  percent,
  quoted,
  span as spanOf,
  stator,
  time,
} from '../phrases.ts';
import type { Context, TableView } from '../table-view.ts';
import { backfillOf } from './backfill.ts';
import { hottestKey } from './hottest-key.ts';
import { type Kind, type Throttled, throttledArm } from './throttled-arm.ts';

const partitionUnits: Readonly<Record<Kind, number>> = {
  Read: capacityLimits.partitionReadUnitsPerSecondMax,
  Write: capacityLimits.partitionWriteUnitsPerSecondMax,
};

/** Throttled requests, told apart by what was exceeded: a partition, an index, a table, a limit, or time to scale. */
export function checkThrottles(view: TableView, context: Context): Finding[] {
  const found: Finding[] = [];
  for (const arm of view.arms)
    for (const kind of ['Read', 'Write'] as const) {
      const throttled = throttledArm(view, arm, kind, context);
      if (throttled !== undefined) found.push(...judge(throttled, context));
    }
  return found;
}

function judge(throttled: Throttled, context: Context): Finding[] {
  const { byCause, arm, kind } = throttled;
  const found: Finding[] = [];
  if (byCause.KeyRangeThroughput > 0) {
    const ofPartitions = throttled.verdicts.filter(({ cause }) => cause === 'KeyRangeThroughputExceeded');
    const hot = ofPartitions.find(({ keyAsked, allowed }) => keyAsked > allowed);
    const cold = ofPartitions.find(({ keyAsked, allowed }) => keyAsked <= allowed);
    if (hot !== undefined || cold === undefined) found.push(hotPartition(throttled, hot, context));
    if (cold !== undefined && (hot === undefined || cold.count >= hot.count / 4))
      found.push(coldTable(throttled, cold, context));
  }
  if (byCause.ProvisionedThroughput > 0) {
    const backfill = backfillOf(throttled, context);
    const ramp = rampOf(throttled);
    if (backfill !== undefined) found.push(backfillFinding(throttled, backfill, context));
    else if (arm.index !== undefined && kind === 'Write') found.push(indexFinding(throttled, context));
    else if (ramp !== undefined) found.push(rampFinding(throttled, ramp, context));
    else found.push(underProvisioned(throttled, context));
  }
  if (byCause.AccountLimit + byCause.MaxOnDemandThroughput > 0) found.push(limitFinding(throttled, context));
  return found;
}

/** What all findings about throttles share: on AWS they would be errors, in shadow nobody was refused. */
function told(throttled: Throttled, own: Omit<Told, 'index'>): Told {
  const { arm, enforced } = throttled;
  return { ...(enforced === 0 && { severity: 'warning' as const }), index: arm.index, ...own };
}

/** `count`: the events of one cause, where there are several. */
function howMany({ events, enforced, kind, minutes }: Throttled, count = events): string {
  const were = enforced === 0 ? 'would have been' : count === 1 ? 'was' : 'were';
  const what = `${counted(count, kind.toLowerCase())} ${were} throttled${enforced > 0 ? '' : ' on AWS'}`;
  const [first, last] = [minutes[0], minutes.at(-1)];
  if (first === undefined || last === undefined) return what;
  const peak = minutes.reduce((most, one) => (one.value > most.value ? one : most));
  const span =
    first === last ? `at ${time(first.atMs)}` : `between ${time(first.atMs)} and ${time(last.atMs)}`;
  return first === last || count < events
    ? `${what} ${span}`
    : `${what} ${span}, most of them (${number(peak.value)}) at ${time(peak.atMs)}`;
}

function throttleMetric({ view, arm, kind }: Throttled, { endpoint, metrics, nowMs }: Context): string {
  return metricCommand(
    endpoint,
    `${kind}ThrottleEvents`,
    { TableName: view.name, GlobalSecondaryIndexName: arm.index },
    metrics.fromMs,
    nowMs,
  );
}

function useText({ use, provisioned, kind, arm }: Throttled): string[] {
  if (use === undefined || provisioned === undefined) return [];
  const units = kind.toLowerCase();
  return [
    `${arm.name} used ${percent(use)} of its ${counted(provisioned, `provisioned ${units} unit`)} a second in the busiest throttled minute${use > 1 ? ', burst included' : ''}`,
  ];
}

/** `worst`: the verdict on the key; absent where nobody judges. */
function hotPartition(throttled: Throttled, worst: ToldVerdict | undefined, context: Context): Finding {
  const { view, arm, kind } = throttled;
  const { endpoint } = context;
  const hottest = hottestKey(throttled);
  const limit = partitionUnits[kind];
  const units = kind.toLowerCase();
  const asked = worst?.keyAsked;
  const shards = Math.max(2, Math.ceil((asked ?? 2 * limit) / limit));
  const key = worst?.key ?? hottest?.key;
  const who = key ?? 'one partition key';
  const room =
    worst !== undefined && worst.capacity > 0
      ? [
          `${arm.name} as a whole used ${percent(worst.granted / worst.capacity)} of the ${number(worst.capacity)} ${units} units a second it could give`,
        ]
      : useText(throttled);
  const place = arm.index === undefined ? '' : ` of the index ${arm.index}`;
  return finding(
    'hot-partition',
    view.name,
    told(throttled, {
      key,
      symptom: `Requests to ${arm.name} are throttled although the ${arm.index === undefined ? 'table' : 'index'} has room.`,
      cause: `Hot partition: ${who}${place} asks for more than the ${number(limit)} ${units} units a second that a partition gives. No setting of the table helps a single key.`,
      evidence: [
        `${howMany(throttled, throttled.byCause.KeyRangeThroughput)}, because of a partition's limit`,
        ...(worst === undefined || asked === undefined
          ? []
          : [
              `${who} asked for ${number(asked)} ${units} units a second ${spanOf(worst.firstMs, worst.lastMs)}; a partition gives ${number(worst.allowed)}`,
            ]),
        ...otherHotKeys(throttled, worst),
        ...(hottest === undefined ? [] : [hottest.evidence]),
        ...room,
      ],
      confirm:
        endpoint.stator === undefined || worst === undefined
          ? aws(
              ...([endpoint, 'dynamodb'] as const),
              `describe-contributor-insights --table-name ${quoted(view.name)}${arm.index === undefined ? '' : ` --index-name ${quoted(arm.index)}`}`,
            )
          : stator(endpoint, `physics ${quoted(view.name)}`),
      fix:
        kind === 'Write'
          ? `Shard the key into ${shards} or more: write to ${who}#0 … ${who}#${shards - 1} by a calculated suffix, read all of them and merge. In a model: give the entity's key a shard count.`
          : `Cache what ${who} is read for, or copy it under ${shards} or more keys and read one of them at random.`,
      command: 'stator design check <model>',
    }),
  );
}

/** The other keys that asked for more than a partition gives, each at its worst. */
function otherHotKeys({ verdicts, kind }: Throttled, worst: ToldVerdict | undefined): string[] {
  const asked = new Map<string, number>();
  for (const { cause, key, keyAsked, allowed } of verdicts)
    if (
      cause === 'KeyRangeThroughputExceeded' &&
      keyAsked > allowed &&
      key !== undefined &&
      key !== worst?.key
    )
      asked.set(key, Math.max(asked.get(key) ?? 0, keyAsked));
  if (asked.size === 0) return [];
  const keys = [...asked].sort(([, a], [, b]) => b - a).map(([key, units]) => `${key} for ${number(units)}`);
  return [
    `Other keys asked for more than that too, in ${kind.toLowerCase()} units a second: ${listed(keys)}`,
  ];
}

/** A partition is full although no key alone fills it: the table has too few partitions for the traffic yet. */
function coldTable(throttled: Throttled, worst: ToldVerdict, context: Context): Finding {
  const { view, arm, kind } = throttled;
  const units = kind.toLowerCase();
  return finding(
    'ramp-outruns-scaling',
    view.name,
    told(throttled, {
      key: worst.key,
      symptom: `${worst.exception} on ${arm.name} while the traffic rises.`,
      cause: `The traffic passed what ${arm.name} is warmed for: several keys share each of its ${counted(worst.partitions, 'partition')}, and DynamoDB splits a busy partition only after minutes.`,
      evidence: [
        howMany(throttled, throttled.byCause.KeyRangeThroughput),
        `Partition ${worst.partitionId} of ${worst.partitions} was asked for ${number(worst.asked)} ${units} units a second and gives ${number(worst.allowed)}; its largest key, ${worst.key ?? 'unknown'}, asked for ${number(worst.keyAsked)}`,
      ],
      confirm: throttleMetric(throttled, context),
      fix: 'Warm the table before the traffic comes, let clients retry with jitter, and ramp up over minutes.',
      command: aws(
        ...([context.endpoint, 'dynamodb'] as const),
        `update-table --table-name ${quoted(view.name)} ${warmFlags(throttled, worst.asked * worst.partitions)}`,
      ),
    }),
  );
}

/** Warm throughput can only be raised: the other direction keeps what it has. */
function warmFlags({ view: { description }, arm: { index }, kind }: Throttled, units: number): string {
  const of = description.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index) ?? description;
  const has = of.WarmThroughput ?? {};
  const wanted = (own: Kind) => (own === kind ? Math.ceil(units / 1_000) * 1_000 : 0);
  const ReadUnitsPerSecond = Math.max(12_000, has.ReadUnitsPerSecond ?? 0, wanted('Read'));
  const WriteUnitsPerSecond = Math.max(4_000, has.WriteUnitsPerSecond ?? 0, wanted('Write'));
  if (index === undefined)
    return `--warm-throughput ReadUnitsPerSecond=${ReadUnitsPerSecond},WriteUnitsPerSecond=${WriteUnitsPerSecond}`;
  const update = { IndexName: index, WarmThroughput: { ReadUnitsPerSecond, WriteUnitsPerSecond } };
  return `--global-secondary-index-updates ${quoted(JSON.stringify([{ Update: update }]))}`;
}

interface Ramp {
  readonly before: number;
  readonly atMs: number;
  readonly asked: number;
}

/** Traffic that at least doubled, from what fitted to what did not, when the throttles began. */
function rampOf({ minutes, consumed, provisioned }: Throttled): Ramp | undefined {
  const first = minutes[0];
  if (first === undefined || provisioned === undefined) return undefined;
  const earlier = consumed.filter(({ atMs }) => atMs < first.atMs).slice(-10);
  if (earlier.length === 0) return undefined;
  const before = earlier.reduce((sum, { value }) => sum + value, 0) / earlier.length / 60;
  const peak = minutes.reduce((most, { atMs, value }) => {
    const used = consumed.find((point) => point.atMs === atMs)?.value ?? 0;
    return Math.max(most, (used + value) / 60);
  }, 0);
  return peak >= 2 * before && before < provisioned ? { before, atMs: first.atMs, asked: peak } : undefined;
}

function rampFinding(throttled: Throttled, { before, atMs, asked }: Ramp, context: Context): Finding {
  const { view, arm, kind, provisioned } = throttled;
  const units = kind.toLowerCase();
  const isScaled = view.scaled?.has(
    arm.index === undefined
      ? `table/${view.name} dynamodb:table:${kind}CapacityUnits`
      : `table/${view.name}/index/${arm.index} dynamodb:index:${kind}CapacityUnits`,
  );
  return finding(
    'ramp-outruns-scaling',
    view.name,
    told(throttled, {
      symptom: `ProvisionedThroughputExceededException on ${arm.name} in a burst at the peak.`,
      cause:
        isScaled === true
          ? 'The traffic rose faster than auto scaling can follow: it reacts after two minutes above its target.'
          : 'The traffic rose faster than the provisioned throughput, which nothing raises by itself.',
      evidence: [
        howMany(throttled, throttled.byCause.ProvisionedThroughput),
        `${arm.name} used ${number(before)} ${units} units a second until ${time(atMs)}, then was asked for ${number(asked)}; ${number(provisioned ?? 0)} are provisioned`,
      ],
      confirm: throttleMetric(throttled, context),
      fix: 'Switch spiky traffic to on-demand, or raise the throughput before a peak that is known (a scheduled action of auto scaling).',
      command: aws(
        ...([context.endpoint, 'dynamodb'] as const),
        `update-table --table-name ${quoted(view.name)} --billing-mode PAY_PER_REQUEST`,
      ),
    }),
  );
}

function underProvisioned(throttled: Throttled, context: Context): Finding {
  const { view, arm, kind, provisioned = 0 } = throttled;
  const asked = Math.max(
    ...throttled.minutes.map(({ atMs, value }) => {
      const used = throttled.consumed.find((point) => point.atMs === atMs)?.value ?? 0;
      return (used + value) / 60;
    }),
    ...throttled.verdicts.map((verdict) => verdict.asked),
  );
  const units = kind.toLowerCase();
  const wanted = Math.ceil(asked / 0.7);
  const other = kind === 'Read' ? (arm.provisioned?.write ?? 1) : (arm.provisioned?.read ?? 1);
  const throughput = `ReadCapacityUnits=${kind === 'Read' ? wanted : other},WriteCapacityUnits=${kind === 'Write' ? wanted : other}`;
  return finding(
    'under-provisioned',
    view.name,
    told(throttled, {
      symptom: `ProvisionedThroughputExceededException on ${arm.name} all the time.`,
      cause: `${arm.name} as a whole is asked for more than its ${counted(provisioned, `provisioned ${units} unit`)} a second. No single key is to blame.`,
      evidence: [
        howMany(throttled, throttled.byCause.ProvisionedThroughput),
        ...useText(throttled),
        `${number(asked)} ${units} units a second were asked for at the worst`,
      ],
      confirm: throttleMetric(throttled, context),
      fix: `Provision ${number(wanted)} ${units} units (70 % of which the traffic uses), let auto scaling move them, or switch to on-demand.`,
      command: aws(
        ...([context.endpoint, 'dynamodb'] as const),
        arm.index === undefined
          ? `update-table --table-name ${quoted(view.name)} --provisioned-throughput ${throughput}`
          : `update-table --table-name ${quoted(view.name)} --global-secondary-index-updates ${quoted(JSON.stringify([{ Update: { IndexName: arm.index, ProvisionedThroughput: kind === 'Read' ? { ReadCapacityUnits: wanted, WriteCapacityUnits: other } : { ReadCapacityUnits: other, WriteCapacityUnits: wanted } } }]))}`,
      ),
    }),
  );
}

function indexFinding(throttled: Throttled, context: Context): Finding {
  const { view, arm, provisioned = 0 } = throttled;
  const { metrics, endpoint } = context;
  const table = view.arms[0]!;
  const worst = throttled.verdicts.find(({ cause }) => cause === 'ProvisionedThroughputExceeded');
  const tableUnits = Math.max(
    0,
    ...metrics.points(view.name, { metric: 'ConsumedWriteCapacityUnits' }).map(({ value }) => value / 60),
  );
  const share = table.provisioned === undefined ? undefined : tableUnits / table.provisioned.write;
  const wanted = Math.max(
    table.provisioned?.write ?? 0,
    Math.ceil((worst?.asked ?? 0) / 0.7),
    provisioned + 1,
  );
  const update = [
    {
      Update: {
        IndexName: arm.index,
        ProvisionedThroughput: { ReadCapacityUnits: arm.provisioned?.read ?? 1, WriteCapacityUnits: wanted },
      },
    },
  ];
  return finding(
    'index-throttles-writes',
    view.name,
    told(throttled, {
      key: worst?.key,
      symptom: `Writes to ${view.name} are throttled although the table has room.`,
      cause: `The index ${arm.index} has ${counted(provisioned, 'provisioned write unit')} a second, fewer than the writes that reach it. A write waits for its indexes, so the index throttles the table.`,
      evidence: [
        `${howMany(throttled, throttled.byCause.ProvisionedThroughput)}, at the index ${arm.index}`,
        ...(share === undefined
          ? []
          : [
              `${view.name} itself used at most ${percent(share)} of its ${number(table.provisioned!.write)} provisioned write units`,
            ]),
        ...useText(throttled),
        ...(worst === undefined
          ? []
          : [`${arm.index} was asked for ${number(worst.asked)} write units a second`]),
      ],
      confirm: throttleMetric(throttled, context),
      fix: `Give ${arm.index} at least the write rate of the items it holds, and project less into it.`,
      command: aws(
        ...([endpoint, 'dynamodb'] as const),
        `update-table --table-name ${quoted(view.name)} --global-secondary-index-updates ${quoted(JSON.stringify(update))}`,
      ),
    }),
  );
}

function backfillFinding(
  throttled: Throttled,
  { scans, writes, share, fromMs, toMs }: NonNullable<ReturnType<typeof backfillOf>>,
  context: Context,
): Finding {
  const { view, arm } = throttled;
  return finding(
    'backfill-throttles',
    view.name,
    told(throttled, {
      symptom: `${arm.name} throttles only while a job runs over the table.`,
      cause:
        'A backfill scans the table and rewrites its items at full speed, and takes the throughput of live traffic.',
      evidence: [
        howMany(throttled),
        `${percent(share)} of these throttles fell into the minutes of ${counted(scans, 'Scan')}, from ${time(fromMs)} to ${time(toMs)}, with ${counted(writes, 'write')} beside them; no other minute was throttled`,
        ...useText(throttled),
      ],
      confirm: metricCommand(
        ...([context.endpoint, 'SuccessfulRequestLatency'] as const),
        { TableName: view.name, Operation: 'Scan' },
        context.metrics.fromMs,
        context.nowMs,
        'SampleCount',
      ),
      fix: 'Give the job a rate (units a second) well below the free throughput, or export the table and transform it elsewhere.',
      command: stator(context.endpoint, `scan --table ${quoted(view.name)} --rate 25 --output items.jsonl`),
    }),
  );
}

function limitFinding(throttled: Throttled, context: Context): Finding {
  const { view, arm, kind, byCause } = throttled;
  const worst = throttled.verdicts.find(({ cause }) => /AccountLimit|MaxOnDemand/.test(cause));
  const isMaximum = byCause.MaxOnDemandThroughput >= byCause.AccountLimit;
  const member = kind === 'Read' ? 'MaxReadRequestUnits' : 'MaxWriteRequestUnits';
  return finding(
    'throughput-limit',
    view.name,
    told(throttled, {
      symptom: `ThrottlingException or RequestLimitExceeded on ${arm.name}.`,
      cause: isMaximum
        ? `${arm.name} has a configured maximum (${member}), and the traffic passes it.`
        : "The traffic passes the account's quota for one table.",
      evidence: [
        howMany(throttled, byCause.AccountLimit + byCause.MaxOnDemandThroughput),
        ...(worst === undefined
          ? []
          : [
              `${number(worst.asked)} ${kind.toLowerCase()} units a second were asked for, ${number(worst.allowed)} are allowed`,
            ]),
      ],
      confirm: throttleMetric(throttled, context),
      fix: isMaximum ? `Raise ${member} if the traffic is wanted.` : 'Ask AWS for a higher quota.',
      command: isMaximum
        ? aws(
            ...([context.endpoint, 'dynamodb'] as const),
            `update-table --table-name ${quoted(view.name)} --on-demand-throughput ${member}=${Math.ceil((worst?.asked ?? 0) * 1.5) || -1}`,
          )
        : undefined,
    }),
  );
}
