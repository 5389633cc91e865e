import { type CaseName, expectAnswer } from './cases.ts';
import { Orders, tableName, type WireItem } from './items.ts';
import { type Load, runLap, type Turns } from './lap.ts';
import { keepPace } from './pace.ts';
import { RequestPool, someOf } from './request-pool.ts';
import { RequestSigner } from './signed-request.ts';
import { timedVerdict } from './timed-verdict.ts';

/** What the load generator is told to do. It is sent from process to process, so it is plain data. */
export type Job = JobBasis & (LoadJob | CheckJob | MeasureJob);

export interface JobBasis {
  readonly port: number;
  /** The server's process. */
  readonly pid: number;
  readonly connections: number;
  readonly items: number;
  readonly seed: number;
}

/** Writes items with BatchWriteItem, 25 at a time. */
export interface LoadJob {
  readonly kind: 'load';
  readonly from: number;
  readonly to: number;
}

/** Reads every item once, or so many of a large table as can be kept in mind. */
export interface CheckJob {
  readonly kind: 'check';
}

/** Requests of one case, or of several in turn: so many a second, or as many as the server answers. */
export interface MeasureJob {
  readonly kind: 'measure';
  readonly names: readonly CaseName[];
  readonly perSecond?: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** One of so many answers is parsed and compared in full; of all of them, status and length are checked. */
const comparedEvery = 256;
const checkedMax = 20_000;
const batchItems = 25;

/** Does jobs one after another and keeps what they have in common. */
export class LoadWorker {
  readonly #pools = new Map<string, RequestPool>();

  run(job: Job): Promise<Load> {
    const orders = new Orders(job.items, job.seed);
    switch (job.kind) {
      case 'load':
        return load(job, orders);
      case 'check':
        return check(job, orders);
      case 'measure':
        return this.#measure(job, orders);
    }
  }

  async #measure(job: JobBasis & MeasureJob, orders: Orders): Promise<Load> {
    const { names, perSecond, warmUpSeconds, seconds } = job;
    const lanes = names.map((name): Lane => {
      const pool = this.#pool(job, name, orders);
      pool.prepare();
      const first = pool.turn;
      return { pool, name, turn: (turn) => first + Math.floor(turn / names.length) };
    });
    const turns: Turns = {
      verdict: timedVerdict(job, performance.now()),
      request: (turn) => {
        const lane = lanes[turn % lanes.length]!;
        return lane.pool.request(lane.turn(turn));
      },
      onAnswer: answerCheck(lanes, orders),
    };
    // What making the requests left behind is not to be collected in the middle of the measurement.
    globalThis.gc?.();
    const secondsMax = warmUpSeconds + seconds + 30;
    const done =
      perSecond === undefined
        ? await runLap(job, turns, secondsMax)
        : await keepPace(job, perSecond, turns, secondsMax);
    for (const pool of new Set(lanes.map((lane) => lane.pool)))
      pool.finishRound(Math.ceil(done.turns / names.length));
    return done;
  }

  /** Kept while the same cases are measured round after round; those of other cases are let go. */
  #pool({ port, items, seed }: JobBasis, name: CaseName, orders: Orders): RequestPool {
    const key = `${port} ${items} ${name}`;
    const kept = this.#pools.get(key);
    if (kept?.isFresh) return kept;
    const pool = new RequestPool(name, orders, port, seed);
    // Goes on where the one before was, or writes would find what they write.
    pool.turn = kept?.turn ?? 0;
    this.#pools.delete(key);
    if (this.#pools.size >= poolsMax) this.#pools.delete(this.#pools.keys().next().value!);
    this.#pools.set(key, pool);
    return pool;
  }
}

/** As many as there are servers in a group of cases, with room to spare. */
const poolsMax = 20;

interface Lane {
  readonly pool: RequestPool;
  readonly name: CaseName;
  turn(turn: number): number;
}

/** Looks at status and length of every answer, and at all of some. */
function answerCheck(lanes: readonly Lane[], orders: Orders): Turns['onAnswer'] {
  let answers = 0;
  return (turn, status, body) => {
    if (status !== 200) expectStatus(status, body);
    const { pool, name, turn: turnOf } = lanes[turn % lanes.length]!;
    const own = turnOf(turn);
    if (body.length === pool.answerLength(own) && ++answers % comparedEvery !== 0) return;
    expectAnswer(name, orders, pool.index(own), body.toString());
  };
}

/** Batches are made while the load runs: a million of them would not fit, and making one costs a fraction of it. */
function load(job: JobBasis & LoadJob, orders: Orders): Promise<Load> {
  const signer = new RequestSigner(job.port);
  const batches = Math.ceil((job.to - job.from) / batchItems);
  return runLap(
    job,
    {
      verdict: (turn) => (turn < batches ? 'measured' : 'stop'),
      request: (turn) => {
        const from = job.from + turn * batchItems;
        const length = Math.min(batchItems, job.to - from);
        const puts = Array.from({ length }, (_, i) => ({ PutRequest: { Item: orders.item(from + i, 0) } }));
        return signer.request('BatchWriteItem', { RequestItems: { [tableName]: puts } });
      },
      onAnswer: (_, status, body) => {
        expectStatus(status, body);
        const { UnprocessedItems: left = {} } = JSON.parse(body.toString()) as { UnprocessedItems?: object };
        if (Object.keys(left).length > 0) throw new Error('A batch was written in part only');
      },
    },
    1_800,
  );
}

async function check(job: JobBasis & CheckJob, orders: Orders): Promise<Load> {
  const signer = new RequestSigner(job.port);
  const indexes = someOf(orders.count, Math.min(orders.count, checkedMax), job.seed);
  let hash = 0;
  const result = await runLap(
    job,
    {
      verdict: (turn) => (turn < indexes.length ? 'measured' : 'stop'),
      request: (turn) =>
        signer.request('GetItem', {
          TableName: tableName,
          Key: orders.key(indexes[turn]!),
          ConsistentRead: true,
        }),
      onAnswer: (turn, status, body) => {
        expectStatus(status, body);
        const text = body.toString();
        expectAnswer('get', orders, indexes[turn]!, text);
        // Adding up, because the answers of several connections come in any order.
        const { version: _, ...rest } = (JSON.parse(text) as { Item: WireItem }).Item;
        hash = (hash + hashText(sortedJson(rest))) | 0;
      },
    },
    300,
  );
  return { ...result, hash: (hash >>> 0).toString(16).padStart(8, '0') };
}

function expectStatus(status: number, body: Buffer): void {
  if (status !== 200)
    throw new Error(`A request was answered with ${status}: ${body.toString().slice(0, 300)}`);
}

/** JSON with the members of objects in order, since each server has its own order. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
