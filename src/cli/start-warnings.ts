import { isOpenToOthers } from '../files/private-files.ts';
import { hostsInTheClear } from '../postgres-url.ts';
import type { startOptions } from './flags.ts';
import type { Environment, Settings } from './settings.ts';
import type { StorePlace } from './store-setting.ts';

/** What an operator should know about a server that starts all the same. */
export function startWarnings(
  place: StorePlace,
  { kinesisDir, s3Dir }: Pick<Settings<typeof startOptions>, 'kinesisDir' | 's3Dir'>,
  environment: Environment,
): string[] {
  const clear = place.kind === 'postgres' ? hostsInTheClear(place.url, environment.PGSSLMODE) : [];
  const data = place.kind === 'directory' ? place.directory : undefined;
  const open = [data, kinesisDir.value, s3Dir.value].flatMap((directory) =>
    directory !== undefined && isOpenToOthers(directory) ? [directory] : [],
  );
  return [
    ...(clear.length === 0 ? [] : [inTheClearText(clear)]),
    // Stator makes none that is open: these were there before.
    ...open.map(
      (directory) =>
        `Other users of this machine may look into ${directory}. New files in it are private, older ones may not be. chmod -R go= ${directory} closes it.`,
    ),
  ];
}

function inTheClearText(hosts: readonly string[]): string {
  return `The connection to PostgreSQL on ${hosts.join(', ')} is not encrypted: whoever is on the way reads the password and all data. Add ?sslmode=verify-full to the URL, with sslrootcert=<file> for a certificate authority of your own.`;
}
