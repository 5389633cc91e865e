import { describe, expect, it } from 'vitest';
import { LiveRates } from './live-rates.ts';

const orders = { account: '000000000000', region: 'us-east-1', table: 'orders' };

function counting(second: number, requests: number, table = orders.table): LiveRates {
  const rates = new LiveRates();
  const own = rates.of(orders.account, orders.region, table);
  for (let i = 0; i < requests; i++) {
    own.request(second, i === 0, 2);
    own.units(second, 'write', 1.5);
  }
  return rates;
}

describe('the live rates of several processes', () => {
  it('are sums, and no process tells on what others told it', () => {
    const [one, two, three] = [counting(100, 2), counting(100, 3), counting(100, 1, 'parcels')];
    one.take(2, two.share(100));
    one.take(3, three.share(100));
    expect(one.tables().map(({ table }) => table)).toEqual(['orders', 'parcels']);
    expect(one.read(orders, 90, 101)).toEqual(
      [{ second: 100, requests: 5, readUnits: 0, writeUnits: 7.5, throttles: 0, shadowThrottles: 0 }].map(
        (second) => ({ ...second, errors: 2, milliseconds: 10 }),
      ),
    );
    expect(one.share(100).tables).toMatchObject([{ table: 'orders', counted: { requests: 2 } }]);
    two.take(1, one.share(100));
    expect(two.read(orders, 90, 101)).toMatchObject([{ requests: 5 }]);
    expect(one.read(orders, 101, 110)).toEqual([]);
    expect(one.share(101).tables).toEqual([]);
  });

  it('have a second whole when all have told it, or are silent for long', () => {
    const rates = new LiveRates();
    expect(rates.openSecond(100)).toBe(100);
    rates.take(2, { second: 99, tables: [] });
    rates.take(3, { second: 97, tables: [] });
    expect(rates.openSecond(100)).toBe(98);
    rates.take(3, { second: 98, tables: [] });
    rates.take(3, { second: 99, tables: [] });
    expect(rates.openSecond(100)).toBe(100);
    rates.take(2, { second: 100, tables: [] });
    expect(rates.openSecond(109)).toBe(100);
    expect(rates.openSecond(110)).toBe(101);
    expect(rates.openSecond(111)).toBe(111);
  });
});
