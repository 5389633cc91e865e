import { type PostgresServer, startPostgres } from './server.ts';
import { sql } from './test-store.ts';

/** A primary and its standby, in synchronous streaming replication: what is committed is on both. */
export interface ReplicatedPair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Makes the standby a primary, whatever the other one does. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

const replication = ['wal_level=replica', 'wal_keep_size=64MB', 'wal_retrieve_retry_interval=100'];

export async function startReplicatedPair(): Promise<ReplicatedPair> {
  const primary = await startPostgres({ settings: [...replication, 'synchronous_standby_names=*'] });
  let standby: PostgresServer;
  try {
    await primary.halt('fast');
    standby = await startPostgres({ settings: replication, standbyOf: primary });
    await primary.resume();
  } catch (error) {
    await primary.stop();
    throw error;
  }
  return {
    primary,
    standby,
    async promote() {
      await sql('SELECT pg_promote(true, 60)', standby.url);
    },
    async stop() {
      await Promise.all([primary.stop(), standby.stop()]);
    },
  };
}
