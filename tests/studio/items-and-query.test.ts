import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ListenOptions, Stator, type StatorServer } from '../../src/index.ts';
import { type Browser, chromiumPath, startChromium } from '../browser/chromium.ts';
import { axeViolations } from './axe-violations.ts';

/** Overview, Items and Query in a real browser: that what is shown is true, and that an edit lands as it was typed. */

const patient = { timeout: 30_000 };
const TableName = 'orders';
const digits = '1234567890123456789.0123456789012345678';

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
  db = await Stator.open();
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  });
  await listen();
  page = await browser.context.newPage();
  page.setDefaultTimeout(patient.timeout);
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

async function listen(options: ListenOptions = {}): Promise<void> {
  server = await db.listen({ port: 0, studio: true, ...options });
}

type Values = Readonly<Record<string, object>>;

function put(pk: string, sk: string, values: Values = {}): Promise<unknown> {
  const Item = { pk: { S: pk }, sk: { S: sk }, ...values };
  return Promise.resolve(db.putItem({ TableName, Item: Item as never }));
}

async function item(pk: string, sk: string): Promise<Values | undefined> {
  const { Item } = await db.getItem({
    TableName,
    Key: { pk: { S: pk }, sk: { S: sk } },
    ConsistentRead: true,
  });
  return Item as Values | undefined;
}

async function open(place: string): Promise<void> {
  await page.goto(`${server.url}/#${place}`);
}

/** Opens the items of a table by a click, as somebody who wants to see what is in it; an address alone never scans. */
async function openItems(): Promise<void> {
  await open('/');
  await page.locator('.rail').getByRole('link', { name: TableName }).click();
  await page.locator('.item-row.grouped').first().waitFor();
}

function row(text: string) {
  return page.locator('[role=row]', { hasText: text }).first();
}

