import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Stator, type StatorServer, VirtualClock } from '../../src/index.ts';
import { type Browser, chromiumPath, startChromium } from '../browser/chromium.ts';
import { requestHeaders } from '../cli/plain-request.ts';
import { axeViolations } from './axe-violations.ts';

/** The pages that show what happens inside: indexes, partitions, streams, time and faults. */

/** A loaded machine may take its time. */
const patient = { timeout: 30_000 };

let browser: Browser;
let clock: VirtualClock;
let db: Stator;
let server: StatorServer;
let page: Page;
let troubles: string[];

const names = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, text]) => [name, { S: text }]));

beforeAll(async () => {
  if (chromiumPath !== undefined) browser = await startChromium();
});
afterAll(() => browser?.close());

beforeEach(async () => {
  if (chromiumPath === undefined) return;
  clock = new VirtualClock(Date.UTC(2026, 10, 18, 9));
  db = await Stator.open({ clock, physics: 'shadow', seed: 1, observe: true });
  await db.createTable({
    TableName: 'orders',
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    AttributeDefinitions: ['pk', 'sk', 'open'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'Open',
        KeySchema: [{ AttributeName: 'open', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['total'] },
      },
    ],
  });
  server = await db.listen({ port: 0, studio: true });
  page = await browser.context.newPage();
  troubles = [];
  page.on('pageerror', (error) => troubles.push(error.message));
});

afterEach(async () => {
  if (chromiumPath === undefined) return;
  await page.close();
  await server.close();
  await db.close();
  expect(troubles).toEqual([]);
});

function put(values: Readonly<Record<string, string>>): Promise<unknown> {
  return Promise.resolve(db.putItem({ TableName: 'orders', Item: names(values) }));
}

async function open(place: string): Promise<void> {
  await page.goto(`${server.url}/#${place}`);
}

