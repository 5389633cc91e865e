import { once } from 'node:events';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import type { Store } from '../../src/storage/store.ts';
import type { Order, Report } from './child-process.ts';
import { increment } from './units.ts';

/** A second process on the same database. It does what its parent orders over the IPC channel. */

const [, , url, schema] = process.argv as [string, string, string, string];
let store: Store | undefined;
let pauseAtSwap = false;
let goOn: (() => void) | undefined;

function report(message: Report): void {
  process.send?.(message);
}

async function openStore(): Promise<Store> {
  return await openPostgresStore({
    url,
    schema,
    async onRoundTrip(statement) {
      if (!pauseAtSwap || !statement.startsWith('swap')) return;
      pauseAtSwap = false;
      const go = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      report({ kind: 'at swap' });
      await go;
    },
  });
}

async function obey(order: Order): Promise<void> {
  switch (order.kind) {
    case 'open':
      store = await openStore();
      report({ kind: 'opened' });
      break;
    case 'increment': {
      pauseAtSwap = order.pauseAtSwap;
      const clients = Array.from({ length: order.clients }, async (_, client) => {
        for (let i = client; i < order.times; i += order.clients) {
          await store!.transact(increment(`k${i % order.keys}`, 'all'));
          report({ kind: 'incremented' });
        }
      });
      await Promise.all(clients);
      report({ kind: 'done' });
      break;
    }
    case 'go on':
      goOn?.();
      break;
    case 'close':
      await store?.close();
      process.disconnect();
      break;
  }
}

process.on('message', (order: Order) => {
  obey(order).catch((error: unknown) => {
    report({ kind: 'failed', error: error instanceof Error ? String(error.stack) : String(error) });
  });
});
report({ kind: 'ready' });
// Modules can be loaded only while this one has not ended, and the store loads its driver when it is opened.
await once(process, 'disconnect');
