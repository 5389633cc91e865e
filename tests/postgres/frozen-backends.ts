import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { SeededRandom } from '../seeded-random.ts';
import type { PostgresServer } from './server.ts';

/**
 * Stops server processes at random moments of their statements, as a machine does that runs out of CPU or memory, and
 * wakes each after a while. One that holds a lock of the server's own makes all others wait too, also the session that
 * looks for the next one.
 */
export class FrozenBackends {
  frozen = 0;
  readonly #stopped = new Set<number>();
  readonly #random: SeededRandom;
  readonly #client: pg.Client;
  #isOver = false;
  #working: Promise<void> | undefined;

  private constructor(client: pg.Client, random: SeededRandom) {
    this.#client = client;
    this.#random = random;
  }

  static async start(server: PostgresServer, random: SeededRandom): Promise<FrozenBackends> {
    const client = new pg.Client(server.url);
    await client.connect();
    const frost = new FrozenBackends(client, random);
    frost.#working = frost.#work();
    return frost;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#working;
    await this.#client.end();
  }

  async #work(): Promise<void> {
    const random = this.#random;
    const thaws: Promise<void>[] = [];
    while (!this.#isOver) {
      const { rows } = await this.#client.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE application_name = 'stator' AND state = 'active' AND query LIKE '%verdict%'`,
      );
      const running = rows.map(({ pid }) => pid).filter((pid) => !this.#stopped.has(pid));
      if (running.length > 0) thaws.push(this.#freeze(random.pick(running), 10 + random.below(110)));
      await delay(15 + random.below(45));
    }
    await Promise.all(thaws);
  }

  async #freeze(pid: number, ms: number): Promise<void> {
    try {
      process.kill(pid, 'SIGSTOP');
    } catch {
      // The session has ended meanwhile.
      return;
    }
    this.#stopped.add(pid);
    this.frozen++;
    await delay(ms);
    this.#stopped.delete(pid);
    process.kill(pid, 'SIGCONT');
  }
}
