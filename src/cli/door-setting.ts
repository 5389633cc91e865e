import { readFileSync } from 'node:fs';
import type { ListenOptions } from '../server.ts';
import { type Credential, CredentialsFileError, parseCredentials } from '../wire/credentials.ts';
import { isLoopback } from '../wire/loopback.ts';
import { codeOf, Failure, messageOf, UsageError } from './failure.ts';
import { listed, type startOptions } from './flags.ts';
import type { Settings } from './settings.ts';

/** Who is let in, and on which address. Open doors face this machine only, unless somebody insists. */
export function doorSetting(
  settings: Settings<typeof startOptions>,
): Pick<
  ListenOptions,
  'host' | 'port' | 'auth' | 'credentials' | 'cors' | 'allowHosts' | 'studio' | 'metricsToken'
> {
  const { host, port, auth, credentials, allowOpen, cors, allowHost, noStudio, metricsToken } = settings;
  if (auth.value === 'verify' && credentials.value === undefined)
    throw new UsageError(
      `${auth.name} verify needs to know the access keys there are.`,
      'Name them with --credentials <file>, such as ~/.aws/credentials.',
    );
  if (auth.value === 'open' && !allowOpen.value && !isLoopback(host.value))
    throw new UsageError(
      `${host.name} ${host.value} can be reached from other machines, and with --auth open whoever reaches it can read and change everything.`,
      'Use --auth verify with --credentials <file>; or, on a network that you trust, --allow-open.',
    );
  return {
    host: host.value,
    port: port.value,
    auth: auth.value,
    studio: !noStudio.value,
    ...(metricsToken.value !== undefined && { metricsToken: metricsToken.value }),
    ...(cors.value !== undefined && { cors: listed(cors.value) }),
    ...(allowHost.value !== undefined && { allowHosts: listed(allowHost.value) }),
    ...(credentials.value !== undefined && { credentials: readCredentials(credentials.value) }),
  };
}

function readCredentials(path: string): readonly Credential[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? 'does not exist' : `cannot be read: ${messageOf(error)}`;
    throw new Failure(`The credentials file ${path} ${why}.`, undefined, error);
  }
  try {
    return parseCredentials(text);
  } catch (error) {
    if (error instanceof CredentialsFileError)
      throw new Failure(`${path}: ${error.message}`, undefined, error);
    throw error;
  }
}
