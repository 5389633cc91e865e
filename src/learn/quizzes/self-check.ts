import type { Quiz } from './quiz.ts';

export const selfCheck: Quiz = {
  id: 'self-check',
  title: 'Self-check: ten questions of a designer',
  questions: [
    {
      id: 'patterns-first',
      asks: 'Why does a design begin with the list of access patterns and not with the entities?',
      right:
        'Only a question whose answer lies together under one key is cheap, and writes decide where things lie',
      wrong: [
        'DynamoDB needs all attributes to be declared when the table is made',
        'Access patterns decide the data types of attributes',
        'The planner builds its statistics from them',
      ],
      because:
        'There is no join and no planner. A read is cheap if its answer is one stretch of one partition, so the keys have to be chosen for the questions.',
      topic: 'method',
      exercise: 'pattern-list',
    },
    {
      id: 'few-values',
      asks: 'A partition key has five values. What is the danger?',
      right:
        'All load meets in at most five partitions, and each gives 1,000 write and 3,000 read units a second',
      wrong: [
        'The table can hold five items only',
        'Queries return at most five pages',
        'DynamoDB refuses keys with fewer than ten values',
      ],
      because:
        'The capacity of the table does not help a key: one value lies in one partition, and no setting raises its ceiling.',
      topic: 'partitions',
      exercise: 'hot-shipment',
    },
    {
      id: 'hot-index',
      asks: 'How can an index be hot while its table is healthy?',
      right: 'It has other keys: orders that are spread over customers meet under one status in the index',
      wrong: [
        'Indexes have one partition only',
        'Indexes are written before the table',
        'It cannot; an index shares the partitions of its table',
      ],
      because:
        'A write to the table must be admitted by every global index that it touches. The hot key of the index throttles writes to the table.',
      topic: 'partitions',
      exercise: 'busy-queue',
    },
    {
      id: 'no-scan',
      asks: 'Why is a Scan no path for users?',
      right: 'It reads the whole table and filters afterwards: time and price grow with the table',
      wrong: ['It locks the table while it runs', 'It returns at most 100 items', 'It cannot use a filter'],
      because:
        'The charge is for what is read. The same answer by a key costs the same at a thousand and at a billion items.',
      topic: 'capacity-and-cost',
      exercise: 'read-the-bill',
    },
    {
      id: 'one-table-worth',
      asks: 'When is one table for several entities worth it?',
      right: 'When they are read or changed together, under patterns that are known and stay',
      wrong: [
        'Always: fewer tables cost less',
        'When there are more than 20 entities',
        'When analysts need to join them',
      ],
      because:
        'One Query answers a parent with its children, and one transaction changes them. Without such patterns the shared keys bring nothing.',
      topic: 'when-to-use',
      exercise: 'one-screen',
    },
    {
      id: 'one-table-too-much',
      asks: 'And when is it over-engineering?',
      right: 'When patterns are unknown, entities live apart, or ad-hoc analysis dominates',
      wrong: [
        'When the table is larger than 10 GB',
        'When there is more than one global index',
        'When items have different attributes',
      ],
      because:
        'The keys carry the known patterns and nothing else. Questions that change weekly belong to an export or a search engine.',
      topic: 'when-to-use',
    },
    {
      id: 'state-machine',
      asks: 'How does a condition protect a state machine?',
      right: 'The allowed source state is part of the write: of two steps from the same state one is refused',
      wrong: [
        'It locks the item until the transition is over',
        'It queues the second step behind the first',
        'It reads the item again after the write and repairs it',
      ],
      because:
        'The condition is evaluated with the write, as one step. A check in a read before it proves nothing about the moment of the write.',
      topic: 'conditions-and-transactions',
      exercise: 'state-machine',
    },
    {
      id: 'stream-later',
      asks: 'Why is a stream no synchronous trigger?',
      right:
        'The writer is answered before the record is read, and the reader may be late and may see it twice',
      wrong: [
        'Records hold keys only',
        'A stream can be read by one program only',
        'It drops records when the table is busy',
      ],
      because:
        'What must be true when the writer is answered belongs into the write itself. The stream carries what may follow.',
      topic: 'streams',
      exercise: 'seen-twice',
    },
    {
      id: 'ttl-late',
      asks: 'Why is TTL no scheduler?',
      right: 'Items are deleted some time after the moment in the attribute, minutes to days later',
      wrong: [
        'It works in the time zone of the Region',
        'It deletes at most 1,000 items a second',
        'It needs a Scan every night',
      ],
      because:
        'Until the deletion an expired item is read like any other, so that readers compare the time themselves.',
      topic: 'expiry',
      exercise: 'expired-is-gone',
    },
    {
      id: 'global-writers',
      asks: 'Two Regions of a global table write the same item. What happens?',
      right: 'The last writer wins, and the other one is not told',
      wrong: [
        'Both writes are merged attribute by attribute',
        'The second writer gets TransactionConflictException',
        'The first writer wins everywhere',
      ],
      because:
        'Items need one owner at a time, or conflicts must be harmless. A condition is judged in the Region where the write arrives.',
      topic: 'global-tables',
    },
  ],
};
