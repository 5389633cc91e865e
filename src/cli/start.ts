import { compactDirectory } from '../compact-directory.ts';
import { type ListenOptions, type Stator, VirtualClock } from '../index.ts';
import { machine } from '../runtime/machine/machine.ts';
import { defaultAccountId } from '../wire/credentials.ts';
import { isLoopback } from '../wire/loopback.ts';
import { banner, usableEndpoint } from './banner.ts';
import type { CommandContext, Run } from './command.ts';
import { compacted } from './compact.ts';
import { doorSetting } from './door-setting.ts';
import type { Example } from './example.ts';
import { Failure, messageOf, UsageError } from './failure.ts';
import type { startOptions } from './flags.ts';
import { letHeapGrow } from './heap-growth.ts';
import { adviceToCompactFirst } from './in-use-advice.ts';
import type { Init } from './init-file.ts';
import { listenFailure, tryAddress } from './listen-trouble.ts';
import { openDatabase, type ServerPlan } from './open-database.ts';
import type { Output } from './output.ts';
import { hasStatesOnly, physicsSetting } from './physics-setting.ts';
import type { Settings } from './settings.ts';
import { startWarnings } from './start-warnings.ts';
import { StopSignals } from './stop-signals.ts';
import { placeNotes, type StorePlace, shownPlace, storePlace } from './store-setting.ts';
import { troubleAsFailure } from './store-trouble.ts';
import { packageVersion } from './version.ts';
import { workerSettings } from './worker-setting.ts';
import type { Address } from './workers.ts';

type ServedModel = NonNullable<ListenOptions['models']>[number];
type StartSettings = Settings<typeof startOptions>;

/**
 * Serves a database until a signal comes. Whatever can be found wrong without the database is found first, so that
 * a refused start leaves nothing behind.
 */
export const start: Run<typeof startOptions> = async (
  given,
  { output, environment, directory }: CommandContext,
) => {
  const place = storePlace(given);
  const settings = workerSettings(given, place);
  const physics = physicsSetting(settings, place);
  const door = { ...doorSetting(settings), ...pinned(settings) };
  const { init, region, model } = settings;
  if (settings.example.value !== 'none' && settings.workers.value > 1)
    throw new UsageError('--example plays in one process.', 'Leave --workers out.');
  const initial = init.value === undefined ? undefined : await readInitFile(init.value, region.value, output);
  const models = model.value === undefined ? [] : [await readModelFile(model.value, directory)];
  await tryAddress(settings.host.value, settings.port.value);
  if (settings.controlPort.value !== undefined)
    await tryAddress(settings.controlHost.value, settings.controlPort.value, '--control-port');

  const signals = new StopSignals();
  try {
    if (settings.optimizeDbBeforeStartup.value) await compactFirst(place, output);
    for (const text of startWarnings(place, settings, environment)) output.log('warning', text);
    const plan: ServerPlan = { settings, place, physics, door: { ...door, models } };
    const serveUntilStopped = settings.workers.value === 1 ? serveAlone : serveByWorkers;
    await serveUntilStopped(plan, initial, { output, signals });
    if (environment.npm_lifecycle_event !== undefined) await signals.echoed();
  } finally {
    signals.release();
  }
};

interface Serving {
  readonly output: Output;
  readonly signals: StopSignals;
}

async function serveAlone(plan: ServerPlan, initial: Init | undefined, serving: Serving): Promise<void> {
  const { settings, door } = plan;
  const { output, signals } = serving;
  letHeapGrow();
  const db = await openInitialised(plan, initial, serving);
  try {
    if (signals.asked.aborted) return;
    const example = await loadedExample(db, settings, serving);
    const models = [...(door.models ?? []), ...(example === undefined ? [] : [servedModel(example)])];
    const server = await db.listen({ ...door, models }).catch((error: unknown) => {
      throw listenFailure(error, settings.host.value, settings.port.value);
    });
    announce(server, [], plan, output);
    const playing = example?.play(signals.asked).catch((error: unknown) => {
      if (!signals.asked.aborted)
        output.log('warning', `The traffic of the example ended: ${messageOf(error)}`);
    });
    await stopAsked(serving);
    await playing;
  } finally {
    await db.close();
  }
  output.log('info', 'Stopped.');
}

/** What is loaded is no traffic, as with --init. */
async function loadedExample(db: Stator, { example }: StartSettings, { output, signals }: Serving) {
  if (example.value === 'none') return undefined;
  const { loadExample } = await import('./example.ts');
  const { modes } = db.engine.capacity;
  const { mode } = modes.server;
  modes.setServer({ mode: 'off' });
  const loaded = await loadExample(db, example.value, signals.asked);
  modes.setServer({ mode });
  const tables = loaded.tables.join(', ');
  output.log(
    'info',
    loaded.items === 0
      ? `The tables of the example are there already and left alone: ${tables}.`
      : `Loaded the example ${example.value}: ${loaded.items.toLocaleString('en-US')} items in ${tables}.`,
  );
  return loaded;
}

