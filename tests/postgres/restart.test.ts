import { afterEach, expect, test } from 'vitest';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { type PostgresServer, startPostgres } from './server.ts';
import { add, append, bytes, numberIn, put, unit } from './units.ts';

let server: PostgresServer | undefined;
let store: Store | undefined;

afterEach(async () => {
  await store?.close();
  await server?.stop();
});

/** Two keys, a counter and a log record that must always tell the same number. */
function step(i: number) {
  return unit([`a${i}`], ({ values }) => {
    const next = numberIn(values[0]) + 1;
    const record = append(`log${i}`, `a${i}`, String(next));
    return { result: next, mutations: [put(`a${i}`, next), put(`b${i}`, next), add(`n${i}`, 1), record] };
  });
}

test('a server stopped and started under load: clear errors, whole units, recovery without help', async () => {
  server = await startPostgres();
  // Little time to ask, so that some outcomes stay unknown while the server is away.
  store = await openPostgresStore({ url: server.url, connectMsMax: 2_000, resolveMsMax: 500 });
  const clients = 8;
  const acknowledged = new Array<number>(clients).fill(0);
  const unknown = new Array<number>(clients).fill(0);
  const troubles = new Set<string>();
  const strange: unknown[] = [];
  let running = true;
  let progress = () => {};
  let troubled = () => {};
  const load = Array.from({ length: clients }, async (_, i) => {
    while (running) {
      try {
        await store!.transact(step(i));
        acknowledged[i]!++;
        progress();
      } catch (error) {
        if (!(error instanceof StoreError)) strange.push(error);
        else troubles.add(error.trouble);
        if (error instanceof StoreError && error.trouble === 'unknown-outcome') unknown[i]!++;
        troubled();
        // Lets other clients and the test in: a refused connection fails at once.
        await new Promise(setImmediate);
      }
    }
  });
  /** Resolves when so many more units were acknowledged, or failed. */
  const times = (count: number, subscribe: (each: () => void) => void) =>
    new Promise<void>((resolve) => {
      subscribe(() => --count <= 0 && resolve());
    });
  const acknowledgedMore = (count: number) => times(count, (each) => (progress = each));
  const failedMore = (count: number) => times(count, (each) => (troubled = each));

  await acknowledgedMore(100);
  for (const how of ['fast', 'immediate', 'fast'] as const) {
    const failed = failedMore(clients);
    await server.halt(how);
    await failed;
    await server.resume();
    await acknowledgedMore(100);
  }
  running = false;
  await Promise.all(load);

  expect(strange, 'every failure is one of the contract').toEqual([]);
  expect([...troubles].every((trouble) => trouble === 'unavailable' || trouble === 'unknown-outcome')).toBe(
    true,
  );
  for (let i = 0; i < clients; i++) {
    const [a, b] = (await store.getMany([bytes(`a${i}`), bytes(`b${i}`)])).map(numberIn);
    const [n] = await store.counters([bytes(`n${i}`)]);
    const records: string[] = [];
    for (let after = 0; ; ) {
      const page = await store.readLog(bytes(`log${i}`), after, 500);
      if (page.length === 0) break;
      after = page.at(-1)!.position;
      records.push(...page.map(({ record }) => new TextDecoder().decode(record)));
    }
    expect([b, n, records.length], 'nothing is half-written').toEqual([a, a, a]);
    expect(records).toEqual(records.map((_, at) => String(at + 1)));
    expect(a, 'what was acknowledged is there').toBeGreaterThanOrEqual(acknowledged[i]!);
    expect(a, 'nothing was done twice').toBeLessThanOrEqual(acknowledged[i]! + unknown[i]!);
  }
  console.info('restart:', { acknowledged, unknown, troubles: [...troubles] });
});
