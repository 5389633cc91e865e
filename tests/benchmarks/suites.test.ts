import { describe, expect, it } from 'vitest';
import { expectMeasured, measureSmall } from './measure-small.ts';

/** Benchmarks that nobody runs stop working. Here they run tiny; what is checked is that they do what they say. */
describe('the benchmark', () => {
  it('durable: writes the same items as the bare engine, at two sizes and beside memory', async () => {
    const report = await measureSmall('durable');
    expect(report.hash).toMatch(/^[0-9a-f]{8} [0-9a-f]{8} [0-9a-f]{8}$/);
    expect(report.tables.map(({ title }) => title)).toEqual([
      '100 items, 4 connections',
      '200 items, 4 connections',
      '100 items, 4 connections',
    ]);
    expectMeasured(report, 7);
  });

  it('workers: one process and several hold the same items', async () => {
    const report = await measureSmall('workers');
    expect(report.tables[0]!.rows.map(([, name]) => name)).toEqual([
      ...['stator-lmdb', 'stator-lmdb-workers'],
      ...['stator-lmdb', 'stator-lmdb-workers'],
    ]);
    expectMeasured(report, 2);
  });

  it('load: loads all items into both, with a look at their memory', async () => {
    const report = await measureSmall('load');
    expect(report.hash).toMatch(/^[0-9a-f]{8}$/);
    expect(report.tables[0]!.rows.map(([name, , , items]) => [name, items])).toEqual([
      ['stator-lmdb', '500'],
      ['bare-lmdb', '500'],
    ]);
    for (const row of report.tables[0]!.rows)
      expect(row.slice(-3).every((cell) => Number(cell) > 0)).toBe(true);
    expectMeasured(report, 3);
  });

  it('design: derives, checks and proves', async () => {
    const report = await measureSmall('design');
    expect(report.tables[0]!.rows.map(([name]) => name)).toEqual(['orders']);
    expectMeasured(report, 5);
  });

  it('in-process: every door leads to the same items', async () => {
    const report = await measureSmall('in-process');
    expect(report.tables[0]!.rows).toHaveLength(8);
    expectMeasured(report, 4);
  });

  it('latency: every request that was due was answered', async () => {
    const report = await measureSmall('latency');
    expect(report.tables[0]!.rows.map(([name]) => name)).toEqual(['stator', 'bare']);
    expectMeasured(report, 2);
  });

  it('start: the built command answers', async () => {
    const report = await measureSmall('start');
    expect(report.tables[0]!.rows.map(([name]) => name)).toEqual([
      'stator start --in-memory',
      'stator start',
      'node -e, a bare server',
    ]);
    expectMeasured(report, 4);
  });

  it('lab: simulates beside plain methods, and the incident', async () => {
    const report = await measureSmall('lab');
    expect(report.findings.map(({ bar }) => bar?.kind)).toEqual(['at least', 'at most']);
  });

  it('fork: tests find their items', async () => {
    const report = await measureSmall('fork');
    expect(report.findings.map(({ what }) => what)).toEqual([
      'fork() with 200 items',
      '20 tests with a fork each, added',
    ]);
  });

  it('growth: both sides hold the same items, and a Scan finds all of them', async () => {
    const report = await measureSmall('growth');
    expect(report.tables.map(({ rows }) => rows.length)).toEqual([6, 4, 2]);
    expectMeasured(report, 10);
  });

  it('physics: judges every request', async () => {
    const report = await measureSmall('physics');
    expect(report.tables[0]!.rows).toHaveLength(3);
    expect(report.findings).toHaveLength(6);
    for (const { value, bar } of report.findings) if (bar !== null) expect(value).toBeGreaterThan(0);
  });

  it('internals: requests of every kind are counted', async () => {
    const report = await measureSmall('internals');
    expect(report.findings.map(({ what }) => what)).toContain('get: JSON is read');
    // Shapes are counted where V8 logs them, and no count of so few requests means anything.
    expectMeasured({ findings: report.findings.slice(1) }, 6);
  });

  it('physics-cost: measures shadow beside off', async () => {
    const report = await measureSmall('physics-cost', 'get');
    expect(report.findings.map(({ what }) => what)).toEqual([
      'GetItem, in memory: server CPU in shadow to off',
      'server CPU per operation, geometric mean',
    ]);
  });

  it('observe-cost: measures observation beside none', async () => {
    const report = await measureSmall('observe-cost', 'get');
    expect(report.findings.map(({ what }) => what)).toEqual([
      'GetItem, in memory: server CPU observed to not',
      'server CPU per operation, geometric mean',
    ]);
  });

  it('doctor: looks at all tables, and asks less the second time', async () => {
    const report = await measureSmall('doctor');
    const of = (what: string) => report.findings.find((each) => each.what === what)!.value!;
    // Three questions and a sample for each table, of which a later look asks none again.
    expect(of('requests of the first look')).toBeLessThan(10 * 4 + 10);
    expect(of('requests of a later look')).toBeLessThan(10);
  });

  it('observe-read: reads all points, by the API and below it', async () => {
    const report = await measureSmall('observe-read');
    expect(report.tables[0]!.rows).toHaveLength(6);
    expectMeasured(report, 6);
  });

  it('backups: exports, imports and restores all items, and measures who writes meanwhile', async () => {
    const report = await measureSmall('backups');
    expect(report.tables.map(({ rows }) => rows.length)).toEqual([5, 2, 6]);
    expectMeasured(report, 9);
  });

  it('install: a package of its own and its dependencies', async () => {
    const report = await measureSmall('install');
    expect(report.tables[0]!.rows.map(([name]) => name)).toContain('stator');
    expectMeasured(report, 1);
  });

  it('profile: tells functions of the server', async () => {
    const { tables } = await measureSmall('profile', 'get');
    const shares = tables[0]!.rows.map(([, share]) => Number.parseFloat(share!));
    // How many there are depends on how often the machine let the server run.
    expect(shares.length).toBeGreaterThan(0);
    expect(shares.length).toBeLessThanOrEqual(20);
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
  });
});
