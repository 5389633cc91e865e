import { hostname } from 'node:os';
import {
  Migration,
  MigrationError,
  type MigrationOptions,
  type MigrationPlan,
  type Upgrades,
} from '../../migrate/index.ts';
import { machine, wait } from '../../runtime/machine/machine.ts';
import type { CommandContext } from '../command.ts';
import { loadModule } from '../design/load-model.ts';
import { codeOf, Failure } from '../failure.ts';
import { callFailure, openCaller } from '../open-caller.ts';
import { realNames } from '../real-names.ts';
import type { Setting } from '../settings.ts';
import { StopSignals } from '../stop-signals.ts';
import { wireCalls } from './wire-calls.ts';

export interface PlaceSettings {
  readonly endpoint: Setting<string>;
  readonly region: Setting<string | undefined>;
  readonly tables: Setting<string | undefined>;
  readonly upgrade?: Setting<string | undefined>;
}

/** Opens a migration against the endpoint of a command. The first Ctrl-C stops it cleanly. */
export async function withMigration<T>(
  plan: MigrationPlan,
  settings: PlaceSettings,
  { environment }: CommandContext,
  run: (migration: Migration) => Promise<T>,
  options: Partial<MigrationOptions> = {},
): Promise<T> {
  const signals = new StopSignals();
  try {
    // The calls themselves are never cut off: what a stop leaves behind is saved first.
    const caller = openCaller(settings, environment, new AbortController().signal);
    const upgrade = await upgradesOf(settings.upgrade?.value);
    const migration = new Migration(plan, {
      calls: wireCalls(caller),
      surroundings: {
        now: machine.nowMs,
        wait: (ms, signal) => wait(ms, undefined, { signal }),
        random: machine.random,
      },
      owner: `${hostname()}, process ${process.pid}`,
      isGone: isDeadHere,
      signal: signals.asked,
      tables: Object.fromEntries(
        realNames(settings.tables.value, [...plan.from.design.tables, ...plan.to.design.tables]),
      ),
      ...(upgrade === undefined ? {} : { upgrade }),
      ...options,
    });
    return await run(migration);
  } catch (error) {
    if (signals.asked.aborted)
      throw new Failure(
        'The migration was interrupted.',
        'The same command goes on where it stopped.',
        error,
      );
    if (error instanceof MigrationError) throw new Failure(error.message, error.advice, error);
    throw callFailure(error, settings.endpoint.value);
  } finally {
    signals.release();
  }
}

/** A runner of this machine whose process has ended; nobody knows of other machines. */
function isDeadHere(owner: string): boolean {
  const found = /^(.*), process (\d+)$/.exec(owner);
  if (found === null || found[1] !== hostname()) return false;
  try {
    process.kill(Number(found[2]), 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

async function upgradesOf(path: string | undefined): Promise<Upgrades | undefined> {
  if (path === undefined) return undefined;
  const module = await loadModule(path);
  const found = (
    typeof module.default === 'object' && module.default !== null ? module.default : module
  ) as Upgrades;
  const names = Object.keys(found).filter((name) => typeof found[name] === 'function');
  if (names.length === 0)
    throw new Failure(
      `${path} exports no upgrade function.`,
      'Export one for each entity: export const Order = (old, version) => ({ … }).',
    );
  return found;
}
