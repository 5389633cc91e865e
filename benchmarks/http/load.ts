import { isDeepStrictEqual } from 'node:util';
import { seededRandom } from '../../tests/seeded-random.ts';
import { Connection } from './connection.ts';
import { Orders, tableName, type WireItem } from './items.ts';
import { processorSeconds } from './process-figures.ts';
import { RequestSigner } from './signed-request.ts';

/** What the load generator is told to do. It is sent from process to process, so it is plain data. */
export type Job = {
  readonly port: number;
  /** The server's process. */
  readonly pid: number;
  readonly connections: number;
  readonly items: number;
  readonly seed: number;
} & (
  | { readonly kind: 'load' }
  /** Reads every item once. */
  | { readonly kind: 'check' }
  | {
      readonly kind: 'measure';
      readonly operation: MeasuredOperation;
      readonly warmUpSeconds: number;
      readonly seconds: number;
      /** Tells the rounds apart: it chooses the items and is the version that puts write. */
      readonly round: number;
    }
);

export type MeasuredOperation = 'GetItem' | 'PutItem' | 'UpdateItem';

export interface Load {
  readonly operations: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** A hash of every item as read, without its version; only after `check`. */
  readonly hash: string;
  /** The shares of one core that were used: where the load generator's is near 1, the server was not the limit. */
  readonly loadCpu: number;
  readonly serverCpu: number | null;
}

/** One of so many answers is parsed and compared in full; of all of them, status and length are checked. */
const comparedEvery = 256;

export function runLoad(job: Job): Promise<Load> {
  const orders = new Orders(job.items, job.seed);
  if (job.kind === 'measure') return measure(job, orders);
  return job.kind === 'load' ? load(job, orders) : check(job, orders);
}

async function load(job: Job, orders: Orders): Promise<Load> {
  const requests = putRequests(job, orders, 0);
  const lap = new Lap(
    requests,
    (index) => index,
    (index) => (index < orders.count ? undefined : 'stop'),
  );
  return lap.run(job, (_, status, body) => expectStatus(status, body));
}

async function check(job: Job, orders: Orders): Promise<Load> {
  const requests = getRequests(job, orders);
  const lap = new Lap(
    requests,
    (index) => index,
    (index) => (index < orders.count ? undefined : 'stop'),
  );
  let hash = 0;
  const result = await lap.run(job, (index, status, body) => {
    expectStatus(status, body);
    const item = expectItem(orders, index, body);
    // Adding up, because the answers of several connections come in any order.
    const { version: _, ...rest } = item;
    hash = (hash + hashText(sortedJson(rest))) | 0;
  });
  return { ...result, hash: (hash >>> 0).toString(16).padStart(8, '0') };
}

async function measure(job: Extract<Job, { kind: 'measure' }>, orders: Orders): Promise<Load> {
  const reads = job.operation === 'GetItem';
  const requests = requestsFor(job, orders);
  const random = seededRandom(job.seed ^ Math.imul(job.round + 1, 0x9e3779b1));
  const order = Uint32Array.from({ length: 1 << 16 }, () => random.below(orders.count));
  const lengths = reads
    ? Uint32Array.from({ length: orders.count }, (_, i) => itemAnswerLength(orders.item(i, 0)))
    : undefined;
  const warmUntil = performance.now() + job.warmUpSeconds * 1_000;
  const until = warmUntil + job.seconds * 1_000;
  const lap = new Lap(
    requests,
    (turn) => order[turn & 0xffff]!,
    (_, now) => (now >= until ? 'stop' : now < warmUntil ? 'unmeasured' : undefined),
  );
  let answers = 0;
  return lap.run(job, (index, status, body) => {
    if (status !== 200) expectStatus(status, body);
    if (lengths !== undefined) {
      if (body.length !== lengths[index]) expectItem(orders, index, body);
      else if (++answers % comparedEvery === 0) expectItem(orders, index, body);
    } else if (body.length !== 2) {
      throw new Error(`${job.operation} was answered with ${body.toString().slice(0, 300)}`);
    }
  });
}

/** What becomes of the request that a connection would send next. */
type Verdict = 'stop' | 'unmeasured' | undefined;

/** Sends requests on all connections, one at a time on each, until it is told to stop. */
class Lap {
  readonly #requests: readonly Buffer[];
  readonly #choose: (turn: number) => number;
  readonly #verdict: (turn: number, now: number) => Verdict;
  #turn = 0;

  constructor(
    requests: readonly Buffer[],
    choose: (turn: number) => number,
    verdict: (turn: number, now: number) => Verdict,
  ) {
    this.#requests = requests;
    this.#choose = choose;
    this.#verdict = verdict;
  }

