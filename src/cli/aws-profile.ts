import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAwsConfig, type Section } from './aws-config-text.ts';
import { Failure, UsageError } from './failure.ts';
import type { Environment } from './settings.ts';

interface AwsSettings {
  /** The environment, with the credentials and the Region of the profile where it has none of its own. */
  readonly environment: Environment;
  /** The endpoint of the profile, under the name of its variable. */
  readonly profile: Environment;
}

/**
 * Reads the AWS profile that the AWS CLI would use: `--profile`, else AWS_PROFILE, else `default`. Keys in the environment
 * win over those of a profile, unless `--profile` names one (botocore, credentials.py, `create_credential_resolver`).
 * AWS_IGNORE_CONFIGURED_ENDPOINT_URLS turns endpoints of variables and profiles off.
 */
export async function readAwsProfile(given: Environment, flag: string | undefined): Promise<AwsSettings> {
  const environment = isTrue(given.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS)
    ? { ...given, AWS_ENDPOINT_URL: undefined, AWS_ENDPOINT_URL_DYNAMODB: undefined }
    : given;
  const named = flag ?? (given.AWS_PROFILE || given.AWS_DEFAULT_PROFILE || undefined);
  const name = named ?? 'default';
  const home = given.HOME || given.USERPROFILE || homedir();
  const configPath = given.AWS_CONFIG_FILE || join(home, '.aws/config');
  const credentialsPath = given.AWS_SHARED_CREDENTIALS_FILE || join(home, '.aws/credentials');
  const config = await readSections(configPath);
  const inConfig = config.get(name === 'default' && config.has('default') ? 'default' : `profile ${name}`);
  const inCredentials = (await readSections(credentialsPath)).get(name);
  if (inConfig === undefined && inCredentials === undefined) {
    if (named === undefined) return { environment, profile: {} };
    throw new UsageError(
      `The AWS profile ${JSON.stringify(name)} is neither in ${configPath} nor in ${credentialsPath}.`,
      flag === undefined ? 'AWS_PROFILE names it.' : undefined,
    );
  }
  const hasKeys = Boolean(environment.AWS_ACCESS_KEY_ID && environment.AWS_SECRET_ACCESS_KEY);
  const keys = hasKeys && flag === undefined ? undefined : await keysOf(name, inCredentials, inConfig);
  // The keys of another profile must not sign for the one that was named.
  const withoutKeys = flag === undefined ? {} : noKeys;
  const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION || inConfig?.values.get('region');
  const endpoint = isTrue(given.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS)
    ? undefined
    : endpointOf(config, inConfig);
  return {
    environment: { ...environment, ...withoutKeys, ...keys, ...(region && { AWS_REGION: region }) },
    profile: endpoint === undefined ? {} : { AWS_ENDPOINT_URL_DYNAMODB: endpoint },
  };
}

const noKeys: Environment = {
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_SESSION_TOKEN: undefined,
};

/** The keys of a profile as variables; undefined where it has none, as with a role or single sign-on. */
async function keysOf(
  name: string,
  ...sections: readonly (Section | undefined)[]
): Promise<Environment | undefined> {
  for (const section of sections) {
    const id = section?.values.get('aws_access_key_id');
    const secret = section?.values.get('aws_secret_access_key');
    if (!id || !secret) continue;
    return {
      AWS_ACCESS_KEY_ID: id,
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_SESSION_TOKEN: section!.values.get('aws_session_token'),
    };
  }
  for (const section of sections) {
    const process = section?.values.get('credential_process');
    if (process) return keysOfProcess(name, process);
  }
  return undefined;
}

/** Runs a profile's `credential_process`, without a shell, and reads the JSON that it prints. */
async function keysOfProcess(name: string, line: string): Promise<Environment> {
  const [program, ...words] = [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double?.replaceAll(/\\(.)/g, '$1') ?? single ?? plain!,
  );
  let printed: unknown;
  try {
    printed = JSON.parse((await promisify(execFile)(program!, words, { timeout: processMs })).stdout);
  } catch {
    // The process's output may hold a secret, so no part of it goes into the message.
    printed = undefined;
  }
  const text = (key: string) => {
    const value: unknown =
      typeof printed === 'object' && printed !== null ? Reflect.get(printed, key) : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const id = text('AccessKeyId');
  const secret = text('SecretAccessKey');
  if (id === undefined || secret === undefined)
    throw new Failure(
      `The credential_process of the AWS profile ${JSON.stringify(name)} gave no credentials.`,
      'Run it by hand: it must print JSON with AccessKeyId and SecretAccessKey.',
    );
  return {
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_SESSION_TOKEN: text('SessionToken'),
  };
}

/** The endpoint of DynamoDB in the profile's services section, else the profile's endpoint of all services. */
function endpointOf(config: ReadonlyMap<string, Section>, profile: Section | undefined): string | undefined {
  const services = profile?.values.get('services');
  const own = services && config.get(`services ${services}`)?.nested.get('dynamodb')?.get('endpoint_url');
  return own || profile?.values.get('endpoint_url') || undefined;
}

async function readSections(path: string): Promise<ReadonlyMap<string, Section>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return new Map();
    throw new Failure(`The AWS settings in ${path} cannot be read: ${code}.`, undefined, error);
  }
  return parseAwsConfig(text);
}

function isTrue(text: string | undefined): boolean {
  return text?.toLowerCase() === 'true';
}

const processMs = 60_000;
