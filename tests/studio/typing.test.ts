import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Stator, type StatorServer } from '../../src/index.ts';
import { type Browser, chromiumPath, startChromium } from '../browser/chromium.ts';

/** The editors under somebody who types: one key after the other, and not a text that is filled in at once. */

const patient = { timeout: 30_000 };
/** What people need for a key. */
const keyMs = 60;

let browser: Browser;
let db: Stator;
let server: StatorServer;
let page: Page;
let troubles: string[];

beforeAll(async () => {
  if (chromiumPath !== undefined) browser = await startChromium();
});
afterAll(() => browser?.close());

beforeEach(async () => {
  if (chromiumPath === undefined) return;
  db = await Stator.open({ observe: true, seed: 1 });
  await db.createTable({
    TableName: 'orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  });
  await db.putItem({ TableName: 'orders', Item: { pk: { S: 'c1' }, sk: { S: 'o1' } } });
  server = await db.listen({ port: 0, studio: true });
  page = await browser.context.newPage();
  page.setDefaultTimeout(patient.timeout);
  troubles = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
});

afterEach(async () => {
  if (chromiumPath === undefined) return;
  await page.close();
  await server.close();
  await db.close();
  expect(troubles).toEqual([]);
});

async function openEditor(mode: string): Promise<void> {
  await page.goto(`${server.url}/#/t/orders/query`);
  await page.getByRole('tab', { name: mode }).click();
  await page.locator('.cm-content').waitFor();
}

function text(): Promise<string> {
  return page.locator('.cm-content').evaluate((element) => {
    const lines = [...element.querySelectorAll('.cm-line')];
    return lines.map((line) => line.textContent).join('\n');
  });
}

async function replaceAll(typed: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(typed, { delay: keyMs });
}

describe.skipIf(chromiumPath === undefined)('an editor', () => {
  it('takes Enter in a Scan, and completes what is typed', { timeout: 60_000 }, async () => {
    await openEditor('Scan');
    await page.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type(',', { delay: keyMs });
    await page.keyboard.press('Enter');
    await page.keyboard.type('Cons', { delay: keyMs });
    await page.locator('.cm-tooltip-autocomplete').waitFor();
    // A list that has just appeared takes no Enter: it may have been meant for a new line.
    await page.waitForTimeout(3 * keyMs);
    await page.keyboard.press('Enter');
    await page.keyboard.type('true', { delay: keyMs });
    await expect.poll(text).toBe('{\n  "TableName": "orders",\n  "Limit": 100,\n  "ConsistentRead": true\n}');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('o1', { exact: true }).first().waitFor();
  });

  it('keeps every key of a request that is typed over another', { timeout: 120_000 }, async () => {
    for (let round = 0; round < 4; round++) {
      await openEditor(round % 2 === 0 ? 'Scan' : 'Query');
      await replaceAll('{"TableName": "orders", "Limit": 5');
      expect(await text()).toBe('{"TableName": "orders", "Limit": 5}');
      await page.keyboard.type('}', { delay: keyMs });
      expect(await text()).toBe('{"TableName": "orders", "Limit": 5}');
    }
  });

  it('keeps every key of a statement', { timeout: 60_000 }, async () => {
    await openEditor('PartiQL');
    await replaceAll(`SELECT * FROM "orders" WHERE pk = 'c1' AND sk = 'o1'`);
    expect(await text()).toBe(`SELECT * FROM "orders" WHERE pk = 'c1' AND sk = 'o1'`);
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('o1', { exact: true }).first().waitFor();
    expect(await page.locator('.code-keyword').count()).toBeGreaterThan(3);
    expect(await page.locator('.code-string').count()).toBeGreaterThan(1);
  });

  it('keeps what is typed while a request runs, and the place where another address leaves the text alone', {
    timeout: 60_000,
  }, async () => {
    await openEditor('Scan');
    // The answer comes while the next keys are typed.
    await page.route('**/', async (route) => {
      if (route.request().headers()['x-amz-target']?.endsWith('.Scan'))
        await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    await replaceAll('{"TableName": "orders"');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.keyboard.type(', "Limit": 7', { delay: keyMs });
    await page.getByText('o1', { exact: true }).first().waitFor();
    expect(await text()).toBe('{"TableName": "orders", "Limit": 7}');
    const q = '{"TableName": "orders", "Limit": 7, "ConsistentRead": true}';
    const hash = `/t/orders/query?op=Scan&q=${encodeURIComponent(q)}`;
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await expect.poll(text).toBe(q);
    await page.keyboard.press('Backspace');
    await page.keyboard.type('9', { delay: keyMs });
    expect(await text()).toBe(q.replace('7', '9'));
  });
});
