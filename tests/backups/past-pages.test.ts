import { expect, it } from 'vitest';
import { cutAt, endOfMs } from '../../src/engine/history/eras.ts';
import { type PastItem, type PastRequest, readPastPage } from '../../src/engine/history/past-pages.ts';
import { pastSource } from '../../src/engine/history/recovery.ts';
import type { ItemBounds } from '../../src/engine/history/segment-cursor.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { parseJson } from '../../src/model/json/parse-json.ts';
import { itemJson } from '../../src/model/stored/stored-item.ts';
import { decodeUtf8 } from '../../src/model/values/utf8.ts';
import { rounds, seededRandom, testSeeds } from '../seeded-random.ts';
import { canonical, definition, NaiveHistory, TableName } from './naive-history.ts';

const scope = { account: '000000000000', region: 'us-east-1' };

it.each(testSeeds('pages of the past'))('tiny pages of the past are one page, %i', async (seed) => {
  const random = seededRandom(seed);
  for (let round = 0; round < rounds(1); round++) {
    const clock = new VirtualClock(Date.UTC(2026, 10, 18, 22));
    const db = await Stator.open({ clock, seed: random.below(1_000) });
    await db.createTable(definition);
    await db.updateContinuousBackups({
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    clock.advanceMs(1);
    const history = new NaiveHistory(db, clock, random);
    for (let i = 0; i < 250; i++) await history.write();
    const { store, catalogue } = db.engine;
    await db.settled();
    const record = (await catalogue.record(scope, TableName))!;
    const source = pastSource(record);

    /** All pages: an item, or a bound of the next page, never lies outside of what is left. */
    const readAll = async (request: Omit<PastRequest, 'bounds'>, given: ItemBounds) => {
      const items: PastItem[] = [];
      for (let bounds = given, pages = 0; ; pages++) {
        expect(pages).toBeLessThan(5_000);
        const page = await readPastPage(store, source, { ...request, bounds });
        expect(page.items.length).toBeLessThanOrEqual(request.limit);
        items.push(...page.items);
        if (page.next === undefined) return items;
        bounds = given.reverse ? { ...bounds, to: page.next } : { ...bounds, from: page.next };
      }
    };

    const whole = { limit: 10_000, maxBytes: 1e9, reads: { entries: 1e9, bytes: 1e9 } };
    for (let i = 0; i < 20; i++) {
      const ms = random.pick(history.times);
      const later = Math.max(ms, random.pick(history.times));
      const cuts = [await cutAt(store, record, endOfMs(ms)), await cutAt(store, record, endOfMs(later))];
      const all = await readAll(
        { cuts, ...whole },
        { from: source.itemPrefix, to: undefined, reverse: false },
      );
      for (const [n, time] of [ms, later].entries())
        expect(
          all.flatMap(({ states }) => (states[n] === undefined ? [] : [jsonOf(states[n]!)])).sort(),
        ).toEqual(history.at(time));
      const [a, b] = [random.below(all.length + 1), random.below(all.length + 1)].sort((x, y) => x - y);
      const part = all.slice(a, b);
      const bounds = {
        from: all[a!]?.key ?? source.itemPrefix,
        to: all[b!]?.key,
        reverse: random.chance(0.5),
      };
      if (all[a!] === undefined) continue;
      const tiny = {
        limit: random.pick([1, 2, 7, 1_000]),
        maxBytes: random.pick([1, 300, 1e9]),
        reads: { entries: random.pick([1, 3, 10, 100, 1e9]), bytes: random.pick([1, 2_000, 1e9]) },
      };
      const paged = await readAll({ cuts, ...tiny }, bounds);
      expect(paged, JSON.stringify({ ...tiny, reverse: bounds.reverse })).toEqual(
        bounds.reverse ? part.reverse() : part,
      );
    }
    await db.close();
  }
});

function jsonOf(stored: Uint8Array): string {
  const item = parseJson(decodeUtf8(itemJson(stored))) as Parameters<typeof canonical>[0];
  return canonical(item);
}
