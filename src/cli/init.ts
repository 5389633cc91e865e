import type { Stator, VirtualClock } from '../index.ts';
import { counted } from '../model/counted.ts';
import { type Answer, type Caller, type Operation, processCaller } from '../operations/operation.ts';
import { defaultAccountId } from '../wire/credentials.ts';
import { Failure, messageOf } from './failure.ts';
import type { Init } from './init-file.ts';
import { setUpMonitoring } from './init-monitoring.ts';
import { InitTables } from './init-tables.ts';
import { loadItems } from './load-items.ts';
import type { Output } from './output.ts';

export { readInit } from './init-file.ts';

export interface InitContext {
  readonly db: Stator;
  /** Moved on where something waits for it, since nothing else does before the server listens. */
  readonly clock: VirtualClock | undefined;
  readonly output: Output;
  readonly region: string;
  readonly stop: AbortSignal;
}

/** Sends a request to the database, as the default account. */
export type Send = (operation: Operation, input: object) => Promise<Answer>;

/** Creates the tables that are missing and loads their items, or runs the user's script. */
export async function runInit(init: Init, context: InitContext): Promise<void> {
  if (init.kind === 'script') await runScript(init, context);
  else await runTables(init, context);
}

async function runTables(init: Extract<Init, { kind: 'tables' }>, context: InitContext): Promise<void> {
  const { output, stop } = context;
  const send = sender(context);
  const tables = new InitTables(init.path, send, context);
  try {
    for (const table of init.tables) if (!stop.aborted) await tables.createIfMissing(table);
    const count = await loadItems(init, tables, send, context);
    if (stop.aborted) {
      throw new Failure('Stopped before all was loaded: tables that were new are gone again.');
    }
    const monitored =
      init.monitoring === undefined
        ? { alarms: 0, targets: 0 }
        : await setUpMonitoring(init.monitoring, tables.created, callerOf(context), context);
    await tables.release();
    const { length } = tables.created;
    if (length > 0 || count > 0)
      output.log(
        'info',
        `Created ${counted(length, 'table')} and put ${counted(count, 'item')} from ${init.path}.`,
      );
    if (monitored.alarms + monitored.targets > 0)
      output.log(
        'info',
        `Set up ${counted(monitored.alarms, 'alarm')} and ${counted(monitored.targets, 'scalable target')} from ${init.path}.`,
      );
  } catch (error) {
    // What went wrong first is what is told; a table that cannot be removed bears a mark for the next start.
    await tables.removeCreated().catch(() => {});
    throw error;
  }
}

async function runScript(init: Extract<Init, { kind: 'script' }>, { db }: InitContext): Promise<void> {
  const given = {
    db,
    // Made when it is asked for, so that a script which needs no SDK runs without one.
    get client() {
      return db.client();
    },
  };
  try {
    await init.run(given);
  } catch (error) {
    const name = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : '';
    throw new Failure(`The init script ${init.path} failed: ${name}${messageOf(error)}`, undefined, error);
  }
}

function sender(context: InitContext): Send {
  const caller = callerOf(context);
  return async (operation, input) => operation.handle(context.db.engine, input, caller);
}

function callerOf({ region }: InitContext): Caller {
  const own = { accessKeyId: 'stator', requestId: 'init', authorize: undefined };
  return processCaller({ accountId: defaultAccountId, region, ...own });
}