describe.skipIf(chromiumPath === undefined)('the studio', () => {
  it('shows the numbers of the API, and an example from nothing', async () => {
    await put('c1', 'PROFILE', { note: { S: 'x'.repeat(2000) } });
    await put('c1', 'ORDER#1');
    await open('/');
    const cells = page.locator('table.list tbody tr', { hasText: TableName }).locator('td');
    const { Table } = await db.describeTable({ TableName });
    await expect.poll(() => cells.nth(2).textContent(), patient).toBe(String(Table!.ItemCount));
    expect(await cells.nth(3).textContent()).toBe(`${(Table!.TableSizeBytes! / 1024).toFixed(0)} KB`);
    await db.deleteTable({ TableName });
    await page.getByRole('button', { name: 'Start the orders example' }).click();
    await page.waitForURL(/items/);
    const { Count } = await db.scan({ TableName: 'orders', Select: 'COUNT' });
    await expect.poll(() => page.locator('.items-bar').textContent(), patient).toContain(`${Count} items`);
  });

  it('commits edits as they were typed, in one transaction', async () => {
    await put('c1', 'ORDER#1', {
      total: { N: '5' },
      tags: { SS: ['a', 'b'] },
      doc: { M: { deep: { N: digits } } },
    });
    await put('c1', 'ORDER#2');
    await openItems();
    await row('ORDER#1').click();
    await page.getByLabel('total', { exact: true }).fill(digits);
    await page.getByRole('button', { name: '+ Attribute' }).last().click();
    await page.getByLabel('Name of new attribute').fill('عربي 🙂');
    await page.getByLabel('عربي 🙂', { exact: true }).fill('قيمة');
    await row('ORDER#2').click();
    await page.locator('.virtual').focus();
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: /2 changes staged/ }).click();
    // Nothing has been written so far.
    expect((await item('c1', 'ORDER#1'))?.total).toEqual({ N: '5' });
    await page.getByRole('button', { name: /Commit as one transaction/ }).click();
    await page.getByText(/Committed 2 changes/).waitFor();
    expect(await item('c1', 'ORDER#1')).toEqual({
      ...{ pk: { S: 'c1' }, sk: { S: 'ORDER#1' }, total: { N: digits }, tags: { SS: ['a', 'b'] } },
      ...{ doc: { M: { deep: { N: digits } } }, 'عربي 🙂': { S: 'قيمة' } },
    });
    expect(await item('c1', 'ORDER#2')).toBeUndefined();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(() => item('c1', 'ORDER#2'), patient).toBeDefined();
    expect((await item('c1', 'ORDER#1'))?.total).toEqual({ N: '5' });
  });

  it('shows both versions where somebody else was faster, and loses neither', async () => {
    await put('c1', 'ORDER#1', { state: { S: 'OPEN' }, total: { N: '5' } });
    await openItems();
    await row('ORDER#1').click();
    await page.getByLabel('state', { exact: true }).fill('SHIPPED');
    await put('c1', 'ORDER#1', { state: { S: 'CANCELLED' }, total: { N: '7' } });
    await page.getByRole('button', { name: /1 change staged/ }).click();
    await page.getByRole('button', { name: /Commit one by one/ }).click();
    const versions = page.locator('.versions');
    await versions.waitFor();
    expect(await versions.textContent()).toMatch(/OPEN.*SHIPPED.*CANCELLED/s);
    expect((await item('c1', 'ORDER#1'))?.state).toEqual({ S: 'CANCELLED' });
    await page.locator('dialog').getByRole('button', { name: 'Keep mine on top of theirs' }).click();
    await page.getByRole('button', { name: /Commit one by one/ }).click();
    await page.getByText(/Committed 1 change/).waitFor();
    expect(await item('c1', 'ORDER#1')).toMatchObject({ state: { S: 'SHIPPED' }, total: { N: '7' } });
  });

  it('begins a draft anew after an undo and a discard, so that the next key brings nothing back', async () => {
    await put('c1', 'ORDER#1', { state: { S: 'OPEN' }, total: { N: '5' } });
    await openItems();
    await row('ORDER#1').click();
    const state = page.getByLabel('state', { exact: true });
    await state.fill('SHIPPED');
    await page.getByRole('button', { name: /1 change staged/ }).click();
    await page.getByRole('button', { name: /Commit one by one/ }).click();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(() => state.inputValue(), patient).toBe('OPEN');
    await state.fill('LOST');
    await page.getByRole('button', { name: /1 change staged/ }).click();
    await page.getByRole('button', { name: 'Discard all' }).click();
    await expect.poll(() => state.inputValue(), patient).toBe('OPEN');
    await page.getByLabel('total', { exact: true }).fill('6');
    await page.getByRole('button', { name: /1 change staged/ }).click();
    await page.getByRole('button', { name: /Commit one by one/ }).click();
    await expect.poll(() => item('c1', 'ORDER#1'), patient).toMatchObject({ total: { N: '6' } });
    expect((await item('c1', 'ORDER#1'))?.state).toEqual({ S: 'OPEN' });
  });

  it('stages a new item beside other changes, and shows it once it is there', async () => {
    await put('c1', 'ORDER#1', { state: { S: 'OPEN' } });
    await openItems();
    await row('ORDER#1').click();
    await page.getByLabel('state', { exact: true }).fill('SHIPPED');
    await page.getByRole('button', { name: 'New item' }).click();
    await page.getByLabel('pk', { exact: true }).fill('c1');
    await page.getByLabel('sk', { exact: true }).fill('ORDER#1');
    await page.getByText('Another change of this key is staged').waitFor();
    await page.getByLabel('sk', { exact: true }).fill('ORDER#12');
    // The new row stands above; the keyboard is still at the row that it was at.
    expect(await page.locator('.item-row.cursor').textContent()).toContain('ORDER#1');
    expect(await page.locator('.item-row.cursor.created').count()).toBe(0);
    await page.locator('.inspector').getByRole('button', { name: 'JSON' }).click();
    expect(await page.getByLabel('The item as DynamoDB JSON').inputValue()).toContain('ORDER#12');
    await page.locator('.item-row.changed').click();
    await page.getByLabel('state', { exact: true }).waitFor();
    await page.locator('.item-row.created').click();
    await page.getByRole('button', { name: '+ Attribute' }).last().click();
    await page.getByLabel('Name of new attribute').fill('n');
    await page.getByRole('button', { name: /2 changes staged/ }).click();
    await page.getByRole('button', { name: /Commit as one transaction/ }).click();
    await expect.poll(() => item('c1', 'ORDER#12'), patient).toMatchObject({ n: { S: '' } });
    expect((await item('c1', 'ORDER#1'))?.state).toEqual({ S: 'SHIPPED' });
    await page.waitForURL(/item=%5B%22c1%22%2C%22ORDER%2312%22%5D/);
    expect(await page.locator('.inspector header').textContent()).toContain('c1 · ORDER#12');
  });

  it('deletes and brings back whole items where an index shows their keys only', async () => {
    await db.updateTable({
      TableName,
      AttributeDefinitions: ['pk', 'sk', 'open'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: 'Open',
            KeySchema: [{ AttributeName: 'open', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        },
      ],
    });
    for (let i = 0; i < 3; i++) await put('c1', `ORDER#${i}`, { open: { S: 'YES' }, total: { N: `${i}` } });
    await open('/t/orders/items?index=Open&pk=YES');
    await page.locator('.item-row.grouped').first().click();
    await page
      .locator('.item-row.grouped')
      .nth(2)
      .click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await page.locator('.items-bar').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: /3 changes staged/ }).click();
    await page.getByRole('button', { name: /Commit as one transaction/ }).click();
    await expect.poll(() => item('c1', 'ORDER#2'), patient).toBeUndefined();
    // The offer to take back an earlier commit may still stand beside it.
    await page.getByText('Committed 3 changes').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(() => item('c1', 'ORDER#2'), patient).toMatchObject({ total: { N: '2' } });
  });

  it('writes a change of very many attributes in parts, and loses nothing of others', async () => {
    const count = 200;
    const attributes = (text: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, { S: `${text}${i}` }]));
    await put('c1', 'WIDE', attributes('old'));
    await openItems();
    await row('WIDE').click();
    await page.locator('.inspector').getByRole('button', { name: 'JSON' }).click();
    const wanted = { pk: { S: 'c1' }, sk: { S: 'WIDE' }, ...attributes('new') };
    await page.getByLabel('The item as DynamoDB JSON').fill(JSON.stringify(wanted));
    await put('c1', 'WIDE', { ...attributes('old'), a150: { S: 'theirs' }, more: { S: 'theirs' } });
    await page.getByRole('button', { name: /1 change staged/ }).click();
    await page.getByRole('button', { name: /Commit as one transaction/ }).click();
    await page.getByText(/A transaction compares at most 90 attributes/).waitFor();
    await page.getByRole('button', { name: /Commit one by one/ }).click();
    await page.locator('.versions').waitFor();
    expect(await item('c1', 'WIDE')).toMatchObject({ a150: { S: 'theirs' }, more: { S: 'theirs' } });
    await page.locator('dialog').getByRole('button', { name: 'Keep mine on top of theirs' }).click();
    await page.getByRole('button', { name: /Commit one by one/ }).click();
    await page
      .getByText(/Committed 1 change/)
      .first()
      .waitFor();
    await expect.poll(() => item('c1', 'WIDE'), patient).toEqual({ ...wanted, more: { S: 'theirs' } });
    // A deletion of so many is compared as a whole, too.
    await page.locator('.virtual').focus();
    await page.keyboard.press('Delete');
    await put('c1', 'WIDE', { ...wanted, a199: { S: 'late' } } as never);
    await page.getByRole('button', { name: /1 change staged/ }).click();
    await page.getByRole('button', { name: /Commit as one transaction/ }).click();
    await page.locator('.versions').waitFor();
    expect((await item('c1', 'WIDE'))?.a199).toEqual({ S: 'late' });
  });

  it('shows hostile and huge items as text', async () => {
    const hostile = '"><img src=x onerror="window.broken=1"><script>window.broken=1</script>';
    await put(hostile, hostile, { [hostile]: { S: hostile }, ['__proto__']: { S: 'a member' } });
    await put('a  b\n', '\u202eltr');
    await put('big', 'ITEM', { text: { S: 'x'.repeat(399_000) } });
    await put(
      'many',
      'ITEM',
      Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`a${i}`, { N: `${i}` }])),
    );
    // A first look at items this large costs enough to be asked for.
    await open('/');
    await page.locator('.rail').getByRole('link', { name: TableName }).click();
    await page.getByText('Items here are large').waitFor();
    expect(await page.locator('.items-bar').textContent()).toContain('Nothing read yet');
    await page
      .getByRole('button', { name: /^Scan · ≈ [\d.]+ RCU/ })
      .last()
      .click();
    await row('onerror').waitFor();
    await page.getByText('"a  b↵"').waitFor();
    await page.getByText('‹202e›ltr').waitFor();
    await page.locator('.item-row.grouped', { hasText: 'onerror' }).click();
    await page.getByLabel('__proto__', { exact: true }).waitFor();
    await page.locator('.item-row.grouped', { hasText: '389' }).click();
    await page.getByText('Edit all 399,000 characters').waitFor();
    await page.goto(`${server.url}/#/t/orders/items?item=${encodeURIComponent('["many","ITEM"]')}`);
    await page.getByRole('button', { name: /Show more of 5,002/ }).waitFor();
    expect(await page.evaluate('window.broken')).toBeUndefined();
  });

  it('finds what people look for in the palette, and offers no text as a number', async () => {
    await db.createTable({
      TableName: 'numbered',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    });
    await open('/');
    await page.locator('.rail').getByRole('link', { name: 'numbered' }).waitFor();
    for (const word of ['alarms', 'restore', 'export', 'overview']) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(word);
      const first = async () => (await page.getByRole('option').allTextContents())[0];
      await expect.poll(first, patient).toMatch(new RegExp(`^${word}`, 'i'));
      await page.keyboard.press('Escape');
    }
    await page.keyboard.press('Control+k');
    await page.keyboard.type('service-042');
    const options = () => page.getByRole('option').allTextContents();
    await expect.poll(options, patient).toEqual(['orders: pk = service-042query']);
  });

  it('runs a Query of an address, and neither a Scan nor a statement', async () => {
    for (let i = 0; i < 3; i++) await put('c1', `ORDER#${i}`, { state: { S: 'OPEN' } });
    await put('c2', 'ORDER#0');
    await open('/t/orders/items?pk=c1&sk=begins_with+ORDER');
    await expect.poll(() => page.locator('.items-bar').textContent(), patient).toContain('3 items');
    expect(await page.getByRole('button', { name: /^Query · ≤ 0.5 RCU/ }).count()).toBe(1);
    const bar = page.locator('.items-bar');
    await open('/t/orders/items');
    await page.getByText('Nothing is read yet').waitFor();
    // No key that follows at once is lost.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('no such thing');
    expect(await page.getByRole('combobox', { name: /Find tables/ }).inputValue()).toBe('no such thing');
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByText('Nothing is read yet').waitFor();
    await page
      .getByRole('button', { name: /^Scan · ≈ [\d.]+ RCU/ })
      .last()
      .click();
    await expect.poll(() => bar.textContent(), patient).toContain('4 items');
    // A reload is the same look again.
    await page.reload();
    await expect.poll(() => bar.textContent(), patient).toContain('4 items');
    await open(`/t/orders/items?f=${encodeURIComponent('[["state","=","S","OPEN"]]')}`);
    const scan = page.getByRole('button', { name: /^Scan · \d+ RCU/ }).last();
    await scan.waitFor();
    expect(await bar.textContent()).toContain('Nothing read yet');
    await scan.click();
    await expect.poll(() => page.locator('.items-bar').textContent(), patient).toContain('3 items of 4 read');
    const statement = `DELETE FROM "orders" WHERE pk = 'c2' AND sk = 'ORDER#0'`;
    await open(`/t/orders/query?op=PartiQL&q=${encodeURIComponent(statement)}`);
    const run = page.getByRole('button', { name: /^DeleteItem · / });
    await run.waitFor();
    expect(await item('c2', 'ORDER#0')).toBeDefined();
    await run.click();
    await expect.poll(() => item('c2', 'ORDER#0'), patient).toBeUndefined();
  });

  it('runs what is typed into the editor and pages through the answer', async () => {
    for (let i = 0; i < 5; i++) await put('c1', `ORDER#${i}`, { n: { N: `${i}` } });
    await open('/t/orders/query?op=Query');
    const editor = page.locator('.cm-content');
    await editor.waitFor();
    await editor.fill(
      JSON.stringify({
        TableName,
        Limit: 3,
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: { ':p': { S: 'c1' } },
      }),
    );
    await page.getByRole('button', { name: /^Query · / }).click();
    await expect.poll(() => page.locator('.results').textContent(), patient).toContain('3 items');
    await page.getByRole('button', { name: 'Next ›' }).click();
    await expect
      .poll(() => page.locator('.results').textContent(), patient)
      .toMatch(/2 items.*ORDER#3.*ORDER#4/s);
    await page.getByRole('button', { name: '‹ Previous' }).click();
    await expect.poll(() => page.locator('.results').textContent(), patient).toContain('ORDER#2');
    await editor.fill('null');
    await page.getByText('A request is an object of parameters').waitFor();
  });

  it('survives a table that is deleted under it, and a server that goes away', async () => {
    await put('c1', 'ORDER#1', { state: { S: 'OPEN' } });
    await openItems();
    await row('ORDER#1').click();
    await page.getByLabel('state', { exact: true }).fill('SHIPPED');
    const { port } = server;
    await server.close();
    await page.getByText('The server is away.').waitFor();
    await listen({ port });
    await page.getByText('The server is away.').waitFor({ state: 'detached' });
    // What was staged is still there.
    await page.getByRole('button', { name: /1 change staged/ }).waitFor();
    await db.deleteTable({ TableName });
    await page.getByText('There is no table orders here').waitFor();
  });

  it('signs requests where signatures are verified', async () => {
    await server.close();
    await listen({ auth: 'verify', credentials: [{ accessKeyId: 'AKID', secretAccessKey: 'secret' }] });
    await put('c1', 'PROFILE');
    await db.createTable({
      TableName: 'of-account',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
    await open('/');
    await page.getByLabel('Access key id').fill('AKID');
    await page.getByLabel('Secret access key').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(/InvalidSignatureException/).waitFor();
    await page.getByLabel('Secret access key').fill('secret');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('table.list').getByRole('link', { name: 'of-account' }).waitFor();
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(
      'secret',
    );
  });

  it('has no violations that axe finds, light and dark', async () => {
    for (let i = 0; i < 3; i++) await put('c1', `ORDER#${i}`, { total: { N: '5' }, open: { BOOL: true } });
    const places = [
      ['/', 'table.list a'],
      ['/t/orders/items', '.empty'],
      ['/t/orders/items?pk=c1', '.item-row.grouped'],
      ['/t/orders/items?item=["c1","ORDER%231"]', '.inspector .attribute'],
      ['/t/orders/query?kept=1', '.cm-content'],
    ] as const;
    const all: Record<string, string[]> = {};
    for (const [i, [place, sign]] of places.entries()) {
      await open(place);
      await page.locator(sign).first().waitFor();
      all[place] = await axeViolations(page);
      await page.screenshot({ path: `coverage/studio/${i}.png` });
    }
    expect(all).toEqual(Object.fromEntries(places.map(([place]) => [place, []])));
  });
});
