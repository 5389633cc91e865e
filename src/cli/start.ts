import { compactDirectory } from '../compact-directory.ts';
import { Stator, type StatorServer, VirtualClock } from '../index.ts';
import { defaultAccountId } from '../wire/credentials.ts';
import { banner, usableEndpoint } from './banner.ts';
import type { CommandContext, Run } from './command.ts';
import { compacted } from './compact.ts';
import { doorSetting } from './door-setting.ts';
import { UsageError } from './failure.ts';
import type { startOptions } from './flags.ts';
import { listenFailure, tryAddress } from './listen-trouble.ts';
import type { Output } from './output.ts';
import type { Settings } from './settings.ts';
import { StopSignals } from './stop-signals.ts';
import { type StorePlace, shownPlace, storeChoice, storePlace } from './store-setting.ts';
import { troubleAsFailure } from './store-trouble.ts';
import { packageVersion } from './version.ts';

type StartSettings = Settings<typeof startOptions>;

/**
 * Serves a database until a signal comes. Whatever can be found wrong without the database is found first, so that
 * a refused start leaves nothing behind.
 */
export const start: Run<typeof startOptions> = async (settings, { output }: CommandContext) => {
  const place = storePlace(settings);
  const physics = physicsSetting(settings);
  const door = doorSetting(settings);
  const { cors, init, region } = settings;
  if (cors.value !== undefined && cors.value !== '*')
    output.log('warning', `${cors.name} is not followed: pages of every origin may call this server.`);
  const initial = init.value && (await readInitFile(init.value, region.value, output));
  await tryAddress(settings.host.value, settings.port.value);

  const signals = new StopSignals();
  try {
    if (settings.optimizeDbBeforeStartup.value) await compactFirst(place, output);
    const clock = settings.clock.value === 'virtual' ? new VirtualClock(Date.now()) : undefined;
    const db = await opened(place, settings, physics, clock, output);
    try {
      if (initial) {
        const { runInit } = await import('./init.ts');
        const context = { db, clock, output, region: region.value, stop: signals.asked };
        await runInit(initial, context).catch((error: unknown) => {
          throw troubleAsFailure(error);
        });
      }
      if (signals.asked.aborted) return;
      const server = await db.listen({ ...door, ...pinned(settings) }).catch((error: unknown) => {
        throw listenFailure(error, settings.host.value, settings.port.value);
      });
      announce(server, place, physics, settings, output);
      const signal = await signals.wait();
      output.log('info', `${signal}: finishing the requests under way; once more stops at once.`);
    } finally {
      await db.close();
    }
    output.log('info', 'Stopped.');
  } finally {
    signals.release();
  }
};

/** Most starts load nothing, and need not read how that is done. */
async function readInitFile(path: string, region: string, output: Output) {
  const { readInit } = await import('./init.ts');
  return readInit(path, { region, note: (line) => output.log('warning', line) });
}

/** DynamoDB Local's switch for the passing states of tables is a part of what `enforce` acts out. */
function physicsSetting({ physics, delayTransientStatuses: delay }: StartSettings): 'shadow' | 'enforce' {
  if (!delay.value) return physics.value;
  if (physics.value === 'shadow' && physics.source === delay.source)
    throw new UsageError(
      `${delay.name} means --physics enforce, and ${physics.name} says shadow.`,
      'Leave one of them out.',
    );
  return 'enforce';
}

async function opened(
  place: StorePlace,
  settings: StartSettings,
  physics: 'shadow' | 'enforce',
  clock: VirtualClock | undefined,
  output: Output,
): Promise<Stator> {
  const { seed, region, itemCollectionBytesMax } = settings;
  return Stator.open({
    store: storeChoice(place, settings),
    physics,
    region: region.value,
    log: (line) => output.log('warning', line),
    ...(clock !== undefined && { clock }),
    ...(seed.value !== undefined && { seed: seed.value }),
    ...(itemCollectionBytesMax.value !== undefined && {
      itemCollectionBytesMax: itemCollectionBytesMax.value,
    }),
  }).catch((error: unknown) => {
    throw troubleAsFailure(error);
  });
}

async function compactFirst(place: StorePlace, output: Output): Promise<void> {
  if (place.kind !== 'directory') return;
  const sizes = await compactDirectory(place.directory).catch((error: unknown) => {
    throw troubleAsFailure(error);
  });
  if (sizes !== undefined) output.log('info', compacted(place.directory, sizes));
}

/** DynamoDB Local's `-sharedDb`: one set of tables, whoever asks. */
function pinned({ sharedDb, region }: StartSettings) {
  return sharedDb.value ? { pinScope: { accountId: defaultAccountId, region: region.value } } : {};
}

function announce(
  server: StatorServer,
  place: StorePlace,
  physics: string,
  settings: StartSettings,
  output: Output,
): void {
  if (settings.quiet.value) return;
  const { endpoint, everyAddress } = usableEndpoint(server.url);
  const facts = {
    version: packageVersion(),
    endpoint,
    data: shownPlace(place, settings),
    region: settings.region.value,
    physics,
    auth: settings.auth.value,
  };
  const { host, port } = server;
  output.result('listening', { ...facts, host, port, pid: process.pid }, (style) =>
    banner({ ...facts, everyAddress }, style),
  );
}
