import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { check, createTableRequests, type Design, derive, readModel } from '../../src/design/index.ts';
import { Stator, type StatorServer, VirtualClock } from '../../src/index.ts';
import { type Browser, chromiumPath, startChromium } from '../browser/chromium.ts';
import { axeViolations } from './axe-violations.ts';

/** Patterns by their model, requests that become patterns, and the table as it was. */

const patient = { timeout: 30_000 };
const model = readModel(
  readFileSync(new URL('../../examples/models/orders/model.json', import.meta.url), 'utf8'),
);
const design = derive(model);
const TableName = design.tables[0]!.name;

let browser: Browser;
let clock: VirtualClock;
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
  clock = new VirtualClock(Date.UTC(2026, 10, 18, 9));
  db = await Stator.open({ clock, seed: 1, observe: true });
  for (const request of createTableRequests(model, design)) await db.createTable(request as never);
  page = await browser.context.newPage();
  page.setDefaultTimeout(patient.timeout);
  troubles = [];
  page.on('pageerror', (error) => troubles.push(error.message));
});

afterEach(async () => {
  if (chromiumPath === undefined) return;
  await page.close();
  await db.close();
  expect(troubles).toEqual([]);
});

async function open(place: string, given: Design | null = design): Promise<void> {
  const models = given === null ? [] : [{ model, design: given }];
  server ??= await db.listen({ port: 0, studio: true, models });
  await page.goto(`${server.url}/#/t/${TableName}/${place}`);
}
afterEach(() => {
  server = undefined as never;
});

const row = (name: string) =>
  page.locator('.patterns tbody tr', { has: page.getByRole('button', { name, exact: true }) });

