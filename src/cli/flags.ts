import { resolve } from 'node:path';
import { physicsEffects } from '../physics-option.ts';
import { clusterUrlFault } from '../postgres-url.ts';
import { allowedHostProblem } from '../wire/host-names.ts';
import { originProblem } from '../wire/origin-list.ts';
import { isEndpoint } from './endpoint-place.ts';
import { choice, onOff, path, text, wholeNumber } from './option.ts';
import { effectsProblem } from './physics-setting.ts';

/**
 * Every option of every command. This is the one place to add one: the command line, the environment, the config
 * file and help are derived from these tables. A key is the name in a config file; the flag and the variable
 * follow from it.
 */

const configOption = path({
  group: 'Output',
  takes: '<file>',
  help: 'A config file to read instead of stator.config.(ts|js|mjs|json) in the working directory.',
});

export const outputOptions = {
  config: configOption,
  json: onOff({ group: 'Output', help: 'Print one JSON object for each line, for programs to read.' }),
  quiet: onOff({ group: 'Output', help: 'Print warnings and errors only.' }),
  help: onOff({
    group: 'Output',
    flagOnly: true,
    dynamoDbLocal: 'help',
    help: 'Print a short help and end; stator help <command> prints a long one. Also -h.',
  }),
};

const dataDir = path({
  group: 'Data',
  takes: '<directory>',
  fallback: './.stator',
  dynamoDbLocal: 'dbPath',
  brief: 'the directory that the data is kept in',
  help: 'The directory that the data is kept in; made when it is missing.',
});

const storeUrl = { group: 'Data', takes: '<url>', check: checkStoreUrl, placed: placeStoreUrl } as const;

