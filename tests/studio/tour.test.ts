import { mkdirSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stator, type StatorServer } from '../../src/index.ts';
import { type Browser, chromiumPath, startChromium } from '../browser/chromium.ts';
import { palettePng } from './palette-png.ts';

/**
 * The walk of docs/tour.md, step by step, by the buttons that the page names. STATOR_WRITE_TOUR=1 takes its pictures
 * anew into docs/tour/.
 */

const patient = { timeout: 30_000 };
const isWritten = process.env.STATOR_WRITE_TOUR === '1';
const pictures = new URL('../../docs/tour/', import.meta.url);

let browser: Browser;
let db: Stator;
let server: StatorServer;
const troubles: string[] = [];

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  browser = await startChromium();
  db = await Stator.open({ observe: true, physics: 'shadow', seed: 1 });
  server = await db.listen({ port: 0, studio: true });
});
afterAll(async () => {
  await browser?.close();
  await db?.close();
});

async function newPage(): Promise<Page> {
  const page = await browser.context.newPage();
  page.setDefaultTimeout(patient.timeout);
  page.on('pageerror', (error) => troubles.push(error.message));
  await page.setViewportSize({ width: 1120, height: 640 });
  return page;
}

async function picture(page: Page, name: string): Promise<void> {
  if (!isWritten) return;
  mkdirSync(pictures, { recursive: true });
  await page.mouse.move(0, 0);
  const png = await page.screenshot({ animations: 'disabled' });
  writeFileSync(new URL(`${name}.png`, pictures), palettePng(png));
}

describe.skipIf(chromiumPath === undefined)('the tour', () => {
  it('finds an open order, ships it, and sees it leave the sparse index and pass the stream', async () => {
    const page = await newPage();
    await page.goto(server.url);
    await page.getByRole('button', { name: 'Start the orders example' }).click();
    await page.locator('.item-row.grouped', { hasText: 'PROFILE' }).first().waitFor();
    await picture(page, '1-items');

    await page.getByLabel('Table or index').selectOption('GSI1');
    await page.getByLabel('GSI1PK, the partition key').fill('CUST#a1b2#OPEN');
    await page.getByRole('button', { name: /^Query GSI1 · / }).click();
    const { Items: open = [] } = await db.query({
      TableName: 'orders',
      IndexName: 'GSI1',
      KeyConditionExpression: 'GSI1PK = :p',
      ExpressionAttributeValues: { ':p': { S: 'CUST#a1b2#OPEN' } },
    });
    expect(open.length).toBeGreaterThan(0);
    await expect
      .poll(() => page.locator('.items-bar').textContent(), patient)
      .toContain(`${open.length} item`);

    const order = open[0]!;
    await page.locator('.item-row', { hasText: order.SK!.S! }).first().click();
    await page.getByLabel('status', { exact: true }).fill('SHIPPED');
    await page.getByLabel('GSI1PK', { exact: true }).last().fill('CUST#a1b2#SHIPPED');
    await page.getByRole('button', { name: 'Remove GSI2PK' }).click();
    await page.getByRole('button', { name: 'Remove GSI2SK' }).click();
    await picture(page, '2-open-order');

    const stream = await newPage();
    await stream.goto(`${server.url}/#/t/orders/streams`);
    await stream.getByText('Waiting for changes').waitFor();

    await page.goto(`${server.url}/#/t/orders/indexes?index=GSI2&pk=CUST%23a1b2`);
    const id = JSON.stringify(['CUST#a1b2', order.SK!.S!]);
    const entry = page.locator(`.overlay-index [data-id='${id}']`);
    await entry.waitFor();
    await page.getByLabel('live').check();
    await page.getByRole('button', { name: /1 change staged/ }).click();
    await page.locator('dialog').getByText('SHIPPED').first().waitFor();
    await picture(page, '3-review');
    await page.getByRole('button', { name: /Commit one by one/ }).click();
    await entry.waitFor({ state: 'detached' });
    await page.locator('.overlay-missing .moved').waitFor();
    await picture(page, '4-sparse-index');
    const { Item } = await db.getItem({ TableName: 'orders', Key: { PK: order.PK!, SK: order.SK! } });
    expect(Item).toMatchObject({ status: { S: 'SHIPPED' } });
    expect(Item).not.toHaveProperty('GSI2PK');

    const change = stream.locator('.change').first();
    await change.click();
    await expect
      .poll(() => stream.locator('.differences').textContent(), patient)
      .toMatch(/status\s*OPEN S\s*→ SHIPPED S/);
    await picture(stream, '5-stream');
    // What the keys of the example cost is what its patterns cost: nothing was derived that has a price of its own.
    await page.goto(`${server.url}/#/t/orders/patterns?view=why`);
    await page.getByText('Keys by hand have no alternatives to compare.').waitFor();
    const prices = await page.locator('.frontier .number').allTextContents();
    const cost = await page.locator('.derivation strong', { hasText: '$' }).textContent();
    expect(Number(cost!.slice(1))).toBeCloseTo(
      prices.reduce((sum, price) => sum + Number(price.slice(1)), 0),
      1,
    );
    await Promise.all([page.close(), stream.close()]);
    expect(troubles).toEqual([]);
  });

  it('finds the hot key of the parcels and reads why', async () => {
    const page = await newPage();
    await page.goto(server.url);
    await page.getByRole('button', { name: 'Start an example' }).click();
    await page.getByRole('menuitem', { name: /^Parcels/ }).click();
    const verdict = page.locator('.verdict p').first();
    await verdict.waitFor();
    expect(await verdict.textContent()).toMatch(
      /^DEPOT#HAMBURG#2026-06-01 took [\d,]+ write units a second; a partition gives 1,000/,
    );
    expect(await page.locator('.hot-keys li').first().textContent()).toContain('DEPOT#HAMBURG#2026-06-01');
    await expect.poll(() => page.locator('.heat-throttle').count(), patient).toBeGreaterThan(0);
    if (isWritten) await page.getByText('One depot writes').waitFor({ state: 'detached' });
    await picture(page, '6-hot-partition');
    // The example has its model, and its traffic has a name.
    await page.goto(`${server.url}/#/t/parcels/patterns`);
    const rush = page.locator('.patterns tbody tr', { hasText: 'scanAtDepot' });
    await rush.waitFor();
    await page.getByText('Keys by hand').first().waitFor();
    expect(await page.locator('.patterns tbody tr').count()).toBe(7);
    await rush.locator('.amber').first().waitFor();
    await page.close();
    expect(troubles).toEqual([]);
  });
});