  async run(
    { port, pid, connections: count }: Job,
    onAnswer: (index: number, status: number, body: Buffer) => void,
  ): Promise<Load> {
    const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(port)));
    const latencies: number[] = [];
    let first = Number.POSITIVE_INFINITY;
    let last = 0;
    let before: Used | undefined;
    try {
      await Promise.all(
        connections.map(
          (connection) =>
            new Promise<void>((resolve, reject) => {
              let index = 0;
              let sentAt = 0;
              let verdict: Verdict;
              const next = (now: number) => {
                const turn = this.#turn++;
                verdict = this.#verdict(turn, now);
                if (verdict === 'stop') return resolve();
                if (verdict === undefined && now < first) {
                  first = now;
                  before = used(pid);
                }
                index = this.#choose(turn);
                sentAt = now;
                connection.send(this.#requests[index]!);
              };
              connection.listen((status, body) => {
                const now = performance.now();
                if (verdict === undefined) {
                  latencies.push(now - sentAt);
                  last = now;
                }
                onAnswer(index, status, body);
                next(now);
              }, reject);
              next(performance.now());
            }),
        ),
      );
    } finally {
      for (const connection of connections) connection.close();
    }
    const after = used(pid);
    const sorted = Float64Array.from(latencies).sort();
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    const seconds = (last - first) / 1_000;
    return {
      operations: sorted.length,
      seconds,
      p50: at(0.5),
      p99: at(0.99),
      max: at(1),
      hash: '',
      loadCpu: (after.load - (before?.load ?? 0)) / seconds,
      serverCpu:
        after.server === undefined || before?.server === undefined
          ? null
          : (after.server - before.server) / seconds,
    };
  }
}

/** Seconds of processor time. */
interface Used {
  readonly load: number;
  readonly server: number | undefined;
}

function used(pid: number): Used {
  const { user, system } = process.cpuUsage();
  return { load: (user + system) / 1e6, server: processorSeconds(pid) };
}

function requestsFor(job: Extract<Job, { kind: 'measure' }>, orders: Orders): Buffer[] {
  switch (job.operation) {
    case 'GetItem':
      return getRequests(job, orders);
    case 'PutItem':
      return putRequests(job, orders, job.round);
    case 'UpdateItem':
      return updateRequests(job, orders, job.round);
  }
}

/** A conditional update of one attribute, as an application that checks what it changes sends it. */
function updateRequests({ port }: Job, orders: Orders, version: number): Buffer[] {
  const signer = new RequestSigner(port);
  return Array.from({ length: orders.count }, (_, index) =>
    signer.request('UpdateItem', {
      TableName: tableName,
      Key: orders.key(index),
      UpdateExpression: 'SET #version = :version',
      ConditionExpression: 'attribute_exists(pk) AND #status = :status',
      ExpressionAttributeNames: { '#version': 'version', '#status': 'status' },
      ExpressionAttributeValues: { ':version': { N: String(1_000 + version) }, ':status': { S: 'SHIPPED' } },
    }),
  );
}

function putRequests({ port }: Job, orders: Orders, version: number): Buffer[] {
  const signer = new RequestSigner(port);
  return Array.from({ length: orders.count }, (_, index) =>
    signer.request('PutItem', { TableName: tableName, Item: orders.item(index, version) }),
  );
}

function getRequests({ port }: Job, orders: Orders): Buffer[] {
  const signer = new RequestSigner(port);
  return Array.from({ length: orders.count }, (_, index) =>
    signer.request('GetItem', { TableName: tableName, Key: orders.key(index) }),
  );
}

/** Whatever the order of its attributes, an item without blanks between them has one length. */
function itemAnswerLength(item: WireItem): number {
  return Buffer.byteLength(JSON.stringify({ Item: item }));
}

function expectStatus(status: number, body: Buffer): void {
  if (status !== 200)
    throw new Error(`A request was answered with ${status}: ${body.toString().slice(0, 300)}`);
}

/** The answer must hold the item that was asked for, in whichever version it says it is. */
function expectItem(orders: Orders, index: number, body: Buffer): WireItem {
  const { Item: item } = JSON.parse(body.toString()) as { Item?: WireItem };
  if (item === undefined) throw new Error(`Item ${index} is missing`);
  if (!isDeepStrictEqual(item, orders.item(index, Orders.versionOf(item))))
    throw new Error(`Item ${index} was answered with ${JSON.stringify(item)}`);
  return item;
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
