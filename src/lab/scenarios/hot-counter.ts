import { count, percent, shortNumber } from '../../report/figures.ts';
import { type IncludedScenario, patternOf } from '../story.ts';

/** The likes of one video that everybody watches. */
export const hotCounter: IncludedScenario = {
  scenario: {
    format: 'stator-lab/1',
    name: 'hot-counter',
    description:
      'A counter that everybody increments, alone and inside a transaction, against a sharded one.',
    startAt: '2026-06-04T20:00:00.000Z',
    seconds: 90,
    clients: 60,
    tables: [{ name: 'videos', partitionKey: 'PK', sortKey: 'SK', warm: { write: 6_000, read: 18_000 } }],
    keys: { video: { count: 1, as: 'V{n}' }, user: { count: 200_000, as: 'U{n}' } },
    entities: {
      Counter: { table: 'videos', key: { PK: 'VIDEO#{video}', SK: 'LIKES' }, load: { each: 'video' } },
      Shard: { table: 'videos', key: { PK: 'VIDEO#{video}#{shard:20}', SK: 'LIKES' } },
      Like: { table: 'videos', key: { PK: 'USER#{user}', SK: 'LIKE#{video}#{id}' } },
    },
    patterns: {
      like: { does: 'count a like', update: 'Counter', add: { likes: 1 }, rate: 1_800 },
      show: { does: 'show the number of likes', get: 'Counter', rate: 100 },
    },
    variants: {
      counter: { change: 'One item counts all likes.' },
      transaction: {
        change: 'The like and the count are one transaction, so that nobody likes twice.',
        patterns: {
          like: {
            does: 'record a like and count it, in one transaction',
            transact: [{ put: 'Like' }, { update: 'Counter', add: { likes: 1 } }],
            rate: 300,
          },
        },
      },
      sharded: {
        change: 'Twenty items count, one of them chosen by chance; a reader adds them up.',
        patterns: {
          like: { does: 'count a like on a shard', update: 'Shard', add: { likes: 1 }, rate: 1_800 },
          show: { does: 'add up twenty shards', query: 'Shard', shards: 20, rate: 100 },
        },
      },
    },
  },
  story(runs) {
    return runs.map((run) => {
      const like = patternOf(run, 'like')!;
      const lost = like.gaveUp + like.conflicts + like.failed;
      return {
        when: run.name,
        what: `${run.change} ${count(like.answered / run.seconds)} likes a second are counted, ${percent(lost / like.calls)} lost: ${count(like.throttles)} throttles, ${count(like.conflicts)} conflicts. A like costs ${shortNumber(like.writeUnits / Math.max(1, like.answered))} units; showing it ${shortNumber((patternOf(run, 'show')?.readUnits ?? 0) / Math.max(1, patternOf(run, 'show')?.answered ?? 1))}.`,
      };
    });
  },
};
