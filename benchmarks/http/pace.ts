import type { Connection } from './connection.ts';
import { Figures, type Load, type Target, type Turns, withConnections } from './lap.ts';

/**
 * Sends so many requests a second, however fast they are answered: one that is due while all connections are taken
 * waits, and its time runs from when it was due. Only so does a server that stands still show in the latencies as
 * often as it would to its users.
 */
export async function keepPace(
  target: Target,
  perSecond: number,
  turns: Turns,
  secondsMax: number,
): Promise<Load & { readonly turns: number }> {
  const figures = new Figures(target.pid);
  const free: ((turn: number, dueAt: number) => void)[] = [];
  const ends: (() => void)[] = [];
  let turn = 0;
  let ownPause = 0;
  const start = performance.now();
  let looked = start;
  let over = false;
  const step = () => {
    const now = performance.now();
    ownPause = Math.max(ownPause, now - looked);
    looked = now;
    for (; free.length > 0; turn++) {
      const dueAt = start + (turn * 1_000) / perSecond;
      if (dueAt > now) break;
      if (turns.verdict(turn, dueAt) === 'stop') {
        over = true;
        break;
      }
      free.pop()!(turn, dueAt);
    }
    // Turning without rest costs a core, and is what keeps the pace even: timers are a millisecond apart.
    if (!over) setImmediate(step);
    else if (free.length === target.connections) for (const end of ends) end();
  };
  setImmediate(step);
  await withConnections(target.port, target.connections, secondsMax, (connection: Connection) => {
    return new Promise<void>((resolve, reject) => {
      ends.push(resolve);
      let current = 0;
      let due = 0;
      const send = (next: number, dueAt: number) => {
        current = next;
        due = dueAt;
        if (turns.verdict(next, dueAt) === 'measured') figures.begin(performance.now());
        connection.send(turns.request(next));
      };
      connection.listen((status, body) => {
        const now = performance.now();
        if (turns.verdict(current, due) === 'measured') figures.add(now - due, now);
        turns.onAnswer(current, status, body);
        free.push(send);
        if (over && free.length === target.connections) for (const end of ends) end();
      }, reject);
      free.push(send);
    });
  }).finally(() => {
    over = true;
  });
  return { ...figures.load(), turns: turn, ownPause };
}