describe.skipIf(chromiumPath === undefined)('the page of', () => {
  it('indexes shows each item beside its entry, and what a sparse index lacks', async () => {
    await put({ pk: 'c1', sk: 'o1', open: 'YES', total: '10', note: '<img src=x onerror=alert(1)>' });
    await put({ pk: 'c1', sk: 'o2', total: '20' });
    // An address with a key runs a Query by itself, and nothing more.
    await open('/t/orders/indexes?pk=c1');
    const entry = page.locator('.overlay-index [data-id=\'["c1","o1"]\']');
    await entry.waitFor();
    expect(await page.locator('.overlay-table [data-id]').count()).toBe(2);
    expect(await page.locator('.overlay-index [data-id]').count()).toBe(1);
    expect(await page.locator('.overlay-table .hollow').textContent()).toContain('o2');
    expect(await page.locator('.overlay-missing li').textContent()).toContain('has no open');
    expect(await entry.locator('.chip.absent').textContent()).toBe('note');
    expect(await page.locator('.overlay-lines path').count()).toBe(1);
  });

  it('indexes scans only when it is asked to, and marks entries that move', async () => {
    await put({ pk: 'c1', sk: 'o1', open: 'YES' });
    await open('/t/orders/indexes');
    await page.getByText('Look at some items').waitFor();
    const scan = page.getByRole('button', { name: /^Scan/ }).first();
    expect(await scan.textContent()).toBe('Scan 24 items · ≈ 0.5 RCU');
    await scan.click();
    await page.locator('.overlay-index [data-id=\'["c1","o1"]\']').waitFor();
    await page.getByLabel('live').check();
    await put({ pk: 'c1', sk: 'o1' });
    await page.locator('.overlay-missing .moved').waitFor();
    expect(await page.locator('.overlay-index [data-id]').count()).toBe(0);
  });

  it('partitions shows the load, the hot key and the sentence that the control API tells', async () => {
    for (let i = 0; i < 2_500; i++) await put({ pk: 'SHIPMENT#881', sk: String(i) });
    for (let i = 0; i < 40; i++) await put({ pk: `SHIPMENT#${i}`, sk: 'x' });
    const told = (await (await fetch(`${server.url}/_stator/physics/orders`)).json()) as {
      resources: { partitions: { id: number; lastHour: { refusedWrites: number }[] }[] }[];
      verdicts: { explanation: string }[];
    };
    expect(told.verdicts.length).toBeGreaterThan(0);
    await open('/t/orders/partitions');
    await page.locator('.heat-row').first().waitFor();
    expect(await page.locator('.heat-row').count()).toBe(told.resources[0]!.partitions.length);
    expect(await page.locator('.hot-keys li').first().textContent()).toContain('SHIPMENT#881');
    expect(await page.locator('.verdict p').first().textContent()).toBe(told.verdicts[0]!.explanation);
    const hot = told.resources[0]!.partitions.find(({ lastHour }) =>
      lastHour.some(({ refusedWrites }) => refusedWrites > 0),
    )!;
    expect(await page.locator('.heat-throttle').count()).toBeGreaterThan(0);
    await open(`/t/orders/partitions?p=${hot.id}`);
    await page.getByText(`Partition #${hot.id}`, { exact: true }).waitFor();
    expect(await page.locator('.inspector').textContent()).toContain('throttled');
  });

  it('streams shows changes as they happen, with what is different', async () => {
    await open('/t/orders/streams');
    await page.getByText('4 open shards').waitFor();
    await put({ pk: 'c1', sk: 'o1', total: '10' });
    await put({ pk: 'c1', sk: 'o1', total: '11' });
    await db.deleteItem({ TableName: 'orders', Key: names({ pk: 'c1', sk: 'o1' }) });
    await page.locator('.change').nth(2).waitFor();
    const rows = await page.locator('.change').allTextContents();
    expect(rows.map((row) => /removed|changed|inserted/.exec(row)?.[0])).toEqual([
      ...['removed', 'changed', 'inserted'],
    ]);
    await page.locator('.change').nth(1).click();
    expect(await page.locator('.differences').textContent()).toMatch(/total\s*10 S\s*→ 11 S/);
    await page.getByRole('button', { name: 'Pause' }).click();
    await put({ pk: 'c2', sk: 'o1' });
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.locator('.change', { hasText: 'c2 / o1' }).waitFor();
    // Iterators do not outlast a quarter of an hour. The place in each shard does, also in one that was silent so far.
    await page.getByRole('button', { name: 'Pause' }).click();
    for (let i = 0; i < 8; i++) await put({ pk: `late${i}`, sk: 'o1' });
    clock.advanceMs(20 * 60_000);
    for (let i = 0; i < 8; i++) await put({ pk: `later${i}`, sk: 'o1' });
    await page.getByRole('button', { name: 'Follow' }).click();
    for (let i = 0; i < 8; i++) await page.locator('.change', { hasText: `later${i} / o1` }).waitFor();
    expect(await page.locator('.change', { hasText: 'c1 / o1' }).count()).toBe(3);
    await page.locator('body').press('/');
    await page.keyboard.type('no such');
    await page.getByText('No change matches').waitFor();
  });

  it('streams switches a stream on', async () => {
    await db.createTable({
      TableName: 'plain',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
    await open('/t/plain/streams');
    await page.getByRole('button', { name: /Enable the stream/ }).click();
    await page.getByText('Waiting for changes').waitFor();
    const { Table } = await db.describeTable({ TableName: 'plain' });
    expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
  });

  it('time and faults moves the clock, arms faults, sets physics and resets', async () => {
    await open('/faults');
    const before = clock.nowMs();
    await page.getByRole('button', { name: '+ 1 h' }).click();
    await expect.poll(() => clock.nowMs() - before, patient).toBe(3_600_000);
    await page.getByText('2026-11-18 10:00:00 UTC').waitFor();

    await page.locator('.fault-form select').nth(1).selectOption('orders');
    await page.getByLabel('How many requests').fill('2');
    await page.getByRole('button', { name: 'Arm' }).click();
    await page.locator('.armed li').waitFor();
    expect(db.faults.all).toMatchObject([
      { error: 'ProvisionedThroughputExceededException', table: 'orders', times: 2 },
    ]);
    await page.getByRole('button', { name: 'Remove the fault' }).click();
    await expect.poll(() => db.faults.all.length, patient).toBe(0);

    await page.getByLabel('Physics of orders').selectOption('enforce');
    await expect
      .poll(async () => {
        const answer = await fetch(`${server.url}/_stator/physics/orders`);
        return ((await answer.json()) as { mode: string }).mode;
      }, patient)
      .toBe('enforce');

    await page.getByRole('button', { name: 'Take a snapshot' }).click();
    await page.getByText('There is a snapshot.').waitFor();
    await put({ pk: 'late', sk: 'x' });
    await page.getByRole('button', { name: 'Reset to it' }).click();
    await expect
      .poll(async () => {
        const body = JSON.stringify({ TableName: 'orders', Select: 'COUNT' });
        const answer = await fetch(server.url, { method: 'POST', headers: requestHeaders('Scan'), body });
        return ((await answer.json()) as { Count?: number }).Count;
      }, patient)
      .toBe(0);
  });

  it('patterns shows each shape of request with the numbers of the control API', async () => {
    for (let i = 0; i < 5; i++) await put({ pk: 'c1', sk: String(i) });
    await db.scan({
      TableName: 'orders',
      FilterExpression: 'note = :t',
      ExpressionAttributeValues: { ':t': { S: '1' } },
    });
    const { patterns } = (await (await fetch(`${server.url}/_stator/patterns`)).json()) as {
      patterns: { name: string; operation: string; requests: number }[];
    };
    await open('/t/orders/patterns');
    await page.locator('.patterns tbody tr').first().waitFor();
    for (const { name, requests } of patterns.filter(({ operation }) => /PutItem|Scan/.test(operation))) {
      const row = page.locator('.patterns tbody tr', { hasText: name });
      expect(await row.locator('.number').first().textContent()).toBe(String(requests));
    }
    await page.locator('.patterns tbody tr', { hasText: 'Scan' }).click();
    expect(await page.locator('.inspector').textContent()).toContain('A Scan reads the whole table');
  });

  it('every kind has no violations that axe finds, light and dark', async () => {
    await db.updateContinuousBackups({
      TableName: 'orders',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    for (let i = 0; i < 1_200; i++) await put({ pk: 'hot', sk: String(i % 40), open: 'YES', total: '5' });
    const places = [
      ['/t/orders/indexes?pk=hot', '.overlay-index [data-id]'],
      ['/t/orders/partitions', '.heat-row'],
      ['/t/orders/streams', '.streams'],
      [
        '/t/orders/history?item=%7B%22pk%22%3A%7B%22S%22%3A%22hot%22%7D%2C%22sk%22%3A%7B%22S%22%3A%221%22%7D%7D',
        '.versions-list',
      ],
      ['/t/orders/patterns', '.patterns tbody tr'],
      ['/t/orders/metrics', '.chart canvas'],
      ['/faults', '.fault-form'],
      ['/handbook?topic=indexes', '.handbook article h1'],
    ] as const;
    const all: Record<string, string[]> = {};
    for (const [place, sign] of places) {
      await open(place);
      await page.locator(sign).first().waitFor();
      all[place] = await axeViolations(page);
    }
    expect(all).toEqual(Object.fromEntries(places.map(([place]) => [place, []])));
  });

  it('metrics draws charts, installs alarms, and shows the one that fires', async () => {
    for (let i = 0; i < 5; i++) await put({ pk: 'c1', sk: String(i) });
    await open('/t/orders/metrics');
    await page.getByRole('button', { name: /^Install \d+ recommended alarms$/ }).click();
    await page.getByText('None is firing.').waitFor();
    await page.locator('.chart canvas').first().waitFor();
    expect(await page.locator('.chart').count()).toBe(6);
    const set = { AlarmName: 'orders write throttles', StateValue: 'ALARM', StateReason: 'for a test' };
    await fetch(server.url, {
      method: 'POST',
      headers: {
        ...requestHeaders('x'),
        'X-Amz-Target': 'GraniteServiceVersion20100801.SetAlarmState',
        Authorization: requestHeaders('x').Authorization!.replace('/dynamodb/', '/monitoring/'),
      },
      body: JSON.stringify(set),
    });
    const firing = page.locator('.alarms li', { hasText: 'orders write throttles' }).first();
    await firing.locator('.badge.red').waitFor();
    expect(await firing.textContent()).toContain('for a test');
  });
});
