import { resolve } from 'node:path';
import type { ListenOptions } from '../server.ts';
import { CredentialsFileError } from '../wire/credentials.ts';
import { CredentialsFile } from '../wire/credentials-file.ts';
import { isLoopback } from '../wire/loopback.ts';
import { Failure, UsageError } from './failure.ts';
import { listed, type startOptions } from './flags.ts';
import type { Settings } from './settings.ts';

/** Who is let in, and on which address. Open doors face this machine only, unless somebody insists. */
export function doorSetting(
  settings: Settings<typeof startOptions>,
): Pick<
  ListenOptions,
  | 'controlHost'
  | 'controlPort'
  | 'controlSocket'
  | 'host'
  | 'port'
  | 'auth'
  | 'credentialsFile'
  | 'cors'
  | 'allowHosts'
  | 'studio'
  | 'metricsToken'
> {
  const { host, port, auth, credentials, allowOpen, cors, allowHost, noStudio, metricsToken } = settings;
  if (auth.value === 'verify' && credentials.value === undefined)
    throw new UsageError(
      `${auth.name} verify needs to know the access keys there are.`,
      'Name them with --credentials <file>, such as ~/.aws/credentials.',
    );
  const { controlPort, controlHost, controlSocket } = settings;
  if (controlPort.value !== undefined && controlSocket.value !== undefined)
    throw new UsageError(
      `${controlPort.name} and ${controlSocket.name} contradict each other: the control API has one place.`,
      'Leave one of them out.',
    );
  const reachable = [host, controlHost].find(({ value }) => !isLoopback(value));
  if (auth.value === 'open' && !allowOpen.value && reachable !== undefined)
    throw new UsageError(
      `${reachable.name} ${reachable.value} can be reached from other machines, and with --auth open whoever reaches it can read and change everything.`,
      'Use --auth verify with --credentials <file>; or, on a network that you trust, --allow-open.',
    );
  return {
    host: host.value,
    port: port.value,
    ...(controlPort.value !== undefined && {
      controlPort: controlPort.value,
      controlHost: controlHost.value,
    }),
    ...(controlSocket.value !== undefined && { controlSocket: controlSocket.value }),
    auth: auth.value,
    studio: !noStudio.value,
    ...(metricsToken.value !== undefined && { metricsToken: metricsToken.value }),
    ...(cors.value !== undefined && { cors: listed(cors.value) }),
    ...(allowHost.value !== undefined && { allowHosts: listed(allowHost.value) }),
    ...(credentials.value !== undefined && {
      credentialsFile: usableCredentials(credentials.value, auth.value === 'verify'),
    }),
  };
}

/** The path of a credentials file that can be used. It is checked now, so that a server does not start without its keys. */
function usableCredentials(given: string, isPrivate: boolean): string {
  const path = resolve(given);
  try {
    new CredentialsFile({ path, isPrivate, stopwatchMs: () => 0, log: () => {} });
    return path;
  } catch (error) {
    if (!(error instanceof CredentialsFileError)) throw error;
    throw new Failure(error.message.replaceAll(path, given), undefined, error);
  }
}
