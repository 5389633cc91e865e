import type { Severity } from './finding.ts';

/** One named rule. The id is what CI configurations and suppressions refer to: it never changes its meaning. */
export interface CheckRule {
  /** What holds when the rule is kept. */
  readonly title: string;
  /** The severity of its findings unless the number decides. */
  readonly severity: Severity;
  /** Why it matters, in one or two sentences. */
  readonly about: string;
}

/** Every rule that `stator design check` knows, in the order of reports: patterns, keys, heat, growth, writes, indexes. */
export const checkList = {
  'model-contradiction': {
    title: 'The model does not contradict itself',
    severity: 'error',
    about:
      'A model that names what it does not have, or asks for two things that exclude each other, has no design.',
  },
  'no-design': {
    title: 'A design exists',
    severity: 'error',
    about:
      'Derivation found no keys that serve the patterns; the finding names the smallest change that would help.',
  },
  'one-plan': {
    title: 'Each read has one bounded plan',
    severity: 'error',
    about: 'A pattern without a plan, or with two, is decided at run time by whoever writes the code.',
  },
  'no-scan': {
    title: 'No read scans a table or an index',
    severity: 'error',
    about: 'A Scan costs as much as the whole table, and grows with it, however few items it returns.',
  },
  'filter-discards': {
    title: 'Filters discard no more than declared',
    severity: 'error',
    about: 'A filter removes items after they were read and paid for. Filtering is not querying.',
  },
  'strong-read-on-index': {
    title: 'No strong read on a global index',
    severity: 'error',
    about: 'Global indexes follow the table asynchronously; the service refuses ConsistentRead on them.',
  },
  'order-by-key': {
    title: 'The sort key delivers the order',
    severity: 'error',
    about: 'A Query returns items in the order of the sort key, forwards or backwards, and in no other.',
  },
  'sparse-index': {
    title: 'Sparse indexes hold everything that is asked for',
    severity: 'error',
    about: 'An item that lacks a key attribute is silently absent from the index.',
  },
  'projection-lacks': {
    title: 'Indexes project what their readers need',
    severity: 'error',
    about: 'What an index does not project needs a second read of the table for each item.',
  },
  'different-partitions': {
    title: 'What is read together lies together',
    severity: 'error',
    about: 'One Query reads one partition value. Kinds in different partitions need a call each.',
  },
  'range-leaks': {
    title: 'A range holds nothing else',
    severity: 'error',
    about: 'Items of another kind inside the key range are read, paid for and mixed into the answer.',
  },
  'page-1mb': {
    title: 'A page fits one call',
    severity: 'warning',
    about: 'A Query stops at 1 MB and answers a cursor: a page beyond it takes several round trips.',
  },
  'expired-items': {
    title: 'Readers of expiring items expect expired ones',
    severity: 'note',
    about: 'TTL deletes within days, not at once: readers see expired items until then.',
  },
  'key-lacks-identity': {
    title: 'A key tells instances apart',
    severity: 'error',
    about: 'Two instances with the same key overwrite each other in silence.',
  },
  'key-collision': {
    title: 'Keys of different entities differ',
    severity: 'error',
    about: 'An item of one kind overwrites an item of another.',
  },
  'missing-delimiter': {
    title: 'A delimiter ends each part of a key',
    severity: 'error',
    about: 'Without one, ab + c and a + bc are the same key, and a prefix of one value matches others.',
  },
  'key-changes': {
    title: 'Table keys never change',
    severity: 'error',
    about: 'The key of an item cannot be updated; a change is a delete and a put in one transaction.',
  },
  'key-size': {
    title: 'Keys fit their limits',
    severity: 'error',
    about: 'Partition keys end at 2,048 bytes, sort keys at 1,024.',
  },
  'zero-padding': {
    title: 'Numbers inside text keys are zero-padded',
    severity: 'error',
    about: 'Keys of type S compare character by character: item#10 sorts before item#7.',
  },
  'iso-8601': {
    title: 'Times inside text keys are ISO-8601',
    severity: 'error',
    about: 'Only year-month-day-time texts of equal width sort as the times do.',
  },
  'coarse-to-fine': {
    title: 'Sort keys go from coarse to fine',
    severity: 'warning',
    about: 'What comes first decides which ranges and prefixes one Query can take.',
  },
  'low-cardinality-partition': {
    title: 'Partition keys have many values',
    severity: 'warning',
    about:
      'A constant or a closed set puts everything into a few partitions, which cannot be split by value.',
  },
  'tenant-leads': {
    title: 'The tenant leads every partition key',
    severity: 'error',
    about: 'dynamodb:LeadingKeys can isolate tenants only if each partition key begins with the tenant.',
  },
  'hot-partition': {
    title: 'The hottest partition value stays under its ceiling',
    severity: 'error',
    about: 'One partition gives 1,000 write and 3,000 read units a second, however much the table has.',
  },
  'hot-item': {
    title: 'The hottest item stays under the ceiling',
    severity: 'error',
    about: 'No key spreads the writes of one item.',
  },
  'item-size': {
    title: 'Items stay under 400 KB',
    severity: 'error',
    about: 'The limit is absolute, and a write that crosses it fails.',
  },
  'large-item': {
    title: 'Items are small',
    severity: 'warning',
    about:
      'Each write pays for the whole item, whatever it changes; large parts belong into items of their own or into S3.',
  },
  'unbounded-list': {
    title: 'No list grows without bound',
    severity: 'error',
    about: 'An item that collects elements ends at 400 KB and costs more with every write before it does.',
  },
  'collection-10gb': {
    title: 'Collections with a local index stay under 10 GB',
    severity: 'error',
    about: 'A local index ties the items of one partition value to one partition: beyond 10 GB writes fail.',
  },
  'partition-growth': {
    title: 'No partition value collects items for ever',
    severity: 'warning',
    about: 'A partition value that grows with the table cannot be moved, cached or expired as a whole.',
  },
  'write-address': {
    title: 'Writes can compute the key of what they write',
    severity: 'error',
    about: 'An update needs the full table key. What the caller does not give must be read first.',
  },
  'read-before-write': {
    title: 'Writes need not read first',
    severity: 'warning',
    about: 'An index key made of several attributes must be written as a whole when one of them changes.',
  },
  'transaction-size': {
    title: 'Transactions fit 100 items and 4 MB',
    severity: 'error',
    about: 'The service refuses larger ones.',
  },
  'needless-transaction': {
    title: 'Transactions have more than one item',
    severity: 'warning',
    about: 'A transaction costs twice; one item with a condition is atomic by itself.',
  },
  'batch-size': {
    title: 'Batches fit 25 writes',
    severity: 'note',
    about: 'BatchWriteItem takes 25 writes; more take several calls, each with unprocessed items of its own.',
  },
  'retry-counts-twice': {
    title: 'Counters survive retries',
    severity: 'warning',
    about: 'An ADD that is repeated after a lost answer counts twice, unless the command is idempotent.',
  },
  'write-amplification': {
    title: 'Indexes do not multiply writes',
    severity: 'warning',
    about: 'Each index that a write touches costs at least a write unit, and two if its key changes.',
  },
  'unread-index': {
    title: 'Every index is read',
    severity: 'warning',
    about: 'An index that no pattern reads costs writes and storage for nothing.',
  },
  'unread-entry': {
    title: 'Every entry of an index is read',
    severity: 'warning',
    about: 'An entity that no pattern reads in an index pays for its entries there.',
  },
  'wide-projection': {
    title: 'Indexes project no more than is read',
    severity: 'warning',
    about: 'What is projected is stored twice and written twice. Projections cannot be narrowed later.',
  },
  'index-limits': {
    title: 'Indexes and projections fit the limits',
    severity: 'error',
    about: 'A table has at most 20 global and 5 local indexes, and 100 projected names.',
  },
  'local-index-partition': {
    title: "A local index shares the table's partition key",
    severity: 'error',
    about: 'A local index is another order of the same partition.',
  },
  'stale-copy': {
    title: 'Somebody refreshes every copy',
    severity: 'error',
    about:
      'A copied attribute whose source changes is wrong from then on, unless a stream or a transaction follows it.',
  },
  'entries-stay': {
    title: 'Entries leave sparse indexes',
    severity: 'warning',
    about:
      'An index that holds the items with an attribute grows with every item that ever had it, unless a write removes the attribute.',
  },
  'unwritten-attribute': {
    title: 'What changes is written',
    severity: 'note',
    about:
      'An attribute declared as changing cannot stand in a table key, although no write ever changes it.',
  },
  'table-per-entity': {
    title: 'Entities that are read together share a table',
    severity: 'warning',
    about: 'A table for each entity brings back joins, now over the network.',
  },
  'stale-answer': {
    title: 'Answers are as fresh as their patterns ask',
    severity: 'error',
    about: 'Eventual reads trail by up to a second, copies that a stream refreshes by some seconds.',
  },
  'ttl-seconds': {
    title: 'TTL attributes hold seconds since 1970',
    severity: 'error',
    about: 'Milliseconds are a date in the far future: nothing ever expires.',
  },
} as const satisfies Readonly<Record<string, CheckRule>>;

/** The rules of `stator design check`, by name. */
export type CheckId = keyof typeof checkList;