export const startOptions = {
  port: wholeNumber({
    group: 'Address',
    ...{ least: 0, most: 65_535, fallback: 8000 },
    dynamoDbLocal: 'port',
    brief: 'the port to listen on; 0 takes a free one',
    help: 'The port to listen on; 0 takes a free one.',
  }),
  host: text({
    group: 'Address',
    takes: '<address>',
    fallback: '127.0.0.1',
    brief: 'the address to listen on; 0.0.0.0 for every one',
    help: 'The address to listen on. Other than a loopback address, it needs --auth verify or --allow-open.',
  }),
  controlPort: wholeNumber({
    group: 'Address',
    ...{ least: 0, most: 65_535 },
    help: 'A port of their own for the control API under /_stator/ and the studio, which then answer 404 on --port. It listens on 127.0.0.1 unless --control-host says otherwise.',
  }),
  controlHost: text({
    group: 'Address',
    takes: '<address>',
    fallback: '127.0.0.1',
    help: 'The address that --control-port listens on. Other than a loopback address, it needs --auth verify or --allow-open.',
  }),
  controlSocket: path({
    group: 'Address',
    takes: '<file>',
    help: 'A Unix socket in the place of --control-port, which only the user of the server may open: curl --unix-socket <file> http://localhost/_stator/health.',
  }),
  workers: wholeNumber({
    group: 'Address',
    ...{ least: 1, most: 256, fallback: 1 },
    brief: 'how many processes answer on the port',
    help: 'How many processes answer on the port, for machines with several cores; more than one share a data directory (and imply --shared) or a PostgreSQL database.',
  }),

  dataDir,
  inMemory: onOff({
    group: 'Data',
    dynamoDbLocal: 'inMemory',
    brief: 'keep nothing when the process ends',
    help: 'Keep everything in memory; it is gone when the process ends. Not together with --data-dir or --store.',
  }),
  store: text({
    ...storeUrl,
    brief: 'lmdb:<directory> or postgres://…, for data elsewhere',
    help: 'Where the data is kept, as a URL: memory:, lmdb:<directory> or postgres://<user>:<password>@<host>/<database>, with commas between several hosts. A URL with a password is better given as STATOR_STORE, since other users of the machine can see flags.',
  }),
  durability: choice(['durable', 'relaxed'], {
    group: 'Data',
    fallback: 'durable',
    help: 'durable: an answered write survives a power cut. relaxed: it survives the end of the process, but a power cut may take back the latest writes. For a data directory only.',
  }),
  shared: onOff({
    group: 'Data',
    help: 'Let other processes that also say --shared use the same data directory.',
  }),
  init: path({
    group: 'Data',
    takes: '<file>',
    brief: 'tables and items to begin with: JSON, CloudFormation or a script',
    help: 'Create tables and load items before listening: see below.',
  }),
  example: choice(['none', 'orders', 'cases', 'ecommerce', 'feed', 'saas', 'parcels'], {
    group: 'Data',
    fallback: 'none',
    help: 'Load the tables of an example model with some data, and call its patterns about fifteen times a second for an hour at most. Tables that exist are left alone. Not with several workers.',
  }),

  model: path({
    group: 'Data',
    takes: '<file>',
    help: 'A model of stator/design, .ts, .mjs or .json, whose tables this server has: the studio compares its access patterns with the traffic, and GET /_stator/models tells it. No table is created.',
  }),

  physics: choice(['off', 'shadow', 'enforce'], {
    group: 'Behaviour',
    fallback: 'shadow',
    brief: "whether AWS's throttling and delays are reported or acted out",
    help: "What AWS's hardware would do to this workload. off: nothing is modelled. shadow: nothing is refused or delayed; stator physics <table> tells what AWS would have throttled, and why. enforce: it is acted out: requests are throttled, reads may be stale, indexes lag, transactions conflict, tables take their time, expired items stay for a while. Refused where several processes share the data.",
  }),
  physicsWithout: text({
    group: 'Behaviour',
    takes: '<effects>',
    check: effectsProblem,
    help: `Effects of physics to leave out, with commas between them: ${physicsEffects.join(', ')}.`,
  }),
  region: text({
    group: 'Behaviour',
    takes: '<region>',
    fallback: 'us-east-1',
    check: (given) => (/^[a-z0-9-]{1,64}$/.test(given) ? undefined : 'must be a Region such as eu-west-1'),
    help: 'The Region of --init and of callers that name none. A signed request names its own, and the tables of two Regions are apart.',
  }),
  clock: choice(['system', 'virtual'], {
    group: 'Behaviour',
    fallback: 'system',
    help: 'virtual: time stands still, beginning now, until it is moved over the control API.',
  }),
  itemCollectionBytesMax: wholeNumber({
    group: 'Behaviour',
    ...{ least: 1, most: Number.MAX_SAFE_INTEGER },
    help: 'How large an item collection may grow in a table with local secondary indexes; 10 GB, as on AWS, unless set. Lower, it lets a test meet ItemCollectionSizeLimitExceededException.',
  }),
  globalIndexesMax: wholeNumber({
    group: 'Behaviour',
    ...{ least: 1, most: 100 },
    help: 'How many global secondary indexes a table may have; 20 unless set. AWS raises this quota on request.',
  }),
  onDemandSwitchesMax: wholeNumber({
    group: 'Behaviour',
    ...{ least: 1, most: 1_000 },
    help: 'How often a table may be switched to on-demand within 24 hours; 4 unless set, and 1 until August 2025.',
  }),
  kinesisEndpoint: text({
    group: 'Behaviour',
    takes: '<url>',
    check: (given) =>
      given === 'aws' || /^https?:\/\/./.test(given)
        ? undefined
        : 'must be a URL such as http://127.0.0.1:4566, or aws',
    help: 'Where the records of Kinesis destinations go: the URL of a Kinesis endpoint, or aws. Needs the package @aws-sdk/client-kinesis. Without it they are written to files: see --kinesis-dir.',
  }),
  kinesisDir: path({
    group: 'Behaviour',
    takes: '<directory>',
    help: 'The directory that the records of Kinesis destinations are written to, one file of JSON lines for each stream; <data-dir>/kinesis unless said otherwise.',
  }),
  s3Dir: path({
    group: 'Behaviour',
    takes: '<directory>',
    help: 'The directory whose folders are the buckets of exports and imports. Without it and --s3-endpoint, both are refused.',
  }),
  s3Endpoint: text({
    group: 'Behaviour',
    takes: '<url>',
    check: (given) =>
      given === 'aws' || /^https?:\/\/./.test(given)
        ? undefined
        : 'must be a URL such as http://127.0.0.1:4566, or aws',
    help: 'The S3 endpoint of the buckets of exports and imports, or aws. Needs the package @aws-sdk/client-s3.',
  }),
  alarmActions: path({
    group: 'Behaviour',
    takes: '<file>',
    help: 'A JSON file that says what the actions of CloudWatch alarms do, by their names: {"page": {"webhook": "https://…"}, "note": {"file": "alarms.jsonl"}}. No other name does anything.',
  }),
  seed: wholeNumber({
    group: 'Behaviour',
    ...{ least: 0, most: Number.MAX_SAFE_INTEGER },
    help: 'Make ids, delays and other chance repeatable.',
  }),

  auth: choice(['open', 'verify'], {
    group: 'Access',
    fallback: 'open',
    brief: 'whether signatures are checked (then with --credentials <file>)',
    help: 'open: any credentials are taken, at any time. verify: signatures are checked against --credentials.',
  }),
  credentials: path({
    group: 'Access',
    takes: '<file>',
    help: 'The access keys there are, and their accounts: an AWS credentials file, or JSON as printed by aws configure export-credentials.',
  }),
  allowOpen: onOff({
    group: 'Access',
    help: 'Allow --auth open on an address that other machines can reach: whoever reaches it can read and change everything.',
  }),

  cors: text({
    group: 'Access',
    takes: '<list>',
    dynamoDbLocal: 'cors',
    check: (given) => firstProblem(given, originProblem),
    brief: 'web pages that may call beside those of localhost',
    help: 'Web pages that may call this server beside those of localhost: origins such as https://app.example.com or http://*.example.com:*, host names, or *, with commas between them. Programs that are not web pages need none of this.',
  }),
  allowHost: text({
    group: 'Access',
    takes: '<list>',
    check: (given) => firstProblem(given, allowedHostProblem),
    help: 'Names of this server that clients may use beside its own: db.example.com, *.example.com, or *, with commas between them. Needed for names that could be registered in public, and on a loopback address for all but localhost.',
  }),
  noStudio: onOff({
    group: 'Access',
    help: 'Leave out the studio, the page that browsers get at the address of the server.',
  }),

  metricsToken: text({
    group: 'Access',
    takes: '<token>',
    check: (given) => (/^\S{8,}$/.test(given) ? undefined : 'must be at least 8 characters without blanks'),
    help: 'A bearer token with which Prometheus may read /_stator/metrics where --auth verify wants signatures. Better given as STATOR_METRICS_TOKEN, since other users of the machine can see flags.',
  }),

  observe: choice(['on', 'off'], {
    group: 'Observation',
    fallback: 'on',
    help: 'Keep metrics, access patterns and live rates, for stator top, /_stator/metrics and CloudWatch clients. off saves a few per cent of the time of requests.',
  }),
  tracing: choice(['on', 'off'], {
    group: 'Observation',
    fallback: 'off',
    help: 'Make an OpenTelemetry span of every request. Needs the package @opentelemetry/api, and a tracer that the process has registered: NODE_OPTIONS="--require ./tracing.cjs".',
  }),
  log: choice(['requests', 'errors', 'off'], {
    group: 'Observation',
    fallback: 'off',
    brief: 'write a line for each request, or for each that failed',
    help: 'requests: a line for each request, on standard error. errors: for each that was refused or failed. off: neither. Rejected signatures and trouble with the store are told in any case, at most once a second.',
  }),
  logFormat: choice(['text', 'json'], {
    group: 'Observation',
    fallback: 'text',
    help: 'The form of the lines of --log.',
  }),

  sharedDb: onOff({
    group: "DynamoDB Local's options",
    dynamoDbLocal: 'sharedDb',
    help: 'All callers see the same tables, whatever their access key and Region: those of account 000000000000 in --region. (Access keys share an account here in any case, unless they are 12 digits.)',
  }),
  delayTransientStatuses: onOff({
    group: "DynamoDB Local's options",
    dynamoDbLocal: 'delayTransientStatuses',
    help: 'Let tables and indexes pass through CREATING, UPDATING and DELETING as on AWS. Of what --physics enforce acts out, this is the part about tables and indexes.',
  }),
  optimizeDbBeforeStartup: onOff({
    group: "DynamoDB Local's options",
    dynamoDbLocal: 'optimizeDbBeforeStartup',
    help: 'Compact the data directory before listening, as stator compact does.',
  }),
  disableTelemetry: onOff({
    group: "DynamoDB Local's options",
    dynamoDbLocal: 'disableTelemetry',
    help: 'Accepted and not needed: there is no telemetry.',
  }),

  ...outputOptions,
  version: onOff({
    group: 'Output',
    flagOnly: true,
    dynamoDbLocal: 'version',
    help: 'Print the version and end. Also -v.',
  }),
};

