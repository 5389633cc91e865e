import cluster, { type Worker } from 'node:cluster';
import { machine, wait } from '../runtime/machine/machine.ts';
import type { StatorServer } from '../server.ts';
import { removeStaleSocket } from '../wire/control-socket.ts';
import { Failure } from './failure.ts';
import { GatheredMetrics } from './gathered-metrics.ts';
import { freePort } from './listen-trouble.ts';
import { closeLostConnection } from './lost-connection.ts';
import type { ServerPlan } from './open-database.ts';
import type { Output } from './output.ts';
import { type FromWorker, type ToWorker, type WorkerFailure, workerWord } from './worker-messages.ts';
import { WorkerRestarts } from './worker-restarts.ts';

export type Address = Pick<StatorServer, 'host' | 'port' | 'url' | 'controlUrl'>;

/**
 * The processes behind one port, as the primary sees them. The primary opens no store and reads no request: it takes
 * connections, gives them to the workers in turn (Node's cluster does that, as soon as a worker listens), and starts
 * another worker where one has ended. It passes on what they count. All workers share the store, whose contract is made for that.
 */
export class Workers {
  readonly #plan: ServerPlan;
  readonly #output: Output;
  readonly #running = new Set<Running>();
  readonly #replacing = new Set<Promise<void>>();
  readonly #restarts = new WorkerRestarts();
  readonly #metrics = new GatheredMetrics();
  readonly #stopping = new AbortController();
  readonly #killAll = () => {
    for (const { worker } of this.#running) worker.process.kill('SIGKILL');
  };
  readonly #givenUp: Promise<never>;
  #giveUp!: (why: Failure) => void;

