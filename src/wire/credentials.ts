import type { StatedPrincipal } from '../model/access/principal.ts';

/** A key pair that signs requests, and the account whose tables they see. */
export interface Credential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly accountId?: string;
  /** Whether the key may do what concerns every account on the server. False unless the file or the program says so. */
  readonly administrator?: boolean;
  /** The user, role session or root user that the key stands for. By default it is a user with the name of the key. */
  readonly principal?: StatedPrincipal;
}

export type CredentialLookup = (accessKeyId: string) => Credential | undefined;

export const defaultAccountId = '000000000000';
const accountIdFormat = /^\d{12}$/;

/**
 * The account of an access key: the account in its credential, else the key id itself if it looks like an account,
 * else the default account. The second rule gives a test suite a namespace without any set-up.
 */
export function accountOf(accessKeyId: string, credential: Credential | undefined): string {
  if (credential?.accountId !== undefined) return credential.accountId;
  return accountIdFormat.test(accessKeyId) ? accessKeyId : defaultAccountId;
}

/** Whether a key may do what concerns every account on the server, such as moving the clock. It must be granted. */
export function isAdministrator(credential: Credential): boolean {
  return credential.administrator === true;
}

export function credentialLookup(credentials: readonly Credential[]): CredentialLookup {
  const byKey = new Map(credentials.map((credential) => [credential.accessKeyId, credential]));
  return (accessKeyId) => byKey.get(accessKeyId);
}

/** An error for an unusable credentials file. The message says where and why, and never shows a secret. */
export class CredentialsFileError extends Error {
  override readonly name = 'CredentialsFileError';
}

/**
 * Parses a credentials file in either form: the shared-credentials INI of the AWS tools, with one profile per access
 * key, or JSON as `aws configure export-credentials` prints it, one object or an array.
 */
export function parseCredentials(text: string): Credential[] {
  // Editors on Windows put a byte-order mark at the start of either form.
  const content = text.replace(/^\uFEFF/, '');
  const found = /^\s*[{[]\s*["{}\]]/.test(content) ? parseJson(content) : parseIni(content);
  const seen = new Set<string>();
  for (const { accessKeyId } of found) {
    if (seen.has(accessKeyId)) throw new CredentialsFileError(`Access key ${accessKeyId} occurs twice.`);
    seen.add(accessKeyId);
  }
  return found;
}

function parseJson(text: string): Credential[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // V8's own message quotes the text, and so perhaps a secret.
    throw new CredentialsFileError('The credentials are neither valid JSON nor an INI file.');
  }
  const entries: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return entries.map((entry, index) => {
    const where = Array.isArray(parsed) ? `Entry ${index + 1}` : 'The credentials object';
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      throw new CredentialsFileError(`${where} is not an object.`);
    }
    const member = (name: string) => {
      const value: unknown = Object.hasOwn(entry, name) ? Reflect.get(entry, name) : undefined;
      if (value === undefined || value === null) return undefined;
      if (typeof value !== 'string') throw new CredentialsFileError(`${where}: ${name} is not a string.`);
      return value;
    };
    return credential(where, {
      AccessKeyId: member('AccessKeyId'),
      SecretAccessKey: member('SecretAccessKey'),
      SessionToken: member('SessionToken'),
      AccountId: member('AccountId'),
      Administrator: flag(entry, where),
    });
  });
}

function parseIni(text: string): Credential[] {
  const profiles = new Map<string, Map<string, string>>();
  let profile: Map<string, string> | undefined;
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const where = `Line ${index + 1}`;
    const content = line.trim();
    if (content === '' || content.startsWith('#') || content.startsWith(';')) continue;
    if (content.startsWith('[')) {
      profile = openProfile(where, content, profiles);
      continue;
    }
    // An indented line continues the setting above it: a nested setting of another service.
    if (/^\s/.test(line)) continue;
    const equals = content.indexOf('=');
    if (equals <= 0) throw new CredentialsFileError(`${where} is neither [profile] nor name = value.`);
    if (profile === undefined) throw new CredentialsFileError(`${where} stands before the first [profile].`);
    profile.set(content.slice(0, equals).trim().toLowerCase(), content.slice(equals + 1).trim());
  }
  const found: Credential[] = [];
  for (const [name, settings] of profiles) {
    // A profile may have other settings only, such as a role to assume.
    if (!settings.has('aws_access_key_id') && !settings.has('aws_secret_access_key')) continue;
    found.push(
      credential(`Profile [${name}]`, {
        aws_access_key_id: settings.get('aws_access_key_id'),
        aws_secret_access_key: settings.get('aws_secret_access_key'),
        aws_session_token: settings.get('aws_session_token'),
        aws_account_id: settings.get('aws_account_id'),
        stator_administrator: settings.get('stator_administrator'),
      }),
    );
  }
  return found;
}

function openProfile(
  where: string,
  content: string,
  profiles: Map<string, Map<string, string>>,
): Map<string, string> {
  const close = content.indexOf(']');
  const name = content.slice(1, close === -1 ? undefined : close).trim();
  if (close === -1 || name === '') throw new CredentialsFileError(`${where} is not a [profile] line.`);
  if (profiles.has(name)) throw new CredentialsFileError(`${where}: profile [${name}] occurs twice.`);
  const settings = new Map<string, string>();
  profiles.set(name, settings);
  return settings;
}

/** JSON says true or false; the INI form has texts only. */
function flag(entry: object, where: string): string | undefined {
  const value: unknown = Object.hasOwn(entry, 'Administrator')
    ? Reflect.get(entry, 'Administrator')
    : undefined;
  if (value === undefined || typeof value === 'boolean') return value?.toString();
  throw new CredentialsFileError(`${where}: Administrator is neither true nor false.`);
}

/**
 * Builds a credential. `settings` holds key id, secret, token, account and rights in this order, under the file's names for
 * them.
 */
function credential(where: string, settings: Readonly<Record<string, string | undefined>>): Credential {
  const [id, secret, token, account, rights] = Object.entries(settings) as [string, string | undefined][];
  for (const [name, value] of [id!, secret!]) {
    if (!value) throw new CredentialsFileError(`${where} has no ${name}.`);
  }
  if (/[\s/,]/.test(id![1]!)) throw new CredentialsFileError(`${where}: ${id![0]} is not an access key id.`);
  if (account![1] && !accountIdFormat.test(account![1])) {
    throw new CredentialsFileError(`${where}: ${account![0]} is not an account id of 12 digits.`);
  }
  if (rights![1] && !/^(true|false)$/.test(rights![1])) {
    throw new CredentialsFileError(`${where}: ${rights![0]} is neither true nor false.`);
  }
  return {
    accessKeyId: id![1]!,
    secretAccessKey: secret![1]!,
    ...(token![1] ? { sessionToken: token![1] } : {}),
    ...(account![1] ? { accountId: account![1] } : {}),
    ...(rights![1] ? { administrator: rights![1] === 'true' } : {}),
  };
}