export const compactOptions = {
  dataDir: { ...dataDir, help: 'The directory that the data is kept in.' },
  ...outputOptions,
};

export const checkOptions = {
  dataDir: { ...dataDir, help: 'The directory that the data is kept in.' },
  store: text({
    ...storeUrl,
    help: 'Where the data is kept, as a URL: lmdb:<directory> or postgres://<user>:<password>@<host>/<database>.',
  }),
  shared: onOff({
    group: 'Data',
    help: 'Check a data directory while processes that also say --shared use it.',
  }),
  ...outputOptions,
};

/** The other names that the AWS CLI and the SDKs have for an endpoint of DynamoDB. */
const awsEndpoint = {
  awsFlag: '--endpoint-url',
  awsVariables: ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL'],
} as const;

/** Added to every command that calls an endpoint. */
export const profileOption = text({
  group: 'Access',
  flagOnly: true,
  takes: '<name>',
  help: 'The profile of ~/.aws/config and ~/.aws/credentials whose credentials, Region and endpoint_url are used; that of AWS_PROFILE, else default, unless said otherwise.',
});

export const explainOptions = {
  endpoint: text({
    group: 'Address',
    takes: '<url>',
    ...awsEndpoint,
    fallback: 'http://127.0.0.1:8000',
    check: (given) =>
      isEndpoint(given) ? undefined : 'must be a URL such as http://127.0.0.1:8000, or unix:/run/stator.sock',
    help: 'The running server that is asked; unix:<file> for its --control-socket. Requests are signed with the credentials of the environment or of the AWS profile, if there are any.',
  }),
  parameters: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<json>',
    check: (given) => (isJsonList(given) ? undefined : 'must be a JSON list such as [{"S":"a"}]'),
    help: 'Values for the ? of the statement, in DynamoDB JSON. Without them values of fitting types are assumed.',
  }),
  region: text({
    group: 'Behaviour',
    takes: '<region>',
    help: "The Region of the tables; that of AWS_REGION, AWS_DEFAULT_REGION or the AWS profile, else the server's own, unless said otherwise.",
  }),
  ...outputOptions,
};

