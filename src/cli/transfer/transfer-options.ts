import { outputOptions, startOptions, tailOptions } from '../flags.ts';
import { choice, onOff, path, text, wholeNumber } from '../option.ts';
import { placeOptions, time } from '../past/past-options.ts';
import { scanOptions } from '../tool-flags.ts';

/** The options of `stator export` and `stator import`. They describe one run: flags only. */

const once = { group: 'Behaviour', flagOnly: true } as const;

const jsonObject = (takes: string, help: string) =>
  text({
    ...once,
    takes,
    check: (given) => (objectIn(given) === undefined ? 'must be a JSON object' : undefined),
    help,
  });

/** The object in a flag, or undefined if there is none. */
export function objectIn(given: string): object | undefined {
  try {
    const value: unknown = JSON.parse(given);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Where buckets are, for a data directory that the command opens itself. */
const bucketOptions = {
  bucket: text({ ...once, takes: '<bucket>', help: 'The bucket, as the server sees it.' }),
  prefix: text({ ...once, takes: '<prefix>', help: 'What the keys in the bucket begin with.' }),
  s3Dir: {
    ...startOptions.s3Dir,
    flagOnly: true,
    help: 'With --data-dir: the directory whose folders are the buckets.',
  },
  s3Endpoint: {
    ...startOptions.s3Endpoint,
    flagOnly: true,
    help: 'With --data-dir or a source s3://…: the S3 endpoint of the buckets, or aws. Needs the package @aws-sdk/client-s3.',
  },
};

export const exportOptions = {
  ...placeOptions,
  ...bucketOptions,
  at: time('The moment of a full export; now unless said otherwise.'),
  from: time('The beginning of the window of an incremental export.'),
  to: time('The end of that window; the latest that the service takes unless said otherwise.'),
  view: choice(['NEW_AND_OLD_IMAGES', 'NEW_IMAGE'], {
    ...once,
    fallback: 'NEW_AND_OLD_IMAGES',
    help: 'What an incremental export tells of a change.',
  }),
  keyCondition: text({
    ...once,
    takes: '<expression>',
    help: 'Export the items of one partition only: a key condition, as a Query has it.',
  }),
  filter: text({
    ...once,
    takes: '<expression>',
    help: 'Export only items that meet this filter, as a Scan has it; of a window, by their latest image.',
  }),
  projection: text({
    ...once,
    takes: '<expression>',
    help: 'Export only these attributes of the items.',
  }),
  names: jsonObject('<json>', 'The names that # stands for in those expressions: {"#s": "status"}.'),
  values: jsonObject('<json>', 'The values that : stands for: {":s": {"S": "open"}}.'),
  list: onOff({ ...once, help: 'List the exports of the table, or of all tables, instead of making one.' }),
  ...outputOptions,
};

export const importOptions = {
  ...placeOptions,
  source: text({
    ...once,
    takes: '<place>',
    help: 'What to read: an export, a folder or a file of CSV or DynamoDB JSON on this machine, or s3://bucket/prefix. Files ending in .gz and .zst are unpacked.',
  }),
  sourceTable: text({ ...once, takes: '<table>', help: 'A table to read instead, by parallel scans.' }),
  sourceEndpoint: {
    ...tailOptions.endpoint,
    flagOnly: true,
    help: 'Where that table is: a URL, or aws for the real one, with the credentials in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.',
  },
  sourceRegion: {
    ...tailOptions.region,
    flagOnly: true,
    help: 'The Region of the source; that of --region unless said otherwise.',
  },
  segments: { ...scanOptions.segments, help: 'Into how many segments a source table is divided.' },
  rate: { ...scanOptions.rate, help: 'Read units a second that reading a source table may use.' },
  create: path({
    ...once,
    takes: '<file>',
    help: 'The keys and indexes of the new table: a CreateTable request, the output of describe-table, or a CloudFormation template with one table. A source table brings its own.',
  }),
  merge: onOff({
    ...once,
    help: 'Write into a table that is there already. Items with the same key are replaced, and an incremental export also deletes.',
  }),
  format: choice(['auto', 'csv', 'dynamodb-json'], {
    ...once,
    fallback: 'auto',
    help: 'What the files hold; auto goes by their names.',
  }),
  compression: choice(['auto', 'none', 'gzip', 'zstd'], {
    ...once,
    fallback: 'auto',
    help: 'How the files are packed; auto goes by their names.',
  }),
  delimiter: text({
    ...once,
    takes: '<character>',
    fallback: ',',
    check: (given) =>
      [',', ';', ':', '|', '\t', ' '].includes(given)
        ? undefined
        : 'must be a comma, a semicolon, a colon, |, a tab or a space',
    help: 'What stands between the cells of CSV.',
  }),
  header: text({
    ...once,
    takes: '<names>',
    help: 'The names of the columns of CSV, with commas between them, where files have none on their first line.',
  }),
  rules: path({
    ...once,
    takes: '<file>',
    help: 'A JSON file that says how to anonymise items before they are written (docs/export-import.md).',
  }),
  secretFile: path({
    ...once,
    takes: '<file>',
    help: 'A file with the secret that hashes and fakes depend on, so that several imports give the same value the same replacement. Without it the secret is drawn, and forgotten at the end.',
  }),
  report: path({
    ...once,
    takes: '<file>',
    help: 'Also write the counts and what was anonymised into this file, as JSON.',
  }),
  state: path({
    ...once,
    takes: '<file>',
    help: 'Where to note how far the import has come; .stator-import-<table>.json unless said otherwise.',
  }),
  errors: path({
    ...once,
    takes: '<file>',
    help: 'Where refused rows go, as JSON lines; stator-import-<table>.errors.jsonl unless said otherwise.',
  }),
  restart: onOff({ ...once, help: 'Forget what an earlier run of the same import has done.' }),
  parallel: wholeNumber({
    ...once,
    ...{ least: 1, most: 64, fallback: 4 },
    help: 'How many requests with 25 items each are under way at the same time, for each segment.',
  }),
  ...bucketOptions,
  ...outputOptions,
};
