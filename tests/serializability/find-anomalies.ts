import { cyclesOf, type Edge } from './cycles.ts';
import type { Transaction } from './history.ts';

/**
 * What no order of the transactions, one after another and each between its start and its end, could have brought
 * about. The idea is Elle's (Kingsbury and Alvaro, VLDB 2020): lists tell the order of the writes to each key, reads
 * tell between which two writes they stand, and a cycle among all these "before"s is a proof that there is no such
 * order. With what was answered before something else was asked it is strict serializability that is judged.
 */
export function findAnomalies(transactions: readonly Transaction[]): string[] {
  const writers = writersOf(transactions);
  const anomalies: string[] = [];
  const orders = ordersOf(transactions, anomalies);
  const byValue = (key: string, value: number) => writers.get(`${key} ${value}`);
  for (const [key, order] of orders) {
    if (new Set(order).size < order.length)
      anomalies.push(`${key} holds a value twice: [${order.join(', ')}]`);
    for (const value of order) {
      const writer = byValue(key, value);
      if (writer === undefined) anomalies.push(`${key} holds ${value}, which nobody appended`);
      else if (writer.outcome === 'refused')
        anomalies.push(`${key} holds ${value}, although ${shown(writer)} was refused`);
    }
  }
  anomalies.push(...lostAppends(transactions, orders));
  // With an order that contradicts itself there is nothing to draw edges between.
  if (anomalies.length > 0) return anomalies;
  const done = transactions.filter(({ outcome }) => outcome === 'done');
  const edges = [...dependencies(done, orders, byValue), ...realTime(done)];
  const byId = new Map(done.map((transaction) => [transaction.id, transaction]));
  return cyclesOf(edges, (node) => byId.has(node)).map((cycle) =>
    cycle.map(({ from, why }) => `${shown(byId.get(from)!)} ${why}`).join(' '),
  );
}

function writersOf(transactions: readonly Transaction[]): Map<string, Transaction> {
  const writers = new Map<string, Transaction>();
  for (const transaction of transactions)
    for (const { key, value } of transaction.appends) writers.set(`${key} ${value}`, transaction);
  return writers;
}

/** The longest list that anybody saw of each key; all others must be beginnings of it. */
function ordersOf(transactions: readonly Transaction[], anomalies: string[]): Map<string, readonly number[]> {
  const orders = new Map<string, readonly number[]>();
  for (const { reads } of transactions)
    for (const { key, list } of reads)
      if (list.length >= (orders.get(key)?.length ?? 0)) orders.set(key, list);
  for (const transaction of transactions)
    for (const { key, list } of transaction.reads) {
      const order = orders.get(key)!;
      if (list.some((value, i) => order[i] !== value))
        anomalies.push(`${shown(transaction)} is no beginning of ${key} [${order.join(', ')}]`);
    }
  return orders;
}

/** A history ends with reads of all keys, which must show everything that was done. */
function lostAppends(
  transactions: readonly Transaction[],
  orders: ReadonlyMap<string, readonly number[]>,
): string[] {
  const held = new Set([...orders].flatMap(([key, order]) => order.map((value) => `${key} ${value}`)));
  return transactions
    .filter(({ outcome }) => outcome === 'done')
    .flatMap((transaction) =>
      transaction.appends
        .filter(({ key, value }) => !held.has(`${key} ${value}`))
        .map(({ key, value }) => `${key} has lost ${value} of ${shown(transaction)}`),
    );
}

function dependencies(
  transactions: readonly Transaction[],
  orders: ReadonlyMap<string, readonly number[]>,
  writerOf: (key: string, value: number) => Transaction | undefined,
): Edge[] {
  const edges: Edge[] = [];
  const writerAt = (key: string, position: number) => {
    const value = orders.get(key)?.[position];
    return value === undefined ? undefined : writerOf(key, value)!.id;
  };
  for (const [key, order] of orders)
    for (let i = 1; i < order.length; i++)
      edges.push({
        from: writerAt(key, i - 1)!,
        to: writerAt(key, i)!,
        why: `was followed on ${key} by`,
      });
  for (const { id, reads, checks } of transactions) {
    const seen = [...checks, ...reads.map(({ key, list }) => ({ key, length: list.length }))];
    for (const { key, length } of seen) {
      const [before, after] = [writerAt(key, length - 1), writerAt(key, length)];
      if (before !== undefined) edges.push({ from: before, to: id, why: `was seen in ${key} by` });
      if (after !== undefined) edges.push({ from: id, to: after, why: `did not see in ${key} yet` });
    }
  }
  return edges.filter(({ from, to }) => from !== to);
}

/**
 * What had ended before something else began. A node for every end keeps the number of edges linear: an end leads to
 * the ends after it, and the last end before a start leads to what starts there. These nodes have negative numbers.
 */
function realTime(transactions: readonly Transaction[]): Edge[] {
  const ends = [...transactions].sort((a, b) => a.endedAt - b.endedAt);
  const starts = [...transactions].sort((a, b) => a.startedAt - b.startedAt);
  const why = 'had ended before';
  const edges: Edge[] = ends.flatMap(({ id }, i) => [
    { from: id, to: -(i + 1), why },
    ...(i + 1 < ends.length ? [{ from: -(i + 1), to: -(i + 2), why }] : []),
  ]);
  let ended = 0;
  for (const { id, startedAt } of starts) {
    while (ended < ends.length && ends[ended]!.endedAt < startedAt) ended++;
    if (ended > 0) edges.push({ from: -ended, to: id, why });
  }
  return edges;
}

function shown({ id, client, appends, reads, checks }: Transaction): string {
  const parts = [
    ...appends.map(({ key, value }) => `append ${key} ${value}`),
    ...reads.map(({ key, list }) => `read ${key} [${list.join(', ')}]`),
    ...checks.map(({ key, length }) => `check ${key} has ${length}`),
  ];
  return `#${id} of client ${client} {${parts.join('; ')}}`;
}