/** This process initialises the data, once, and leaves the rest to others. */
async function serveByWorkers(plan: ServerPlan, initial: Init | undefined, serving: Serving): Promise<void> {
  const { output, signals } = serving;
  if (initial !== undefined) await (await openInitialised(plan, initial, serving)).close();
  if (signals.asked.aborted) return;
  const { Workers } = await import('./workers.ts');
  const started = await Workers.start(plan, output).catch((error: unknown) => {
    // A terminal sends its signal to the workers too, which ends one that has only just begun.
    if (signals.asked.aborted) return undefined;
    throw error;
  });
  if (started === undefined) return;
  const { workers, address } = started;
  try {
    announce(address, workers.processIds, plan, output);
    await Promise.race([stopAsked(serving), workers.givenUp]);
  } finally {
    await workers.stop();
  }
  output.log('info', 'Stopped.');
}

async function openInitialised(
  plan: ServerPlan,
  initial: Init | undefined,
  { output, signals }: Serving,
): Promise<Stator> {
  const { clock: kind, region } = plan.settings;
  const clock = kind.value === 'virtual' ? new VirtualClock(machine.nowMs()) : undefined;
  const db = await openDatabase(plan, clock, {
    log: (line) => output.log('warning', line),
    write: (line) => output.line(line),
    debug: output.isDebug,
  });
  if (initial === undefined) return db;
  try {
    const { runInit } = await import('./init.ts');
    // What is loaded at the start is no traffic: it is neither throttled nor charged, and nobody waits for phases.
    const { modes } = db.engine.capacity;
    const { mode } = modes.server;
    modes.setServer({ mode: 'off' });
    await runInit(initial, { db, clock, output, region: region.value, stop: signals.asked });
    modes.setServer({ mode });
    return db;
  } catch (error) {
    await db.close();
    throw await troubleAsFailure(error);
  }
}

async function stopAsked({ output, signals }: Serving): Promise<void> {
  const signal = await signals.wait();
  output.log('info', `${signal}: finishing the requests under way; once more stops at once.`);
}

/** Most starts load nothing, and need not read how that is done. */
async function readInitFile(path: string, region: string, output: Output) {
  const { readInit } = await import('./init.ts');
  return readInit(path, { region, note: (line) => output.log('warning', line) });
}

/** The model with its design: derived once, here, for all processes. */
async function readModelFile(file: string, directory: string): Promise<ServedModel> {
  const [{ loadModel }, { derivedFrom }] = await Promise.all([
    import('./design/load-model.ts'),
    import('./design/derive.ts'),
  ]);
  try {
    const { path, model } = await loadModel(file, directory, 'start');
    return servedModel({ model, design: derivedFrom(path, model) });
  } catch (error) {
    // What --model names is wrong before anything has begun, as with any other option.
    if (!(error instanceof Failure)) throw error;
    throw new UsageError(error.message, error.advice, error);
  }
}

function servedModel({ model, design }: Pick<Example, 'model' | 'design'>): ServedModel {
  return { model, design };
}

async function compactFirst(place: StorePlace, output: Output): Promise<void> {
  if (place.kind !== 'directory') return;
  const sizes = await compactDirectory(place.directory).catch(async (error: unknown) => {
    throw await troubleAsFailure(error, adviceToCompactFirst);
  });
  if (sizes !== undefined) output.log('info', compacted(place.directory, sizes));
}

/** DynamoDB Local's `-sharedDb`: one set of tables, whoever asks. */
function pinned({ sharedDb, region }: StartSettings) {
  return sharedDb.value ? { pinScope: { accountId: defaultAccountId, region: region.value } } : {};
}

function announce(address: Address, workers: readonly number[], plan: ServerPlan, output: Output): void {
  const isOpenBind = !isLoopback(address.host);
  if (!plan.settings.quiet.value) showBanner(address, workers, plan, isOpenBind, output);
  if (isOpenBind && plan.settings.auth.value === 'open') output.log('warning', openBindText(address));
}

function showBanner(
  { host, port, url, controlUrl }: Address,
  workers: readonly number[],
  { settings, place, physics }: ServerPlan,
  isOpenBind: boolean,
  output: Output,
): void {
  const { endpoint, everyAddress } = usableEndpoint(url);
  const facts = {
    version: packageVersion(),
    endpoint,
    data: shownPlace(place, settings),
    region: settings.region.value,
    physics: physics.mode ?? 'shadow',
    auth: settings.auth.value,
    ...(controlUrl !== undefined && { control: controlUrl }),
  };
  const forPeople = {
    ...{ isOpenBind, everyAddress, workers: workers.length, processId: process.pid },
    hasStatesOnly: hasStatesOnly(physics),
    dataNotes: placeNotes(place, settings),
  };
  const processes = workers.length === 0 ? {} : { workers };
  output.result('listening', { ...facts, host, port, pid: process.pid, ...processes }, (style) =>
    banner({ ...facts, ...forPeople }, style),
  );
}

function openBindText({ host, port }: Address): string {
  return `Whoever can reach port ${port} of ${host} can read and change everything, since --auth open checks no signature. Use --auth verify with --credentials <file> where others are on the network, or --host 127.0.0.1 for this machine alone.`;
}
