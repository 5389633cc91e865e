import type { Quiz } from './quiz.ts';

export const interview: Quiz = {
  id: 'interview',
  title: 'Interview: twelve questions that exams ask',
  questions: [
    {
      id: 'backwards',
      asks: 'What does designing backwards mean?',
      right: 'From the questions of the program to keys; relations are a matter of where items lie',
      wrong: [
        'From the last normal form back to the first',
        'From the indexes to the table',
        'From production data to a smaller sample',
      ],
      because:
        'Each question is to be one GetItem or one Query. Where an item lies is decided when it is written.',
      topic: 'method',
      exams: ['DVA-C02'],
    },
    {
      id: 'overloading',
      asks: 'What is entity overloading?',
      right: 'Generic key names whose values carry a type, so that several entities share a partition',
      wrong: [
        'More than 20 attributes in an item',
        'Several tables behind one name',
        'The same item in several partitions',
      ],
      because: 'PK = CUST#a1 holds PROFILE and ORDER#…: one Query returns the parent with its children.',
      topic: 'items-and-keys',
      exercise: 'one-screen',
      exams: ['DVA-C02'],
    },
    {
      id: 'sparse',
      asks: 'What is a sparse index good for?',
      right: 'A small working set, such as open orders: only items that carry its key attributes are in it',
      wrong: [
        'Compressing items with few attributes',
        'Reading an index with strong consistency',
        'Spreading a hot key over shards',
      ],
      because:
        'An item leaves the index when its key attributes are removed, so reading the index costs what the working set costs.',
      topic: 'indexes',
      exercise: 'sparse-queue',
      exams: ['DVA-C02'],
    },
    {
      id: 'throttled-low',
      asks: 'Requests are throttled while the table uses 40 % of its capacity. What is the likely cause?',
      right: 'One key asks for more than one partition gives',
      wrong: [
        'Auto scaling has reached its maximum',
        'The table has too many items',
        'Eventually consistent reads are too slow',
      ],
      because:
        'A partition gives 1,000 write and 3,000 read units a second. Raising the capacity of the table does not change that.',
      topic: 'partitions',
      exercise: 'forty-percent',
      exams: ['DEA-C01', 'SAP-C02'],
    },
    {
      id: 'sharding-trade',
      asks: 'What do you pay for sharding a key over N suffixes?',
      right: 'A read of the whole takes N queries, whose answers the reader merges',
      wrong: ['N times the write units', 'N times the storage', 'Strongly consistent reads'],
      because: 'Writes are divided, reads are multiplied. So N is as small as the write rate allows.',
      topic: 'partitions',
      exercise: 'hot-shipment',
      exams: ['DEA-C01', 'SAP-C02'],
    },
    {
      id: 'mode',
      asks: 'On demand or provisioned?',
      right:
        'By the shape of the traffic: on demand for new and spiky, provisioned with scaling for steady load',
      wrong: [
        'On demand whenever the table is larger than 10 GB',
        'Provisioned whenever there are global indexes',
        'On demand only in development',
      ],
      because:
        'On demand costs more for each request and nothing when idle. Provisioned wins when much of what is provisioned is used.',
      topic: 'capacity-and-cost',
      exercise: 'back-pressure',
      exams: ['SAA-C03'],
    },
    {
      id: 'filter-or-key',
      asks: 'What is the difference between a filter and a key condition?',
      right: 'The key condition selects before reading; the filter drops items after they have been paid for',
      wrong: [
        'A filter works on indexes only',
        'A key condition cannot use begins_with',
        'A filter is strongly consistent',
      ],
      because: 'ScannedCount tells what was read and Count what was returned. The units follow ScannedCount.',
      topic: 'capacity-and-cost',
      exercise: 'one-query',
      exams: ['DVA-C02'],
    },
    {
      id: 'many-to-many',
      asks: 'How is a many-to-many relation kept?',
      right: 'One item for each pair, and an index with the two keys turned round',
      wrong: [
        'A list of ids in both items',
        'A table for each side, joined by Query',
        'A string set that grows with each member',
      ],
      because: 'Each side is then one Query, and no item grows without bound.',
      topic: 'relationships',
      exercise: 'one-index',
      exams: ['DVA-C02'],
    },
    {
      id: 'transaction',
      asks: 'What does TransactWriteItems promise, and at what price?',
      right: 'All or nothing for up to 100 items with conditions, for twice the write units',
      wrong: [
        'All or nothing for up to 25 items, at no extra price',
        'Isolation of everything that Query reads, for three times the units',
        'At least one of the actions is done',
      ],
      because:
        'If one condition is false nothing is written, and CancellationReasons says which. Two items of 1 KB cost 4 write units.',
      topic: 'conditions-and-transactions',
      exercise: 'unique-email',
      exams: ['DVA-C02'],
    },
    {
      id: 'live-index',
      asks: 'You add a global index to a live table. Which order is right?',
      right:
        'UpdateTable, wait for ACTIVE, backfill items that lack the key attributes, compare counts, then read it',
      wrong: [
        'Read it at once; queries wait until it is filled',
        'Stop all writes, UpdateTable, start again',
        'Backfill is never needed: every item is in every index',
      ],
      because:
        'An index holds the items that carry its key attributes. Old items without them stay outside, and nothing says so.',
      topic: 'evolution',
      exercise: 'order-of-steps',
      exams: ['DEA-C01'],
    },
    {
      id: 'large-item',
      asks: 'An item keeps a list that grows with each event. What happens?',
      right: 'At 400 KB writes are refused for good; each event should be an item of its own',
      wrong: [
        'At 400 KB DynamoDB splits it into two items',
        'At 1 MB it is moved to object storage',
        'Nothing, as long as reads use a projection',
      ],
      because:
        'The limit is absolute, and every append pays for the whole item long before. Keep a small summary beside the events.',
      topic: 'limits',
      exams: ['DVA-C02'],
    },
    {
      id: 'index-throttles',
      asks: 'How does a global index throttle its table?',
      right:
        'A write must be admitted by every index that it changes; one without capacity refuses the write',
      wrong: [
        'It does not: indexes are filled asynchronously and never refuse',
        'Index reads use the capacity of the table',
        'The index locks the items that it copies',
      ],
      because:
        'Give an index at least the write rate of its keys, and remember that moving an entry to another key is two writes.',
      topic: 'indexes',
      exercise: 'back-pressure',
      exams: ['SAA-C03'],
    },
  ],
};
