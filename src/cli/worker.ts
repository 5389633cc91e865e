import cluster from 'node:cluster';
import type { Surroundings } from './command.ts';
import { codeOf, Failure } from './failure.ts';
import { finishLostCommits } from './finish-lost-commits.ts';
import { letHeapGrow } from './heap-growth.ts';
import { listenFailure } from './listen-trouble.ts';
import { openDatabase, type ServerPlan } from './open-database.ts';
import { shareMetrics } from './share-metrics.ts';
import { shareRates } from './share-rates.ts';
import { stopSignals } from './stop-signals.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/**
 * One of several processes that serve a port. It does what the primary says and ends with it: when the primary is
 * gone without a word, Node ends this process at once, and all that was answered is in the store.
 */
export async function runWorker({ output: newOutput }: Surroundings): Promise<void> {
  // A terminal and some supervisors send these to every process. The primary gets them too, and decides.
  for (const signal of stopSignals) process.on(signal, () => {});
  // A message that nobody is there to read: the primary is gone, and Node is about to end this process.
  cluster.worker!.on('error', () => {});
  const first = nextOrder();
  await say({ ready: true });
  const order = await first;
  if (!('start' in order)) return end();
  const { start: plan, number } = order;
  const stop = nextOrder();
  const { json, quiet } = plan.settings;
  const output = newOutput({ json: json.value, quiet: quiet.value });
  letHeapGrow();
  try {
    const db = await openDatabase(plan, undefined, {
      log: (line) => output.log('warning', `Worker ${number}: ${line}`),
      write: (line) => output.line(line),
      debug: output.isDebug,
    });
    const stopFinishing = finishLostCommits(process, db.engine.store);
    let stopSharing = () => {};
    try {
      const { host, port, url, controlUrl } = await db.listen(plan.door).catch((error: unknown) => {
        throw listenTrouble(error, plan);
      });
      await say({ listening: { host, port, url, ...(controlUrl !== undefined && { controlUrl }) } });
      if (db.observation.isOn) {
        const stopRates = shareRates(
          db.observation.rates,
          () => db.nowMs(),
          (counted) => void say({ counted }),
        );
        const stopMetrics = shareMetrics(db.observation, (message) => void say(message));
        stopSharing = () => {
          stopRates();
          stopMetrics();
        };
      }
      await stop;
    } finally {
      stopSharing();
      stopFinishing();
      await db.close();
    }
  } catch (error) {
    // A defect is told by this process itself, with its stack.
    if (!(error instanceof Failure)) throw error;
    const { message, advice } = error;
    await say({ failed: { message, advice, code: codeOf(error.cause) } });
  }
  end();
}

function listenTrouble(error: unknown, { settings, door }: ServerPlan): unknown {
  return listenFailure(error, settings.host.value, door.port ?? settings.port.value);
}

/** For ever without an answer when the primary is gone, rather than an error: Node sees to that case. */
function nextOrder(): Promise<Order> {
  return new Promise((resolve) => {
    const take = (message: ToWorker) => {
      if (!('start' in message) && !('stop' in message)) return;
      process.off('message', take);
      resolve(message);
    };
    process.on('message', take);
  });
}

/** Resolves when the message is on its way; the primary reads it even if this process ends then. */
function say(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    process.send!(message, () => resolve());
  });
}

type Order = Extract<ToWorker, { readonly start: unknown } | { readonly stop: unknown }>;

/** Node ends a worker that lets go of its primary. */
function end(): void {
  process.disconnect();
}