  private constructor(plan: ServerPlan, output: Output) {
    this.#plan = plan;
    this.#output = output;
    this.#givenUp = new Promise((_, reject) => {
      this.#giveUp = reject;
    });
    // Whoever waits for it is told; when nobody does any more, the server is being stopped.
    this.#givenUp.catch(() => {});
    cluster.setupPrimary({ args: [workerWord] });
    // However this process ends, nothing of it stays behind.
    process.on('exit', this.#killAll);
  }

  /**
   * Resolves when all workers listen. The first one starts alone, so that what keeps all of them from serving is told
   * once.
   */
  static async start(plan: ServerPlan, output: Output): Promise<{ workers: Workers; address: Address }> {
    for (let tries = portTries; ; tries--) {
      const isAnyPort = plan.settings.port.value === 0;
      // Every worker asks for the same number: a worker that asked for 0 when all others are gone would get a new one.
      const port = isAnyPort ? await freePort(plan.settings.host.value) : plan.settings.port.value;
      const { controlPort, controlHost, controlSocket } = plan.door;
      const control = controlPort === 0 ? { controlPort: await freePort(controlHost!) } : {};
      if (controlSocket !== undefined) await removeStaleSocket(controlSocket);
      const door = { ...plan.door, ...control, port, oneOfSeveral: true };
      const workers = new Workers({ ...plan, door }, output);
      try {
        const address = await workers.#launch(1);
        const others = Array.from({ length: plan.settings.workers.value - 1 }, (_, i) => i + 2);
        await Promise.all(others.map((number) => workers.#launch(number)));
        return { workers, address };
      } catch (error) {
        await workers.stop();
        // Somebody else was faster, which can happen to a port that was only found free.
        const isTaken = error instanceof CannotServe && error.failure.code === 'EADDRINUSE';
        if (!isAnyPort || !isTaken || tries <= 1) throw error;
      }
    }
  }

  get processIds(): number[] {
    const inOrder = [...this.#running].sort((a, b) => a.number - b.number);
    return inOrder.map(({ worker }) => worker.process.pid!);
  }

  /** Rejects once workers keep ending and no more are started. */
  get givenUp(): Promise<never> {
    return this.#givenUp;
  }

  /** Lets all workers finish the requests under way; resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { worker } of this.#running) tell(worker, { stop: true });
    await Promise.all([...this.#running].map(({ ended }) => ended));
    await Promise.all(this.#replacing);
    process.off('exit', this.#killAll);
  }

  /** Starts a worker and resolves when it listens. One that ends after that is replaced. */
  async #launch(number: number): Promise<Address> {
    const worker = cluster.fork();
    closeLostConnection(worker.process);
    let failure: WorkerFailure | undefined;
    const ended = untilEnded(worker);
    worker.process.once('exit', () => this.#tellOthers(running, { workerEnded: number }));
    const running = { number, worker, ended };
    this.#running.add(running);
    const listening = new Promise<Address>((resolve) => {
      worker.on('message', (message: FromWorker) => {
        if ('ready' in message)
          tell(worker, this.#stopping.signal.aborted ? { stop: true } : { start: this.#plan, number });
        else if ('counted' in message) this.#tellOthers(running, { counted: message.counted, by: number });
        else if ('askMetrics' in message) this.#gatherMetrics(running, message.askMetrics);
        else if ('metrics' in message) this.#metrics.take(message.wanted, message.metrics);
        else if ('failed' in message) failure = message.failed;
        else resolve(message.listening);
      });
    });
    const ending = ended.then((how): never => {
      this.#running.delete(running);
      const pid = worker.process.pid;
      const name = `Worker ${number}${pid === undefined ? '' : ` (process ${pid})`}`;
      if (failure !== undefined) throw new CannotServe(failure);
      throw new Failure(`${name} ended: ${how}.`, 'Lines before this one may tell why.');
    });
    const address = await Promise.race([listening, ending]);
    const servesSince = machine.stopwatchMs();
    ending.catch((why: Failure) => this.#replace(number, why, machine.stopwatchMs() - servesSince));
    return address;
  }

  #tellOthers(teller: Running, message: ToWorker): void {
    for (const each of this.#running) if (each !== teller) tell(each.worker, message);
  }

  #gatherMetrics(asker: Running, asked: number): void {
    const others = [...this.#running].filter((each) => each !== asker);
    const wanted = this.#metrics.gather(others.length, (metricsOfOthers) =>
      tell(asker.worker, { metricsOfOthers, asked }),
    );
    for (const { worker } of others) tell(worker, { metricsWanted: wanted });
  }

  #replace(number: number, why: Failure, servedMs: number): void {
    if (this.#stopping.signal.aborted) return;
    const replacing = this.#launchAgain(number, why, servedMs).finally(() => {
      this.#replacing.delete(replacing);
    });
    this.#replacing.add(replacing);
  }

  async #launchAgain(number: number, first: Failure, servedMs: number): Promise<void> {
    for (let ended = first, served = servedMs; ; served = 0) {
      const waitMs = this.#restarts.waitMs(served);
      if (waitMs === undefined) return this.#giveUp(this.#keepEnding(ended));
      const why = ended instanceof CannotServe ? `Worker ${number} cannot serve: ` : '';
      this.#output.log('warning', `${why}${ended.message} Another takes its place.`);
      const { signal } = this.#stopping;
      await wait(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#launch(number);
        const running = [...this.#running].find((each) => each.number === number);
        this.#output.log('info', `Worker ${number} is process ${running?.worker.process.pid} now.`);
        return;
      } catch (error) {
        if (signal.aborted) return;
        ended = error as Failure;
      }
    }
  }

  #keepEnding(latest: Failure): Failure {
    return new Failure(
      `Workers keep ending soon after their start, ${this.#restarts.endedSoon} in a row. The latest: ${latest.message}`,
      latest.advice,
      latest,
    );
  }
}

interface Running {
  readonly number: number;
  readonly worker: Worker;
  readonly ended: Promise<string>;
}

/** A worker that has told why it cannot serve; in its own words, which are those of a server of one process. */
class CannotServe extends Failure {
  readonly failure: WorkerFailure;

  constructor(failure: WorkerFailure) {
    super(failure.message, failure.advice);
    this.failure = failure;
  }
}

const portTries = 5;

/** Its end is told by the worker itself, should it be gone already. */
function tell(worker: Worker, message: ToWorker): void {
  worker.send(message, () => {});
}

/** Resolves with how it ended, when all that it said has been read. */
function untilEnded({ process: child }: Worker): Promise<string> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once('error', (error) => resolve(`it could not be started: ${error.message}`));
  });
}
