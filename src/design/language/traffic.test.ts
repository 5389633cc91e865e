import { describe, expect, it } from 'vitest';
import { awsPrices } from '../../physics/prices.ts';
import { check } from '../check/check.ts';
import { costOf } from '../cost/cost-design.ts';
import {
  copy,
  count,
  create,
  derive,
  emit,
  entity,
  epoch,
  get,
  id,
  list,
  type Model,
  model,
  modelDocument,
  of,
  per,
  readModel,
  text,
  time,
  write,
  writeModel,
} from '../index.ts';
import type { FrequencyText, FreshnessText } from './traffic.ts';

const user = entity('User', {
  identity: { userId: id() },
  changing: { name: text(20) },
  population: count(100),
});
const session = entity('Session', {
  identity: { sessionId: id() },
  fixed: { userId: of(user), startedAt: time(), expires: epoch() },
  changing: { userName: copy(user, 'name', 'stream') },
  ttl: 'expires',
  keepDays: 1,
  population: per(user, { mean: 1, max: 9 }),
});

interface Told {
  readonly frequency?: FrequencyText;
  readonly mean?: number;
  readonly freshness?: FreshnessText;
  readonly consistency?: 'eventual' | 'strong';
  readonly needs?: readonly ('sessionId' | 'userName')[];
}

function sessions(told: Told): Model {
  return model('sessions', {
    entities: [user, session],
    reads: {
      user: get(user, { does: 'a user', by: 'userId', peak: 1 }),
      ofUser: list(session, { does: 'sessions of a user', by: 'userId', page: 10, peak: 40, ...told }),
    },
    writes: { signIn: write({ does: 'begin a session', steps: [create(session)], peak: 5, mean: 1 }) },
  });
}
const read = (told: Told) => sessions(told).reads[1]!;

describe('the frequency of a pattern', () => {
  it('is its mean rate in other words, of which bills are made', () => {
    expect(read({ frequency: '5000 per day' })).toMatchObject({
      rate: { peak: 40, mean: 5_000 / 86_400 },
      frequency: { calls: 5_000, per: 'day' },
    });
    const costs = (['30 per second', '30 per minute'] as const).map((frequency) => {
      const asked = sessions({ frequency });
      const { patterns } = costOf(asked, derive(asked), {
        basis: { prices: awsPrices, region: 'us-east-1', tableClass: 'STANDARD' },
      });
      return patterns.find(({ pattern }) => pattern === 'ofUser')!.onDemand;
    });
    expect(costs[0]! / costs[1]!).toBeCloseTo(60);
  });

  it('survives JSON, and is refused where it contradicts the mean rate', () => {
    const asked = sessions({ frequency: '7 per hour' });
    expect(readModel(writeModel(asked))).toEqual(asked);
    const [first, second] = asked.reads;
    const edited = { ...asked, reads: [first!, { ...second!, rate: { peak: 40, mean: 3 } }] };
    expect(() => derive(edited)).toThrow('makes 10800 calls per hour, but its frequency says 7');
  });

  it('is refused beside a mean, above the peak, and in other words', () => {
    expect(() => read({ frequency: '7 per hour', mean: 1 })).toThrow('has a mean and a frequency');
    expect(() => sessions({ frequency: '41 per second' })).toThrow('at most 40 times at the peak');
    expect(() => read({ frequency: 'often' as never })).toThrow('is not a number of calls per second');
    expect(() => read({ frequency: '3 per fortnight' as never })).toThrow('is not a number of calls');
  });
});

describe('the freshness of a read', () => {
  it('makes it strong below a second, which no global index answers', () => {
    const slotOf = (told: Told) => {
      const { tables } = derive(sessions({ needs: ['sessionId'], ...told }));
      return tables[0]!.plans.find(({ pattern }) => pattern === 'ofUser')!.slot;
    };
    expect(read({ freshness: 'now', needs: ['sessionId'] }).consistency).toBe('strong');
    expect(read({ freshness: '900 ms', needs: ['sessionId'] }).consistency).toBe('strong');
    expect(read({ freshness: '2 seconds', needs: ['sessionId'] })).toMatchObject({
      consistency: 'eventual',
      freshnessMs: 2_000,
    });
    expect(slotOf({ freshness: 'now' })).toBe('table');
    const [placement] = derive(
      sessions({ freshness: 'now', needs: ['sessionId'] }),
    ).tables[0]!.placements.filter((one) => one.entity === 'Session' && one.serves.includes('ofUser'));
    expect(placement!.slot).toBe('table');
  });

  it('refuses eventual reads that would be older', () => {
    expect(() => sessions({ freshness: 'now', consistency: 'eventual', needs: ['sessionId'] })).toThrow(
      'eventual reads miss the writes of the last second',
    );
  });

  it('refuses copies that a stream refreshes later', () => {
    expect(() => sessions({ freshness: '2 seconds' })).toThrow(
      'a stream refreshes "userName" of Session later',
    );
    expect(() => sessions({ freshness: '2 seconds', needs: ['sessionId'] })).not.toThrow();
    expect(() => sessions({ freshness: '1 minute' })).not.toThrow();
  });

  it('is judged by `stator design check`, and told in schema.json', () => {
    const stale = JSON.parse(writeModel(sessions({ needs: ['sessionId'] }))) as Model;
    const [first, second] = stale.reads;
    const given = { ...stale, reads: [first!, { ...second!, freshnessMs: 500 }] };
    const rules = check(given).findings.map((one) => one.check);
    expect(rules).toContain('stale-answer');
    const asked = sessions({ freshness: '1 minute', frequency: '7 per hour' });
    expect(JSON.parse(emit('aws-schema', asked, derive(asked))).stator.patterns).toEqual([
      { pattern: 'ofUser', frequency: '7 per hour', freshness_ms: 60_000 },
    ]);
  });

  it('is refused in other words', () => {
    expect(() => read({ freshness: 'soon' as never })).toThrow('neither "now" nor an age');
  });
});

describe('the days that items are kept', () => {
  it('stand in the document, in schema.json and in sample items', () => {
    const asked = sessions({});
    const design = derive(asked);
    expect(modelDocument(asked, design).get('model.md')).toContain('| by expires, after 1 day |');
    expect(JSON.parse(emit('aws-schema', asked, design)).stator.tables[0].ttl).toEqual({
      attribute: 'expires',
      entities: ['Session'],
      keep_days: { Session: 1 },
    });
    const rows = modelDocument(asked, design)
      .get('model.md')!
      .matchAll(/startedAt `([^`]+)`, expires `(\d+)`/g);
    const ages = [...rows].map(([, at, expires]) => Number(expires) - Date.parse(at!) / 1_000);
    expect(ages.length).toBeGreaterThan(0);
    expect(new Set(ages)).toEqual(new Set([86_400]));
  });

  it('need an attribute by which the items expire', () => {
    const lost = entity('Lost', { identity: { lostId: id() }, keepDays: 3, population: count(1) });
    expect(() =>
      model('lost', {
        entities: [lost],
        reads: { lost: get(lost, { does: '', by: 'lostId', peak: 1 }) },
        writes: {},
      }),
    ).toThrow('no attribute says when it expires');
  });
});
