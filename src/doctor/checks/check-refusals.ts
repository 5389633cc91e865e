import { exceptions } from '../exceptions.ts';
import { type Finding, finding } from '../finding.ts';
import { aws, counted, listed, metricCommand, number, percent, quoted, stator, time } from '../phrases.ts';
import type { Context, TableView } from '../table-view.ts';
import { countOf, keyArgument, keyEvidence, signalsOf, spanOf, topKey } from './about-signals.ts';

const writes = [
  ...['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'],
  ...['ExecuteStatement', 'ExecuteTransaction'],
];

/** How many throttle events one refused request can have. */
const eventsMax = {
  Write: {
    ...{ PutItem: 1, UpdateItem: 1, DeleteItem: 1, BatchWriteItem: 25, TransactWriteItems: 100 },
    ...{ ExecuteStatement: 1, BatchExecuteStatement: 25, ExecuteTransaction: 100 },
  },
  Read: {
    ...{ GetItem: 1, Query: 1, Scan: 1, BatchGetItem: 100, TransactGetItems: 100 },
    ...{ ExecuteStatement: 1, BatchExecuteStatement: 25, ExecuteTransaction: 100 },
  },
} as const;

/** Fewer failures are nothing to talk about. */
const failuresMin = 20;
const conflictsMin = 10;

/** Requests that were refused although the table had room for them. */
export function checkRefusals(view: TableView, context: Context): Finding[] {
  return [
    ...unprocessed(view, context),
    ...retries(view, context),
    ...conditions(view, context),
    ...conflicts(view, context),
    ...tooLarge(view, context),
    ...refused(view, context),
    ...serverErrors(view, context),
  ];
}

function unprocessed({ name, arms }: TableView, { endpoint, metrics, nowMs }: Context): Finding[] {
  const operations = metrics.operations(name);
  return (
    [
      ['BatchWriteItem', 'Write', 'UnprocessedItems'],
      ['BatchGetItem', 'Read', 'UnprocessedKeys'],
    ] as const
  ).flatMap(([operation, kind, member]): Finding[] => {
    const batches = operations.get(operation) ?? 0;
    if (batches === 0) return [];
    const events = arms.reduce(
      (sum, { index }) => sum + metrics.sum(name, { metric: `${kind}ThrottleEvents`, index }),
      0,
    );
    // A request that is throttled as a whole explains the events of all that it may hold; what is left was part of a
    // batch that succeeded.
    const whole = Object.entries(eventsMax[kind]).reduce(
      (sum, [one, most]) => sum + most * metrics.sum(name, { metric: 'ThrottledRequests', operation: one }),
      0,
    );
    const lost = events - whole;
    if (lost < 1) return [];
    return [
      finding('unprocessed-items', name, {
        symptom: `${operation} on ${name} succeeds, but leaves ${member} behind.`,
        cause: `Some items of a batch were throttled. Nothing but ${member} in the answer says so: who does not send them again ${kind === 'Write' ? 'loses them' : 'misses them'}.`,
        evidence: [
          `${counted(lost, kind.toLowerCase())} of ${counted(batches, `successful ${operation}`)} ${lost === 1 ? 'was' : 'were'} throttled`,
        ],
        confirm: metricCommand(
          ...([endpoint, `${kind}ThrottleEvents`, { TableName: name }, metrics.fromMs, nowMs] as const),
        ),
        fix: `Send ${member} again with growing pauses and jitter until there are none, and treat what is left as an error. Then mend the throttles themselves.`,
      }),
    ];
  });
}

function retries({ name, patterns = [] }: TableView, { endpoint, metrics }: Context): Finding[] {
  return patterns.flatMap((pattern): Finding[] => {
    const { requests, retries: again } = pattern;
    if (again < 50 || again < 0.2 * requests) return [];
    const errors = Object.entries(pattern.errors).sort(([, a], [, b]) => b - a);
    return [
      finding('retry-storm', name, {
        pattern: pattern.name,
        symptom: `${percent(again / requests)} of the requests of "${pattern.name}" are retries.`,
        cause: `Clients answer ${errors[0]?.[0] ?? 'errors'} by sending the same again, which adds load exactly when there is too much.`,
        evidence: [
          `${number(again)} of ${counted(requests, 'request')} in ${number(metrics.minutes)} minutes were second or later attempts`,
          ...(errors.length === 0
            ? []
            : [`Errors: ${listed(errors.map(([error, count]) => `${error} ${number(count)}`))}`]),
        ],
        confirm: stator(endpoint, `top ${quoted(name)} --once --minutes ${Math.min(180, metrics.minutes)}`),
        fix: 'Let clients wait with exponential backoff and full jitter, give up after a few attempts (SDK: maxAttempts 4, retry mode adaptive), and mend what they retry for.',
      }),
    ];
  });
}

