import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Stator, type StatorServer } from '../../src/index.ts';
import { type Browser, chromiumPath, startChromium } from '../browser/chromium.ts';

/** Many tabs at once: they share one connection, and those that nobody sees ask nothing. */

const patient = { timeout: 60_000 };

let browser: Browser;
let db: Stator;
let server: StatorServer;
let pages: Page[];
let troubles: string[];
let requests: Request[];

beforeAll(async () => {
  if (chromiumPath !== undefined) browser = await startChromium();
});
afterAll(() => browser?.close());

beforeEach(async () => {
  if (chromiumPath === undefined) return;
  db = await Stator.open({ observe: true, physics: 'shadow', seed: 1 });
  server = await db.listen({ port: 0, studio: true });
  [pages, troubles, requests] = [[], [], []];
});

afterEach(async () => {
  if (chromiumPath === undefined) return;
  for (const page of pages) await page.close();
  await server.close();
  await db.close();
  expect(troubles).toEqual([]);
});

async function createTables(count: number): Promise<void> {
  for (let i = 0; i < count; i++)
    await db.createTable({
      TableName: `table-${String(i).padStart(3, '0')}`,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
}

async function openTab(place = '/', hasClock = false): Promise<Page> {
  const page = await browser.context.newPage();
  if (hasClock) await page.clock.install();
  page.setDefaultTimeout(patient.timeout);
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('request', (request) => requests.push(request));
  pages.push(page);
  await page.goto(`${server.url}/#${place}`);
  return page;
}

/** The feeds that are open in a page. */
async function openFeeds(page: Page): Promise<number> {
  const feeds = requests.filter((one) => one.frame().page() === page && one.url().endsWith('/_stator/live'));
  const ends = await Promise.all(feeds.map(async (one) => one.failure() !== null));
  return ends.filter((isOver) => !isOver).length;
}

async function allFeeds(): Promise<number> {
  const each = await Promise.all(pages.map(openFeeds));
  return each.reduce((sum, feeds) => sum + feeds, 0);
}

/** Playwright has no hidden tabs: the page is told that it is one. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${isHidden ? 'hidden' : 'visible'}' });
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1_000));

describe.skipIf(chromiumPath === undefined)('tabs of the studio', () => {
  it('all work when twelve are open, over one connection', { timeout: 240_000 }, async () => {
    await createTables(1);
    for (let i = 0; i < 12; i++) await openTab();
    for (const page of pages) await page.getByRole('link', { name: 'table-000' }).first().waitFor();
    await expect.poll(allFeeds, patient).toBe(1);
    // Each of them hears what happens, and can still ask for something itself.
    const write = () => db.putItem({ TableName: 'table-000', Item: { pk: { S: 'a' } } });
    const writing = setInterval(() => void write(), 100);
    try {
      for (const page of pages)
        await expect.poll(() => page.locator('footer').textContent(), patient).toMatch(/live ● [1-9]/);
    } finally {
      clearInterval(writing);
    }
    await pages[11]!.locator('.rail').getByRole('link', { name: 'table-000' }).click();
    await pages[11]!.getByText('1 item', { exact: false }).first().waitFor();
  });

  it('hand the connection on when the one that has it is hidden', { timeout: 120_000 }, async () => {
    await createTables(1);
    const first = await openTab();
    await expect.poll(() => openFeeds(first), patient).toBe(1);
    const second = await openTab();
    await second.locator('footer', { hasText: 'live ●' }).waitFor();
    expect(await openFeeds(second)).toBe(0);
    await setHidden(first, true);
    await expect.poll(() => openFeeds(second), patient).toBe(1);
    expect(await openFeeds(first)).toBe(0);
    await setHidden(first, false);
    await first.locator('footer', { hasText: 'live ●' }).waitFor();
    await expect.poll(allFeeds, patient).toBe(1);
    // A page that the browser keeps for the back button holds nothing.
    await second.evaluate(`dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))`);
    await expect.poll(() => openFeeds(second), patient).toBe(0);
    await expect.poll(() => openFeeds(first), patient).toBe(1);
  });

  it('ask nothing while hidden', { timeout: 120_000 }, async () => {
    await createTables(1);
    for (const place of ['/', '/t/table-000/metrics', '/t/table-000/partitions', '/faults']) {
      const page = await openTab(place, true);
      await page.locator('footer', { hasText: 'live ●' }).waitFor();
      await setHidden(page, true);
      await seconds(0.5);
      const before = requests.length;
      await page.clock.runFor(60_000);
      await seconds(0.5);
      expect(requests.slice(before).map((one) => one.url())).toEqual([]);
      await setHidden(page, false);
      await expect.poll(() => requests.length, patient).toBeGreaterThan(before);
      await setHidden(page, true);
    }
  });

  it('cost less than a request a second with 150 idle tables, none of which is in use', {
    timeout: 120_000,
  }, async () => {
    await createTables(150);
    for (let i = 0; i < 2; i++) await openTab();
    for (const page of pages) await page.getByText('150 tables').first().waitFor();
    await expect.poll(allFeeds, patient).toBe(1);
    await seconds(1);
    const before = requests.length;
    await seconds(10);
    expect(requests.length - before).toBeLessThan(10);
    for (const page of pages) expect(await page.locator('.rail .dot.busy').count()).toBe(0);
    expect(await pages[0]!.locator('footer').textContent()).toContain('live ● 0 req/s');
  });
});
