import cluster from 'node:cluster';
import type { Surroundings } from './command.ts';
import { codeOf, Failure } from './failure.ts';
import { letHeapGrow } from './heap-growth.ts';
import { listenFailure } from './listen-trouble.ts';
import { openDatabase, type ServerPlan } from './open-database.ts';
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
  const first = nextMessage();
  await say({ ready: true });
  const told = await first;
  if (!('start' in told)) return end();
  const { start: plan, number } = told;
  const stop = nextMessage();
  const { json, quiet } = plan.settings;
  const output = newOutput({ json: json.value, quiet: quiet.value });
  letHeapGrow();
  try {
    const db = await openDatabase(plan, undefined, {
      log: (line) => output.log('warning', `Worker ${number}: ${line}`),
      write: (line) => output.line(line),
      debug: output.isDebug,
    });
    try {
      const { host, port, url } = await db.listen(plan.door).catch((error: unknown) => {
        throw listenTrouble(error, plan);
      });
      await say({ listening: { host, port, url } });
      await stop;
    } finally {
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
function nextMessage(): Promise<ToWorker> {
  return new Promise((resolve) => {
    process.once('message', (message: ToWorker) => resolve(message));
  });
}

/** Resolves when the message is on its way; the primary reads it even if this process ends then. */
function say(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    process.send!(message, () => resolve());
  });
}

/** Node ends a worker that lets go of its primary. */
function end(): void {
  process.disconnect();
}
