import { UsageError } from './failure.ts';
import type { startOptions } from './flags.ts';
import type { Settings } from './settings.ts';
import type { StorePlace } from './store-setting.ts';

type StartSettings = Settings<typeof startOptions>;

/**
 * The settings of a server of several processes: they share the data, and whatever one process would have for itself
 * alone is refused. Those of one process are left as they are.
 */
export function workerSettings(settings: StartSettings, place: StorePlace): StartSettings {
  const { workers, clock, seed, shared } = settings;
  if (workers.value === 1) return settings;
  const many = `${workers.name} ${workers.value}`;
  if (place.kind === 'memory')
    throw new UsageError(
      `${many} needs data that several processes can share, and a database in memory belongs to one.`,
      `Name a --data-dir or a --store on PostgreSQL, or leave out ${workers.name}.`,
    );
  if (clock.value === 'virtual')
    throw new UsageError(
      `${many} cannot go with ${clock.name} virtual: every process would have a time of its own.`,
      'Leave one of them out.',
    );
  if (seed.value !== undefined)
    throw new UsageError(
      `${many} cannot go with ${seed.name}: which process answers is chance, and all would make up the same ids.`,
      'Leave one of them out.',
    );
  if (shared.source !== 'default' && !shared.value && place.kind === 'directory')
    throw new UsageError(
      `${many} shares the data directory between processes, and ${shared.name} says that it is not shared.`,
      'Leave one of them out.',
    );
  return { ...settings, shared: { ...shared, value: true } };
}