function conditions(view: TableView, context: Context): Finding[] {
  const { name, patterns = [], description } = view;
  const { endpoint, metrics, nowMs } = context;
  const failures = metrics.sum(name, { metric: 'ConditionalCheckFailedRequests' });
  const done = writes.reduce((sum, operation) => sum + (metrics.operations(name).get(operation) ?? 0), 0);
  if (failures < failuresMin || failures < 0.2 * (failures + done)) return [];
  const worst = patterns
    .flatMap((pattern) =>
      Object.entries(pattern.conditionFailures).map(([condition, count]) => ({ pattern, condition, count })),
    )
    .sort((a, b) => b.count - a.count)[0];
  const signals = signalsOf(view, 'condition-failed');
  const top = topKey(signals);
  const argument = top === undefined ? undefined : keyArgument(description, top.values);
  const isCreation = worst !== undefined && /attribute_not_exists/i.test(worst.condition);
  return [
    finding('condition-failures', name, {
      key: top?.key,
      pattern: worst?.pattern.name,
      symptom: `Writes to ${name} fail with ConditionalCheckFailedException, and their retries fail again.`,
      cause: isCreation
        ? 'The item exists already: the same request was sent twice, or two requests share a key.'
        : 'The version moved: another writer was faster, and the retry sends the version that it had read before.',
      evidence: [
        `${number(failures)} of ${number(failures + done)} writes failed their condition ${spanOf(signals)}`.trim(),
        ...(worst === undefined
          ? []
          : [
              `${number(worst.count)} of them on the condition ${worst.condition} of "${worst.pattern.name}"`,
            ]),
        ...keyEvidence(top, countOf(view, 'condition-failed')),
      ],
      confirm:
        argument === undefined
          ? metricCommand(
              ...([endpoint, 'ConditionalCheckFailedRequests', { TableName: name }] as const),
              ...([metrics.fromMs, nowMs] as const),
            )
          : aws(
              ...([endpoint, 'dynamodb'] as const),
              `get-item --table-name ${quoted(name)} --key ${argument} --consistent-read`,
            ),
      fix: isCreation
        ? 'Treat the failure as the answer "done before" if the request has an idempotency key, and give each request one of its own. ReturnValuesOnConditionCheckFailure ALL_OLD shows the item that is there.'
        : 'Never repeat the same write: read the item (consistently), apply the change to what is there now, send its version, and wait with jitter between attempts. If many writers meet on one item, split it or use ADD.',
    }),
  ];
}

function conflicts(view: TableView, { endpoint, metrics, nowMs }: Context): Finding[] {
  const { name } = view;
  const count = metrics.sum(name, { metric: 'TransactionConflict' });
  if (count < conflictsMin) return [];
  const done = metrics.operations(name).get('TransactWriteItems') ?? 0;
  if (done > 0 && count < 0.05 * done) return [];
  const signals = signalsOf(view, 'transaction-conflict');
  const top = topKey(signals);
  return [
    finding('transaction-conflicts', name, {
      key: top?.key,
      symptom: `TransactionCanceledException on ${name} under load.`,
      cause: `Several transactions, or a transaction and a single write, work on ${top?.key ?? 'the same item'} at the same time. The later one is cancelled.`,
      evidence: [
        `${counted(count, 'conflict')}, ${counted(done, 'transaction')} went through ${spanOf(signals)}`.trim(),
        ...keyEvidence(top, countOf(view, 'transaction-conflict')),
        'CancellationReasons have TransactionConflict for the action on that item, and None for the others',
      ],
      confirm: metricCommand(
        ...([endpoint, 'TransactionConflict', { TableName: name }, metrics.fromMs, nowMs] as const),
      ),
      fix: 'Retry with jitter. Then take the item out of the transaction: a condition on a version suffices for a single item, a counter can be split into shards that are added up when read, and a ledger can have one item for each entry.',
    }),
  ];
}