describe.skipIf(chromiumPath === undefined)('with a model, the studio', () => {
  it('shows each pattern with its proof, the forecast of the checker and the numbers of the API', async () => {
    for (let i = 0; i < 3; i++)
      await db.query(
        {
          TableName,
          KeyConditionExpression: 'PK = :p',
          ExpressionAttributeValues: { ':p': { S: 'ORDER#c1' } },
        },
        { pattern: 'A2' },
      );
    await db.scan({ TableName, IndexName: 'GSI1' });
    await open('patterns');
    await page.getByText('Proved', { exact: true }).waitFor();
    expect(await page.locator('.patterns tbody tr').count()).toBe(model.reads.length + model.writes.length);
    const report = check(model, design);
    for (const { pattern, units, fetchUnits } of report.forecast!.reads) {
      const cells = await row(pattern.name).locator('td.number').allTextContents();
      expect(Number.parseFloat(cells[1]!)).toBeCloseTo(units + fetchUnits, 1);
      expect(Number(cells[0]!.split(' · ')[0]!.replace(',', ''))).toBe(pattern.rate.peak);
    }
    const { patterns } = (await (await fetch(`${server.url}/_stator/patterns`)).json()) as {
      patterns: { name: string; requests: number }[];
    };
    const told = patterns.find(({ name }) => name === 'A2')!.requests;
    await row('A2').click();
    const line = page.locator('.inspector tr', { hasText: 'Requests, last hour' });
    await expect.poll(() => line.locator('td').last().textContent(), patient).toBe(String(told));
    expect(await page.locator('.inspector').textContent()).toContain('Proved in this page');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Keys', exact: true }).click();
    await page.locator('.key-map tbody tr').first().waitFor();
    expect(await page.locator('.key-map tbody tr').count()).toBe(design.tables[0]!.entities.length);
    await page.getByRole('button', { name: 'Derivation and cost' }).click();
    await page.getByText('1 global index cannot serve Order').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: /^Traffic/ }).click();
    await page.locator('.patterns tbody tr', { hasText: 'Scan' }).click();
    expect(await page.locator('.make-pattern').textContent()).toContain('list(');
  });

  it('does not believe a design: a plan that is wrong is shown as failing, with the rule', async () => {
    const [table] = design.tables;
    const plans = table!.plans.map((plan) => (plan.pattern === 'A4' ? { ...plan, slot: 'table' } : plan));
    await open('patterns', { ...design, tables: [{ ...table!, plans }] });
    await page.getByText('The proof fails').waitFor();
    await row('A4').click();
    await page.locator('.inspector .red').first().waitFor();
    expect(await page.locator('.inspector').textContent()).toContain('What is wrong');
  });

  it('opens a model from a file, keeps it in this browser, and forgets it', async () => {
    await open('patterns', null);
    await page.getByText('Patterns as traffic shows them').waitFor();
    const file = { name: 'model.json', mimeType: 'application/json', buffer: Buffer.from('{"no": "model"}') };
    await page.getByLabel('Model file').setInputFiles(file);
    await page.getByText('model.json is no model').waitFor();
    await page
      .getByLabel('Model file')
      .setInputFiles({ ...file, buffer: Buffer.from(JSON.stringify(model)) });
    await page.getByText('Proved', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Proved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Model', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Forget it in this browser' }).click();
    await page.getByText('Patterns as traffic shows them').waitFor();
  });

  it('makes a pattern of what is in the editor', async () => {
    const request = {
      TableName,
      IndexName: 'GSI2',
      KeyConditionExpression: '#p = :p',
      ExpressionAttributeNames: { '#p': 'GSI2PK' },
      ExpressionAttributeValues: { ':p': { S: 'x' } },
    };
    await open(`query?op=Query&q=${encodeURIComponent(JSON.stringify(request))}`);
    await page.getByRole('button', { name: 'Make this an access pattern' }).click();
    await page.getByLabel('Its name').fill('ordersInState');
    await expect
      .poll(() => page.locator('.make-pattern pre').first().textContent(), patient)
      .toContain('ordersInState: list(Order, { by: ["status", "customerId"]');
    expect(await page.locator('.make-pattern').textContent()).toContain('by GSI2PK = :p');
  });

  it('shows what changed since a second, and brings one version of an item back', async () => {
    await db.updateContinuousBackups({
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    const Key = { PK: { S: 'CUSTOMER#1' }, SK: { S: 'CUSTOMER' } };
    const put = (name: string) => db.putItem({ TableName, Item: { ...Key, name: { S: name } } });
    clock.advanceMs(60_000);
    await put('before');
    clock.advanceMs(60_000);
    await put('after');
    clock.advanceMs(10_000);
    await open(`history?at=${clock.nowMs() - 20_000}`);
    await page.getByRole('button', { name: 'Show what changed since' }).click();
    const change = page.locator('.change');
    await change.waitFor();
    expect(await change.textContent()).toMatch(/changed.*CUSTOMER#1 \/ CUSTOMER.*before.*after/);
    await change.click();
    await page.getByRole('button', { name: 'Restore this' }).click();
    await page.getByRole('button', { name: /Commit one by one/ }).click();
    await page.getByText(/Committed 1 change/).waitFor();
    expect((await db.getItem({ TableName, Key })).Item).toMatchObject({ name: { S: 'before' } });
    await page.getByLabel('PK of a collection').fill('CUSTOMER#1');
    await page.getByRole('button', { name: 'Query as it was' }).click();
    await page.getByText(/^1 item of CUSTOMER#1 at/).waitFor();
  });

  it('compares a table of 30,000 items to the end', { timeout: 120_000 }, async () => {
    await db.updateContinuousBackups({
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    const put = (i: number, name: string) => ({
      PutRequest: { Item: { PK: { S: `CUSTOMER#${i}` }, SK: { S: 'CUSTOMER' }, name: { S: name } } },
    });
    clock.advanceMs(60_000);
    for (let i = 0; i < 30_000; i += 25) {
      const puts = Array.from({ length: 25 }, (_, n) => put(i + n, 'before'));
      await db.batchWriteItem({ RequestItems: { [TableName]: puts } });
    }
    clock.advanceMs(60_000);
    const changed = [7, 11_111, 29_999].map((i) => put(i, 'after'));
    await db.batchWriteItem({ RequestItems: { [TableName]: changed } });
    clock.advanceMs(10_000);
    await open(`history?at=${clock.nowMs() - 20_000}`);
    await page.getByRole('button', { name: 'Show what changed since' }).click();
    await page.getByRole('heading', { name: /^3 items different since/ }).waitFor();
    expect(await page.locator('.change').count()).toBe(3);
    expect(await page.locator('main [role=status]').textContent()).toBe('30,000 items compared');
  });

  it('draws the handbook that the server has, with links between its pages', async () => {
    await open('items');
    await page.goto(`${server.url}/#/handbook?topic=README`);
    const article = page.locator('.handbook article');
    await article.getByRole('heading', { level: 1 }).waitFor();
    await article.locator('a[href*="topic="]').first().click();
    await expect.poll(() => page.url(), patient).not.toContain('README');
    await article.getByRole('heading', { level: 1 }).waitFor();
    expect((await fetch(`${server.url}/_studio/handbook/../studio.md`)).status).toBe(404);
  });
});
