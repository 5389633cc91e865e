import { type Finding, finding } from '../finding.ts';
import { counted, duration, metricCommand, number, quoted, stator } from '../phrases.ts';
import type { Context, TableView } from '../table-view.ts';

const lagMs = 60_000;
/** Readers are measured over the whole window, and may read old records on purpose for a while. */
const readersLateMs = 600_000;
const writesMany = 200;
const writes = ['PutItem', 'UpdateItem', 'DeleteItem'];

/** Readers of changes that fall behind, and streams that nobody reads. */
export function checkStreams(view: TableView, context: Context): Finding[] {
  return [...followers(view, context), ...replication(view, context), ...readers(view, context)];
}

function followers({ name, followers: all = [] }: TableView, { endpoint }: Context): Finding[] {
  return all.flatMap((follower): Finding[] => {
    const { behindMs, recordsBehind, kinesis } = follower;
    const trouble = kinesis?.trouble;
    if (trouble === undefined && (behindMs < lagMs || recordsBehind === 0)) return [];
    return [
      finding('stream-lag', name, {
        ...(behindMs >= 18 * 3_600_000 && { severity: 'error' as const }),
        symptom: `${follower.name} sees changes of ${name} ${duration(behindMs)} late.`,
        cause:
          trouble === undefined
            ? 'The reader is slower than the writers: a slow call in it, a record that fails again and again, or too little parallelism.'
            : `The reader is stopped by an error: ${trouble}.`,
        evidence: [
          `${follower.name} is ${counted(recordsBehind, 'record')} and ${duration(behindMs)} behind`,
          ...(kinesis === undefined ? [] : [`It writes to ${kinesis.streamArn}`]),
        ],
        confirm: stator(endpoint, `tail ${quoted(name)} --from oldest`),
        fix: 'Find the record it stands on and set it aside (a dead-letter queue), take slow calls out of the handler, then raise parallelism and the size of batches. Records are lost after 24 hours.',
      }),
    ];
  });
}

function replication({ name }: TableView, { endpoint, metrics, nowMs }: Context): Finding[] {
  const metric = 'AgeOfOldestUnreplicatedRecord';
  const age = metrics.sum(name, { metric });
  if (age < lagMs) return [];
  return [
    finding('stream-lag', name, {
      symptom: `The Kinesis destination of ${name} is late.`,
      cause: 'The Kinesis stream takes fewer records than the table writes, most likely for lack of shards.',
      evidence: [`The oldest record that is not written yet was ${duration(age)} old on average`],
      confirm: metricCommand(
        ...([endpoint, metric, { TableName: name, DelegatedOperation: 'PutRecord' }] as const),
        ...([metrics.fromMs, nowMs, 'Maximum'] as const),
      ),
      fix: 'Give the Kinesis stream more shards, or switch it to on-demand.',
    }),
  ];
}

function readers({ name, description, followers: all }: TableView, context: Context): Finding[] {
  const { endpoint, metrics, nowMs } = context;
  if (description.StreamSpecification?.StreamEnabled !== true) return [];
  const age = metrics.sum(name, { metric: 'IteratorAge' });
  if (age >= readersLateMs) return [lateReader(name, age, description.LatestStreamLabel, context)];
  const operations = metrics.operations(name);
  const changed = writes.reduce((sum, operation) => sum + (operations.get(operation) ?? 0), 0);
  if (changed < writesMany) return [];
  const reads = operations.get('GetRecords') ?? 0;
  const confirm = metricCommand(
    ...([endpoint, 'ReturnedRecordsCount'] as const),
    ...([{ TableName: name, Operation: 'GetRecords', StreamLabel: description.LatestStreamLabel }] as const),
    ...([metrics.fromMs, nowMs] as const),
  );
  if (reads === 0) {
    if ((all ?? []).length > 0) return [];
    return [
      finding('stream-unread', name, {
        symptom: `Nobody reads the stream of ${name}.`,
        cause: 'A stream was switched on, and its reader is not running or never was.',
        evidence: [`${counted(changed, 'write')} in ${number(metrics.minutes)} minutes, no GetRecords`],
        confirm,
        fix: 'Start the reader within 24 hours, after which records are gone; or switch the stream off.',
      }),
    ];
  }
  const read = metrics.sum(name, { metric: 'ReturnedRecordsCount', operation: 'GetRecords' });
  if (read >= 0.5 * changed) return [];
  return [
    finding('stream-lag', name, {
      symptom: `The readers of the stream of ${name} fall behind.`,
      cause:
        'They read fewer records than are written: a slow call in the handler, a record that fails again and again, or too little parallelism.',
      evidence: [
        `${counted(read, 'record')} read for ${counted(changed, 'write')}, in ${number(metrics.minutes)} minutes`,
        `${counted(reads, 'GetRecords call')}, ${number(read / reads)} records for each`,
      ],
      confirm,
      fix: 'Find the record it stands on and set it aside (a dead-letter queue), take slow calls out of the handler, then raise parallelism. With Lambda watch IteratorAge.',
    }),
  ];
}

function lateReader(
  name: string,
  ageMs: number,
  StreamLabel: string | undefined,
  { endpoint, metrics, nowMs }: Context,
): Finding {
  return finding('stream-lag', name, {
    ...(ageMs >= 18 * 3_600_000 && { severity: 'error' as const }),
    symptom: `A reader of the stream of ${name} sees changes ${duration(ageMs)} late.`,
    cause:
      'The reader is slower than the writers, or stood still: a slow call in it, a record that fails again and again, or too little parallelism.',
    evidence: [`The records that GetRecords answered were ${duration(ageMs)} old on average`],
    confirm: metricCommand(
      ...([endpoint, 'IteratorAge', { TableName: name, StreamLabel }] as const),
      ...([metrics.fromMs, nowMs, 'Maximum', 'Stator/Streams'] as const),
    ),
    fix: 'Find the record it stands on and set it aside (a dead-letter queue), take slow calls out of the handler, then raise parallelism. Records are lost after 24 hours.',
  });
}