function tooLarge(view: TableView, { endpoint }: Context): Finding[] {
  const { name, description, sample } = view;
  const signals = signalsOf(view, 'item-size');
  const count = countOf(view, 'item-size');
  if (count === 0) return [];
  const top = topKey(signals);
  const argument = top === undefined ? undefined : keyArgument(description, top.values);
  const appended = signalsOf(view, 'list-append')[0];
  const largest = sample?.items.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  return [
    finding('item-too-large', name, {
      key: top?.key,
      symptom: 'ValidationException: Item size has exceeded the maximum allowed size.',
      cause: `An attribute has grown the item to 400 KB (409,600 bytes)${appended?.detail === undefined ? ', most likely a list that is appended to' : `: the list ${appended.detail} is appended to`}. No retry helps.`,
      evidence: [
        `${counted(count, 'write')} refused ${spanOf(signals)}`,
        ...keyEvidence(top, count),
        ...(appended === undefined
          ? []
          : [`${appended.detail} was appended to ${counted(appended.count, 'time')}`]),
        ...(largest === undefined || largest < 102_400
          ? []
          : [`The largest sampled item has ${number(largest / 1_024)} KB`]),
      ],
      confirm:
        argument === undefined
          ? stator(endpoint, `doctor --table ${quoted(name)} --budget 200`)
          : aws(
              ...([endpoint, 'dynamodb'] as const),
              `get-item --table-name ${quoted(name)} --key ${argument} --consistent-read --return-consumed-capacity TOTAL --query ConsumedCapacity.CapacityUnits`,
            ),
      fix: 'Write each entry as an item of its own below the same partition key (sort key MILESTONE#<time>), and keep a small item with the latest state. The answer of the command above times 4 KB is the size of the item.',
    }),
  ];
}

function refused(view: TableView, { endpoint, metrics, nowMs }: Context): Finding[] {
  const { name } = view;
  return [...signalsOf(view, 'wrong-key'), ...signalsOf(view, 'refused')].flatMap((signal): Finding[] => {
    const error = signal.kind === 'refused' ? (signal.detail ?? '') : 'ValidationException';
    // Refused changes of tables are rare and always worth a word; wrong requests are when they go on.
    const isRare = /^(ResourceInUse|LimitExceeded|ItemCollectionSize|IdempotentParameter)/.test(error);
    if (error === 'ConditionalCheckFailedException' || signal.count < (isRare ? 1 : 5)) return [];
    const advice = exceptions[error];
    if (advice === undefined) return [];
    const top = topKey([signal]);
    return [
      finding('refused-requests', name, {
        severity: error === 'ItemCollectionSizeLimitExceededException' ? 'error' : 'warning',
        key: top?.key,
        symptom: `${signal.operation} on ${name} is refused with ${error}.`,
        cause: `${sentence(advice.meaning)}. Most likely: ${advice.cause}. Retry: ${advice.retry}.`,
        evidence: [
          `${counted(signal.count, 'request')} ${spanOf([signal])}`,
          ...(signal.message === undefined ? [] : [`"${signal.message}"`]),
          ...(top === undefined ? [] : [`The key sent most often: ${top.key}`]),
        ],
        confirm:
          signal.kind === 'wrong-key' || isRare
            ? aws(
                ...([endpoint, 'dynamodb'] as const),
                `describe-table --table-name ${quoted(name)} --query Table.[TableStatus,KeySchema,AttributeDefinitions]`,
              )
            : metricCommand(...([endpoint, 'UserErrors', {}, metrics.fromMs, nowMs] as const)),
        fix: `${sentence(advice.firstFix)}.`,
      }),
    ];
  });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function serverErrors({ name }: TableView, { endpoint, metrics, nowMs }: Context): Finding[] {
  return ['GetItem', 'Query', 'Scan', 'BatchGetItem', ...writes].flatMap((operation): Finding[] => {
    const count = metrics.sum(name, { metric: 'SystemErrors', operation });
    if (count === 0) return [];
    const points = metrics.points(name, { metric: 'SystemErrors', operation });
    const [first, last] = [points[0], points.at(-1)];
    return [
      finding('server-errors', name, {
        symptom: `${operation} on ${name} fails with InternalServerError.`,
        cause: 'The service itself failed. A write that was answered so may have happened or not.',
        evidence: [
          `${counted(count, 'error')}${first === undefined ? '' : ` between ${time(first.atMs)} and ${time(last!.atMs)}`}`,
        ],
        confirm: metricCommand(
          ...([endpoint, 'SystemErrors', { TableName: name, Operation: operation }] as const),
          ...([metrics.fromMs, nowMs] as const),
        ),
        fix: 'Retry with jitter; make writes safe to repeat by conditions or a ClientRequestToken. If it lasts, look at the health of the service.',
      }),
    ];
  });
}