export const physicsOptions = {
  endpoint: explainOptions.endpoint,
  region: explainOptions.region,
  prices: path({
    group: 'Behaviour',
    takes: '<file>',
    help: "A JSON file with prices that differ from AWS's list, for what each minute would have cost.",
  }),
  minutes: wholeNumber({
    group: 'Behaviour',
    ...{ least: 1, most: 60, fallback: 10 },
    help: 'How many of the latest minutes to print.',
  }),
  ...outputOptions,
};

export const recordOptions = {
  endpoint: explainOptions.endpoint,
  out: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'The traffic file to write; traffic.jsonl unless said otherwise. A file that exists is never replaced.',
  }),
  plain: onOff({
    group: 'Behaviour',
    flagOnly: true,
    help: 'Write values as they are. Without it, digests stand in their place.',
  }),
  tables: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<names>',
    help: 'Only requests to these tables, separated by commas.',
  }),
  seconds: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 1, most: 604_800 },
    help: 'How long to record; until Ctrl-C unless said otherwise.',
  }),
  lines: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 1, most: 100_000_000 },
    help: 'The most requests to record; a million unless said otherwise.',
  }),
  ...outputOptions,
};

export const tailOptions = {
  endpoint: text({
    group: 'Address',
    takes: '<url>',
    ...awsEndpoint,
    fallback: 'http://127.0.0.1:8000',
    check: (given) =>
      given === 'aws' || isEndpoint(given)
        ? undefined
        : 'must be a URL such as http://127.0.0.1:8000, unix:/run/stator.sock, or aws',
    help: 'The server that is asked; aws for the real one, unix:<file> for a --control-socket. Requests are signed with the credentials of the environment or of the AWS profile.',
  }),
  region: text({
    group: 'Address',
    takes: '<region>',
    check: (given) => (/^[a-z0-9-]{1,64}$/.test(given) ? undefined : 'must be a Region such as eu-west-1'),
    help: 'The Region of the table; that of AWS_REGION, AWS_DEFAULT_REGION or the AWS profile, else us-east-1, unless said otherwise.',
  }),
  from: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<moment>',
    fallback: 'now',
    check: (given) =>
      /^(now|oldest)$/.test(given) || !Number.isNaN(Date.parse(given))
        ? undefined
        : 'must be now, oldest, or a time such as 2026-11-15T12:00:00Z',
    help: 'Where to begin: with the next change (now), with the oldest that the stream still has, or with those of a moment.',
  }),
  event: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<events>',
    check: (given) =>
      given.split(',').every((word) => /^(INSERT|MODIFY|REMOVE)$/i.test(word))
        ? undefined
        : 'must be one or more of INSERT, MODIFY and REMOVE, with commas between them',
    help: 'Only changes of these kinds: INSERT, MODIFY, REMOVE, with commas between them.',
  }),
  key: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<key>',
    help: 'Only changes of items with this key: the value of the partition key, or attributes as JSON, plain ({"pk":"a","sk":1}) or DynamoDB\'s.',
  }),
  where: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<condition>',
    help: "Only changes whose new or old item meets a condition, as it stands after WHERE in PartiQL: status = 'open' AND total > 5. Items are as the stream shows them.",
  }),
  enable: onOff({
    group: 'Behaviour',
    flagOnly: true,
    help: 'Switch the stream of the table on, with NEW_AND_OLD_IMAGES, if it has none. It stays on.',
  }),
  ...outputOptions,
};

/** Also short, as everywhere. */
export const shortFlags: Readonly<Record<string, string>> = { '-h': 'help', '-v': 'version' };

function isJsonList(given: string): boolean {
  try {
    return Array.isArray(JSON.parse(given));
  } catch {
    return false;
  }
}

/** The entries of a list as it is written in one flag. */
export function listed(given: string): string[] {
  return given.split(',').map((entry) => entry.trim());
}

function firstProblem(given: string, problemOf: (entry: string) => string | undefined): string | undefined {
  return listed(given)
    .map(problemOf)
    .find((problem) => problem !== undefined);
}

/** The text itself is never shown: it may hold a password. */
function checkStoreUrl(given: string): string | undefined {
  if (/^memory:?$|^lmdb:./.test(given)) return undefined;
  if (/^postgres(ql)?:\/\//.test(given)) return clusterUrlFault(given);
  return 'must be memory:, lmdb:<directory> or postgres://<user>:<password>@<host>/<database>';
}

function placeStoreUrl(given: string, directory: string): string {
  return given.startsWith('lmdb:') ? `lmdb:${resolve(directory, given.slice('lmdb:'.length))}` : given;
}
