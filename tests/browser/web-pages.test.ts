import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ListenOptions, Stator, type StatorServer } from '../../src/index.ts';
import { requestHeaders, tableOf } from '../cli/plain-request.ts';
import { type Browser, chromiumPath, startChromium } from './chromium.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { sdkBundle } from './sdk-bundle.ts';

let browser: Browser;
let pages: PageServer;
let db: Stator;
let server: StatorServer;
let logged: string[];

async function listen(options: ListenOptions = {}): Promise<void> {
  server = await db.listen({ port: 0, ...options });
}

/** A page of an origin, which has loaded nothing but an empty document. */
async function open(origin: string): Promise<Page> {
  const page = await browser.context.newPage();
  await page.goto(`${origin}/empty.html`);
  return page;
}

/** What a page gets when it sends an operation as an SDK would: a status and a text, or why the browser refused. */
function call(page: Page, operation: string, input: object, endpoint = server.url): Promise<string> {
  return page.evaluate(
    async ({ url, headers, body }) => {
      try {
        const response = await fetch(url, { method: 'POST', headers, body });
        return `${response.status} ${await response.text()}`;
      } catch (error) {
        return String(error);
      }
    },
    { url: endpoint, headers: requestHeaders(operation), body: JSON.stringify(input) },
  );
}

/** Runs a program in a page; a text, because whatever compiles the tests must leave it alone. */
function run(page: Page, program: string, given: unknown): Promise<unknown> {
  return page.evaluate(`(async (given) => { ${program} })(${JSON.stringify(given)})`);
}

const refusedByTheBrowser = 'TypeError: Failed to fetch';
const deletion = { TableName: 'Orders' };

