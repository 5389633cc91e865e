import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stator, type StatorServer } from '../../src/index.ts';
import { type Browser, chromiumPath, startChromium } from '../browser/chromium.ts';

/**
 * A feed that never stops must not fill the page: its memory after collection is the same after a while of 2,000 changes a
 * second as when its list was first full. Ten minutes with STATOR_TEST_LONG=1.
 */

const isLong = process.env.STATOR_TEST_LONG === '1';
const seconds = isLong ? 600 : 8;
const perSecond = 2_000;
const TableName = 'feed';

let browser: Browser;
let db: Stator;
let server: StatorServer;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  browser = await startChromium();
  db = await Stator.open({ observe: true, seed: 1 });
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  server = await db.listen({ port: 0, studio: true });
});
afterAll(async () => {
  await browser?.close();
  await db?.close();
});

/** Bytes in use once everything that can go has gone. */
async function heapBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}

async function write(forSeconds: number): Promise<void> {
  for (let second = 0; second < forSeconds; second++) {
    const began = performance.now();
    for (let done = 0; done < perSecond; done += 25) {
      const puts = Array.from({ length: 25 }, (_, i) => ({
        PutRequest: {
          Item: { pk: { S: `k${(done + i) % 500}` }, n: { N: `${second}` }, text: { S: 'x'.repeat(200) } },
        },
      }));
      await db.batchWriteItem({ RequestItems: { [TableName]: puts } });
    }
    const left = 1_000 - (performance.now() - began);
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  }
}

describe.skipIf(chromiumPath === undefined)('the live feed', () => {
  it(`keeps the memory of the page flat over ${seconds} seconds of ${perSecond} changes each`, {
    timeout: (seconds + 120) * 1_000,
  }, async () => {
    const page: Page = await browser.context.newPage();
    const troubles: string[] = [];
    page.on('pageerror', (error) => troubles.push(error.message));
    await page.goto(`${server.url}/#/t/${TableName}/streams`);
    await page.getByText('Waiting for changes').waitFor();
    const session = await browser.context.newCDPSession(page);
    // The list fills, every code path has run, and what is compiled is compiled.
    await write(4);
    await page.locator('.change').nth(100).waitFor();
    const before = await heapBytes(session);
    await write(seconds);
    const after = await heapBytes(session);
    console.info(
      `The page uses ${(before / 1e6).toFixed(1)} MB when its list is full, ${(after / 1e6).toFixed(1)} MB ${seconds} s later.`,
    );
    // The items that the feed has seen meanwhile are worth many times this.
    expect(after - before).toBeLessThan(2_000_000);
    expect(await page.locator('.change').count()).toBeLessThanOrEqual(500);
    await page.close();
    expect(troubles).toEqual([]);
  });
});

describe.skipIf(chromiumPath === undefined || !isLong)('a table of a million items', () => {
  it('is painted within a second', { timeout: 600_000 }, async () => {
    const load = async (first: number) => {
      const puts = Array.from({ length: 25 }, (_, i) => ({
        PutRequest: { Item: { pk: { S: `m${first + i}` }, n: { N: `${i}` } } },
      }));
      await db.batchWriteItem({ RequestItems: { [TableName]: puts } });
    };
    for (let i = 0; i < 1_000_000; i += 25) await load(i);
    const page = await browser.context.newPage();
    await page.goto(`${server.url}/#/t/${TableName}/items`);
    await page.getByRole('button', { name: /^Scan/ }).last().click();
    await page.locator('.item-row').first().waitFor();
    const painted = await page.evaluate(
      `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`,
    );
    const rows = await page.evaluate('performance.now()');
    console.info(`First paint after ${painted} ms, rows after ${rows} ms.`);
    expect(painted).toBeLessThan(1_000);
    await page.close();
  });
});
