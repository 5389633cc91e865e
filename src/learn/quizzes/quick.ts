import type { Quiz } from './quiz.ts';

export const quick: Quiz = {
  id: 'quick',
  title: 'Quick check: five symptoms',
  questions: [
    {
      id: 'twelve-items',
      asks: 'A Query returns 12 items and costs as much as one that returns 1,000. Why?',
      right: 'It reads 1,000 and a filter drops the others: put the filter into the key',
      wrong: ['The items are very small', 'The index is being filled', 'ScanIndexForward is false'],
      because: 'ScannedCount shows it. A sort key or a sparse index that carries the condition reads 12.',
      topic: 'sort-keys',
      exercise: 'one-query',
    },
    {
      id: 'forty',
      asks: 'Writes are throttled at 40 % of the capacity of the table. What helps?',
      right: 'Shard the hot key',
      wrong: ['Double the capacity of the table', 'Switch to strongly consistent reads', 'Add an index'],
      because:
        'The ceiling belongs to the partition that the key lies in. More capacity for the table leaves it where it is.',
      topic: 'partitions',
      exercise: 'forty-percent',
    },
    {
      id: 'strong-index',
      asks: 'May a global index be read with strong consistency?',
      right: 'No: read the table by GetItem, or a local index',
      wrong: ['Yes, with ConsistentRead: true', 'Yes, for twice the units', 'Only in transactions'],
      because:
        'A global index follows its table with a delay. ConsistentRead on it is a ValidationException.',
      topic: 'consistency',
    },
    {
      id: 'growing-queue',
      asks: 'The index of open jobs only ever grows. What was forgotten?',
      right: 'The step that closes a job does not remove the key attributes of the index',
      wrong: ['TTL is off', 'The index projects too much', 'Jobs are deleted with BatchWriteItem'],
      because: 'An item stays in a sparse index as long as it carries both key attributes.',
      topic: 'indexes',
      exercise: 'sparse-queue',
    },
    {
      id: 'too-large',
      asks: '"Item size to update has exceeded the maximum allowed size": what is the cure?',
      right: 'One item for each element, and a small item for the latest state',
      wrong: ['A larger table class', 'Compress the list', 'Retry with backoff'],
      because: 'The item has reached 400 KB, and every retry meets the same limit.',
      topic: 'limits',
    },
  ],
};