async function tables(): Promise<readonly string[]> {
  return (await db.listTables({})).TableNames ?? [];
}

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  beforeAll(async () => {
    const empty = { type: 'text/html', body: '<!doctype html><title>empty</title>' };
    const form = {
      type: 'text/html',
      body: '<!doctype html><form method="post" enctype="text/plain"><input name=\'{"TableName":"Orders","x":"\' value=\'"}\'></form>',
    };
    pages = await startPageServer({
      '/empty.html': empty,
      '/form.html': form,
      '/sdk.js': { type: 'text/javascript', body: await sdkBundle() },
    });
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
  });
  beforeEach(async () => {
    logged = [];
    db = await Stator.open({ log: (line) => logged.push(line) });
    await db.createTable(tableOf('Orders') as never);
  });
  afterEach(async () => {
    for (const page of browser.context.pages().slice(1)) await page.close();
    await db.close();
  });

  it.each(['localhost', '127.0.0.1', 'app.localhost'])('a page of http://%s may call', async (host) => {
    await listen();
    const page = await open(`http://${host}:${pages.port}`);
    expect(await call(page, 'ListTables', {})).toBe('200 {"TableNames":["Orders"]}');
    expect(logged).toEqual([]);
  });

  it('the AWS SDK in a page of localhost works', async () => {
    await listen();
    const page = await open(`http://localhost:${pages.port}`);
    const found = await run(
      page,
      `const { DynamoDBClient, ListTablesCommand, PutItemCommand } = await import('/sdk.js');
      const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
      const client = new DynamoDBClient({ endpoint: given, region: 'us-east-1', credentials });
      const { TableNames } = await client.send(new ListTablesCommand({}));
      await client.send(new PutItemCommand({ TableName: TableNames[0], Item: { id: { S: 'from a page' } } }));
      return TableNames;`,
      server.url,
    );
    expect(found).toEqual(['Orders']);
    expect((await db.scan({ TableName: 'Orders' })).Count).toBe(1);
  });

  it('a page of another origin may not, and the log says what lets it in', async () => {
    await listen();
    const origin = `http://evil.example:${pages.port}`;
    const page = await open(origin);
    expect(await call(page, 'DeleteTable', deletion)).toBe(refusedByTheBrowser);
    expect(await call(page, 'DeleteTable', deletion, `http://localhost:${server.port}`)).toBe(
      refusedByTheBrowser,
    );
    // The address for all addresses leads to this machine too.
    expect(await call(page, 'DeleteTable', deletion, `http://0.0.0.0:${server.port}`)).toBe(
      refusedByTheBrowser,
    );
    expect(await tables()).toEqual(['Orders']);
    expect(logged).toEqual([expect.stringContaining(`--cors ${origin} `)]);
  });

  it('a page of another origin may when it is in the list, and others still may not', async () => {
    await listen({ cors: [`http://app.example:${pages.port}`] });
    const [app, evil] = await Promise.all(
      ['app', 'evil'].map((name) => open(`http://${name}.example:${pages.port}`)),
    );
    expect(await call(evil!, 'DeleteTable', deletion)).toBe(refusedByTheBrowser);
    expect(await tables()).toEqual(['Orders']);
    expect(await call(app!, 'DeleteTable', deletion)).toMatch(/^200 /);
    expect(await tables()).toEqual([]);
  });

  it('requests that a browser sends without asking first are refused', async () => {
    await listen();
    const page = await open(`http://evil.example:${pages.port}`);
    await run(
      page,
      `const body = new Blob(['{"TableName":"Orders"}'], { type: 'text/plain' });
      await fetch(given, { method: 'POST', mode: 'no-cors', body });
      navigator.sendBeacon(given, body);`,
      server.url,
    );
    // A form leads the browser to the answer, which a person then sees.
    await page.goto(`http://evil.example:${pages.port}/form.html`);
    await run(page, 'const [form] = document.forms; form.action = given; form.submit();', server.url);
    await page.waitForURL(`${server.url}/`);
    expect(await page.textContent('body')).toContain(`--cors http://evil.example:${pages.port}`);
    expect(await tables()).toEqual(['Orders']);
  });

  it('pages without an origin may not, unless every page may', async () => {
    await listen();
    const closed = server.url;
    await listen({ cors: ['*'] });
    const page = await open(`http://localhost:${pages.port}`);
    const request = { method: 'POST', headers: requestHeaders('ListTables'), body: '{}' };
    const fromFrame = (url: string) =>
      run(
        page,
        `const frame = document.createElement('iframe');
        frame.sandbox = 'allow-scripts';
        const [url, request] = [JSON.stringify(given.url), JSON.stringify(given.request)];
        frame.srcdoc =
          '<script>fetch(' + url + ', ' + request + ').then((answer) => answer.text(), String)' +
          ".then((text) => parent.postMessage(text, '*'))</script>";
        document.body.append(frame);
        return new Promise((resolve) => addEventListener('message', ({ data }) => resolve(data), { once: true }));`,
        { url, request },
      );
    expect(await fromFrame(closed)).toBe(refusedByTheBrowser);
    expect(logged).toEqual([expect.stringContaining('Origin: null')]);
    expect(await fromFrame(server.url)).toBe('{"TableNames":["Orders"]}');
  });

  it('a name that was made to point here (DNS rebinding) is not answered to, unless it is allowed', async () => {
    await listen();
    const refusing = `http://rebound.example:${server.port}`;
    await listen({ allowHosts: ['rebound.example'] });
    const answering = `http://rebound.example:${server.port}`;
    // The page comes from elsewhere; by the time it calls, its name leads to the database.
    for (const origin of [refusing, answering])
      await browser.context.route(`${origin}/page`, (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
      );
    const page = await browser.context.newPage();
    await page.goto(`${refusing}/page`);
    expect(await call(page, 'DeleteTable', deletion, '/')).toMatch(/^403 .*--allow-host rebound\.example /);
    const control = () =>
      page.evaluate(async () => {
        const response = await fetch('/_stator/snapshot', { method: 'POST' });
        return response.status;
      });
    expect(await control()).toBe(403);
    expect(await tables()).toEqual(['Orders']);
    await page.goto(`${answering}/page`);
    expect(await call(page, 'DeleteTable', deletion, '/')).toMatch(/^200 /);
    expect(await control()).toBe(200);
  });

  it('the control API is for pages of its own origin only, whatever the list says', async () => {
    await listen({ cors: ['*'] });
    const page = await open(`http://localhost:${pages.port}`);
    const status = await page.evaluate(
      (url) => fetch(`${url}/_stator/reset`, { method: 'POST', mode: 'no-cors' }).then((r) => r.type),
      server.url,
    );
    expect(status).toBe('opaque');
    expect(await tables()).toEqual(['Orders']);
  });
});
