import type { StoreChoice } from '../open-store.ts';
import { shownClusterUrl } from '../postgres-url.ts';
import { UsageError } from './failure.ts';
import type { startOptions } from './flags.ts';
import type { Setting, Settings, SourceKind } from './settings.ts';

type StartSettings = Settings<typeof startOptions>;

/** The options that say where the data is kept; not every command can do without keeping it. */
type PlaceSettings = Pick<StartSettings, 'dataDir' | 'store'> & Partial<Pick<StartSettings, 'inMemory'>>;

/** Where the data is to be kept. */
export type StorePlace =
  | { readonly kind: 'memory' }
  | { readonly kind: 'directory'; readonly directory: string }
  | { readonly kind: 'postgres'; readonly url: string };

const strength: Readonly<Record<SourceKind, number>> = { flag: 3, environment: 2, config: 1, default: 0 };

/**
 * Three options say where the data is kept. The strongest source decides, so that `--in-memory` works in a container
 * whose environment names a directory; two from the same source contradict each other and are refused.
 */
export function chosenPlace(settings: PlaceSettings): StorePlace {
  const { inMemory, dataDir, store } = settings;
  const options: readonly Setting<unknown>[] =
    inMemory === undefined ? [dataDir, store] : [inMemory, dataDir, store];
  const given = options.filter(({ value, source }) => source !== 'default' && value !== false);
  const strongest = Math.max(0, ...given.map(({ source }) => strength[source]));
  const [first, second] = given.filter(({ source }) => strength[source] === strongest);
  if (first !== undefined && second !== undefined) throw contradiction(first, second, inMemory, dataDir);
  return placeOf(first ?? dataDir, settings);
}

/** Likewise for a server, whose other options may need a directory. */
export function storePlace(settings: StartSettings): StorePlace {
  const place = chosenPlace(settings);
  refuseWithoutDirectory(place, settings);
  return place;
}

function placeOf(chosen: Setting<unknown>, { inMemory, dataDir, store }: PlaceSettings): StorePlace {
  if (chosen === inMemory || (chosen === store && /^memory:?$/.test(store.value ?? '')))
    return { kind: 'memory' };
  if (chosen === dataDir || store.value === undefined) return { kind: 'directory', directory: dataDir.value };
  if (store.value.startsWith('lmdb:'))
    return { kind: 'directory', directory: store.value.slice('lmdb:'.length) };
  return { kind: 'postgres', url: store.value };
}

/** The first sentence is DynamoDB Local's own, which people search for. */
function contradiction(
  first: Setting<unknown>,
  second: Setting<unknown>,
  inMemory: Setting<unknown> | undefined,
  dataDir: Setting<unknown>,
): UsageError {
  const theirs = first === inMemory && second === dataDir;
  return new UsageError(
    theirs
      ? 'dbPath and inMemory cannot be set at the same time.'
      : `${first.name} and ${second.name} cannot be set at the same time.`,
    `Both say where the data is kept: leave out ${first.name} or ${second.name}.`,
  );
}

function refuseWithoutDirectory(place: StorePlace, settings: StartSettings): void {
  if (place.kind === 'directory') return;
  if (settings.optimizeDbBeforeStartup.value && settings.optimizeDbBeforeStartup.source === 'flag')
    throw new UsageError(
      // DynamoDB Local's own sentence.
      'optimizeDbBeforeStartup option must be used with dbPath to determine the location of database files to optimize.',
    );
  for (const { value, source, name } of [settings.shared, settings.durability])
    if (source === 'flag' && value !== false)
      throw new UsageError(`${name} is for data directories only.`, 'Leave it out, or name a --data-dir.');
}

export function storeChoice(place: StorePlace, { durability, shared }: StartSettings): StoreChoice {
  switch (place.kind) {
    case 'memory':
      return 'memory';
    case 'directory':
      return { directory: place.directory, durability: durability.value, shared: shared.value };
    case 'postgres':
      return { url: place.url };
  }
}

/** For people to read: where the data is, without the password. */
export function shownPlace(place: StorePlace, { durability, shared }: StartSettings): string {
  switch (place.kind) {
    case 'memory':
      return 'in memory, gone when this process ends';
    case 'directory':
      return `${place.directory} (${durability.value}${shared.value ? ', shared' : ''})`;
    case 'postgres':
      return withoutPassword(place.url);
  }
}

/** What the words after the directory mean. */
export function placeNotes(place: StorePlace, { durability, shared }: StartSettings): string[] {
  if (place.kind !== 'directory') return [];
  const survives =
    durability.value === 'durable'
      ? 'durable: an answered write survives a power cut'
      : 'relaxed: a power cut may take back the latest writes; the end of this process does not';
  return [
    survives,
    ...(shared.value ? ['shared: other processes with --shared may use the directory too'] : []),
  ];
}

export function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return shownClusterUrl(url);
  const parsed = new URL(url);
  if (parsed.password !== '') parsed.password = '***';
  for (const name of [...parsed.searchParams.keys()])
    if (/password|secret|token|key/i.test(name)) parsed.searchParams.set(name, '***');
  return parsed.href;
}
