export type Severity = 'error' | 'warning' | 'note';

/** One named check. The id is what scripts and suppressions refer to: it never changes its meaning. */
export interface DoctorCheck {
  /** What holds when there is no finding. */
  readonly title: string;
  /** The severity of its findings unless the numbers decide. */
  readonly severity: Severity;
  /** The page under `docs/runbooks/`, without its ending. */
  readonly runbook: string;
  readonly about: string;
}

/** Every check of `stator doctor`, in the order of reports: throttles, requests, indexes, items, keys, settings. */
export const checkList = {
  'hot-partition': {
    title: 'No key asks for more than a partition gives',
    severity: 'error',
    runbook: 'hot-partition',
    about:
      'A partition gives 1,000 write and 3,000 read units a second. A key beyond that is throttled while the table has room.',
  },
  'index-throttles-writes': {
    title: 'No index holds back the writes of its table',
    severity: 'error',
    runbook: 'index-throttles-writes',
    about: 'A write waits for the indexes that hold its item; an index without throughput throttles it.',
  },
  'backfill-throttles': {
    title: 'No backfill takes the throughput of live traffic',
    severity: 'error',
    runbook: 'backfill',
    about: 'A job that reads and rewrites a table at full speed uses what the users of the table need.',
  },
  'ramp-outruns-scaling': {
    title: 'Throughput rises as fast as the traffic does',
    severity: 'error',
    runbook: 'traffic-ramp',
    about: 'Auto scaling needs minutes; traffic that doubles within one is throttled until then.',
  },
  'under-provisioned': {
    title: 'Provisioned throughput covers the traffic',
    severity: 'error',
    runbook: 'under-provisioned',
    about: 'The whole table, not one key, asks for more than is provisioned.',
  },
  'throughput-limit': {
    title: 'No configured or account limit refuses requests',
    severity: 'error',
    runbook: 'under-provisioned',
    about: 'A table on demand may have a configured maximum, and every account has a quota.',
  },
  'near-capacity': {
    title: 'At most 80 % of provisioned throughput is used',
    severity: 'warning',
    runbook: 'under-provisioned',
    about: 'Above 80 % a small peak is throttled.',
  },
  'unprocessed-items': {
    title: 'Batches process all their items',
    severity: 'warning',
    runbook: 'retries-and-batches',
    about: 'A batch succeeds although some of its items were throttled; the caller must send those again.',
  },
  'retry-storm': {
    title: 'Retries stay rare',
    severity: 'warning',
    runbook: 'retries-and-batches',
    about: 'Retries without jitter add load exactly when there is too much of it.',
  },
  'condition-failures': {
    title: 'Conditions rarely fail',
    severity: 'warning',
    runbook: 'condition-failures',
    about: 'A failed condition is an answer, not an outage; many of them are a lost race or a wrong retry.',
  },
  'transaction-conflicts': {
    title: 'Transactions do not meet on one item',
    severity: 'warning',
    runbook: 'transaction-conflicts',
    about: 'Of two transactions on one item at the same time the later one is cancelled.',
  },
  'item-too-large': {
    title: 'No write is refused for the size of its item',
    severity: 'error',
    runbook: 'large-items',
    about: 'An item ends at 400 KB; the write that would pass it is refused for good.',
  },
  'refused-requests': {
    title: 'Requests are not refused',
    severity: 'warning',
    runbook: 'exceptions',
    about: 'What each exception means, whether a retry helps, and what to change first.',
  },
  'server-errors': {
    title: 'The service itself does not fail',
    severity: 'error',
    runbook: 'exceptions',
    about: 'SystemErrors are answered with 500 and are worth a retry.',
  },
  'filter-discards': {
    title: 'Reads return most of what they pay for',
    severity: 'warning',
    runbook: 'scans-and-filters',
    about: 'A filter removes items after they were read and paid for.',
  },
  'scan-on-hot-path': {
    title: 'No Scan serves users',
    severity: 'warning',
    runbook: 'scans-and-filters',
    about: 'A Scan costs as much as the whole table, and grows with it.',
  },
  'reads-before-writes': {
    title: 'Writes do not read first',
    severity: 'note',
    runbook: 'reads-before-writes',
    about:
      'A read before each write costs twice and loses races; conditions and update expressions do neither.',
  },
  'tables-read-together': {
    title: 'One request reads what one screen shows',
    severity: 'note',
    runbook: 'reads-before-writes',
    about: 'Tables that are always read together by the same key are joins over the network.',
  },
  'empty-ranges': {
    title: 'Range reads find something',
    severity: 'warning',
    runbook: 'sort-keys',
    about: 'A range that never matches is usually a sort key that does not sort as its author thinks.',
  },
  'stale-index-reads': {
    title: 'Nobody expects an index to be up to date',
    severity: 'warning',
    runbook: 'stale-index-reads',
    about: 'A global index follows its table with a delay, and cannot be read consistently.',
  },
  'index-backfilling': {
    title: 'Every index holds all its items',
    severity: 'warning',
    runbook: 'index-backfill',
    about: 'While an index is being filled its answers are incomplete, or refused.',
  },
  'index-misses-old-items': {
    title: 'Old items are in the index too',
    severity: 'warning',
    runbook: 'index-backfill',
    about: 'An index holds the items that carry its key attributes; older items need a backfill.',
  },
  'queue-never-drains': {
    title: 'Finished items leave sparse indexes',
    severity: 'warning',
    runbook: 'sparse-queues',
    about: 'An item leaves a sparse index only when its index keys are removed.',
  },
  'unread-index': {
    title: 'Every index is read',
    severity: 'warning',
    runbook: 'indexes',
    about: 'An index that nobody reads costs writes and storage; with projection ALL, as much as the table.',
  },
  'wide-projection': {
    title: 'Indexes hold what their readers ask for',
    severity: 'note',
    runbook: 'indexes',
    about:
      'An index with projection ALL costs a copy of every item; readers that ask for little need little.',
  },
  'low-cardinality-key': {
    title: 'Partition keys have many values',
    severity: 'warning',
    runbook: 'hot-partition',
    about: 'A status or a date as partition key puts the load of everything on one partition.',
  },
  'key-dominates': {
    title: 'No key takes most of the traffic',
    severity: 'note',
    runbook: 'hot-partition',
    about: 'A key that takes most of the traffic reaches the limit of a partition first.',
  },
  'index-limit': {
    title: 'There is room for another index',
    severity: 'note',
    runbook: 'indexes',
    about: 'A table has at most 20 global indexes; the twenty-first is LimitExceededException.',
  },
  'large-items': {
    title: 'Items stay far below 400 KB',
    severity: 'warning',
    runbook: 'large-items',
    about: 'A large item costs units by its size on every read and write, and ends at 400 KB.',
  },
  'growing-list': {
    title: 'No attribute collects entries for ever',
    severity: 'warning',
    runbook: 'large-items',
    about: 'A list that only ever grows reaches 400 KB one day, and every append pays for all of it.',
  },
  'numbers-as-text': {
    title: 'Numbers in sort keys sort as numbers',
    severity: 'warning',
    runbook: 'sort-keys',
    about: 'Text compares character by character: 10 sorts before 9.',
  },
  'unsortable-times': {
    title: 'Times in sort keys sort as times',
    severity: 'warning',
    runbook: 'sort-keys',
    about: 'Only texts that begin with the year, in equal width and one time zone, sort as the times do.',
  },
  'fine-to-coarse': {
    title: 'Sort keys go from coarse to fine',
    severity: 'warning',
    runbook: 'sort-keys',
    about: 'A range needs its coarsest part first: year, month, day.',
  },
  'ttl-values': {
    title: 'TTL attributes hold seconds since 1970',
    severity: 'error',
    runbook: 'time-to-live',
    about: 'Milliseconds are a date in the far future and texts are no date: such items never expire.',
  },
  'ttl-absent': {
    title: 'Items carry the TTL attribute',
    severity: 'note',
    runbook: 'time-to-live',
    about: 'TTL deletes only items that carry the attribute it is set to.',
  },
  'ttl-off': {
    title: 'Expiry times are used',
    severity: 'note',
    runbook: 'time-to-live',
    about: 'Items carry an expiry time, but the table does not delete by it.',
  },
  'stream-lag': {
    title: 'Readers of streams keep up',
    severity: 'warning',
    runbook: 'stream-lag',
    about: 'A stream keeps records for 24 hours; a reader that is further behind loses them.',
  },
  'stream-unread': {
    title: 'Somebody reads the stream',
    severity: 'note',
    runbook: 'stream-lag',
    about: 'A stream without readers is a projection that somebody believes in.',
  },
  'table-busy': {
    title: 'No table is being changed',
    severity: 'note',
    runbook: 'exceptions',
    about: 'While a table or an index is being changed, other changes are ResourceInUseException.',
  },
  'over-provisioned': {
    title: 'Provisioned throughput is used',
    severity: 'note',
    runbook: 'under-provisioned',
    about: 'Provisioned units are paid for whether they are used or not.',
  },
  'alarm-firing': {
    title: 'No alarm is in ALARM',
    severity: 'warning',
    runbook: 'alarms',
    about: 'Somebody asked to be told, and this is it.',
  },
  'alarms-missing': {
    title: 'Every table has its alarms',
    severity: 'note',
    runbook: 'alarms',
    about: 'Throttles, server errors and failing conditions that nobody is told of are found by users.',
  },
  'no-recovery': {
    title: 'Tables can be restored to any second',
    severity: 'note',
    runbook: 'recovery',
    about: 'Without point-in-time recovery a wrong deployment or a deleted table is final.',
  },
} as const satisfies Readonly<Record<string, DoctorCheck>>;

export type CheckId = keyof typeof checkList;
