import { outputOptions, tailOptions } from './flags.ts';
import { choice, decimal, onOff, path, text, wholeNumber } from './option.ts';
import { copyOptions } from './price-flags.ts';

/** The options of `stator capacity`, `stator scan` and `stator table-design`. They describe one run: flags only. */

const once = { group: 'Behaviour', flagOnly: true } as const;

export const capacityOptions = {
  itemSize: decimal({
    ...once,
    takes: '<KB>',
    ...{ least: 0.001, most: 400 },
    help: 'The size of an item in KB, names of attributes included, such as 2.5. Needed.',
  }),
  reads: decimal({ ...once, ...{ least: 0, most: 1e9, fallback: 0 }, help: 'Reads of one item a second.' }),
  writes: decimal({ ...once, ...{ least: 0, most: 1e9, fallback: 0 }, help: 'Writes of one item a second.' }),
  consistency: choice(['eventual', 'strong', 'transactional'], {
    ...once,
    fallback: 'eventual',
    help: 'How reads are made. transactional: reads and writes are parts of transactions, and cost twice as much.',
  }),
  gsiCount: wholeNumber({
    ...once,
    ...{ least: 0, most: 20, fallback: 0 },
    help: 'Global secondary indexes that every write reaches.',
  }),
  gsiItemSize: decimal({
    ...once,
    takes: '<KB>',
    ...{ least: 0.001, most: 400 },
    help: 'The size of an index entry in KB; that of the item unless said otherwise (projection ALL).',
  }),
  items: wholeNumber({
    ...once,
    ...{ least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 },
    help: 'Items in the table, for the price of storage.',
  }),
  meanLoad: decimal({
    ...once,
    takes: '<percent>',
    ...{ least: 0.01, most: 100, fallback: 100 },
    help: 'What share of these rates the average of a month is, in percent. On demand pays for the average, provisioned for the peak.',
  }),
  target: decimal({
    ...once,
    takes: '<percent>',
    ...{ least: 20, most: 90, fallback: 70 },
    help: 'The share of provisioned units that auto scaling aims at, in percent.',
  }),
  region: text({
    ...once,
    takes: '<region>',
    fallback: 'us-east-1',
    check: (given) => (/^[a-z0-9-]{1,64}$/.test(given) ? undefined : 'must be a Region such as eu-west-1'),
    help: 'The Region whose prices count.',
  }),
  tableClass: choice(['STANDARD', 'STANDARD_INFREQUENT_ACCESS'], {
    ...once,
    fallback: 'STANDARD',
    help: 'The class of the table.',
  }),
  freeTier: onOff({ ...once, help: "Take off the account's free units and storage." }),
  prices: path({
    ...once,
    takes: '<file>',
    help: "A JSON file with prices that differ from AWS's list.",
  }),
  recovery: onOff({ ...once, help: 'Price point-in-time recovery.' }),
  streamReaders: wholeNumber({
    ...once,
    ...{ least: 0, most: 1_000, fallback: 0 },
    help: "Programs that read the table's stream, four times a second each. Functions of AWS Lambda read for free.",
  }),
  ...copyOptions,
  ...outputOptions,
};

export const scanOptions = {
  endpoint: tailOptions.endpoint,
  region: tailOptions.region,
  table: text({ ...once, takes: '<table>', help: 'The table to read. Needed.' }),
  index: text({ ...once, takes: '<index>', help: 'An index of the table to read instead of it.' }),
  segments: wholeNumber({
    ...once,
    ...{ least: 1, most: 1_000, fallback: 4 },
    help: 'Into how many segments the table is divided. All are read at the same time.',
  }),
  filter: text({
    ...once,
    takes: '<expression>',
    help: 'A filter expression, such as "status = :s". What it drops is read and paid for all the same.',
  }),
  values: text({
    ...once,
    takes: '<json>',
    check: (given) => jsonObjectProblem(given, 'values such as {":s":{"S":"active"}}'),
    help: 'Values of the filter, in DynamoDB JSON: {":s":{"S":"active"}}.',
  }),
  names: text({
    ...once,
    takes: '<json>',
    check: (given) => jsonObjectProblem(given, 'names such as {"#s":"status"}'),
    help: 'Names of attributes that the expressions hold as #…: {"#s":"status"}.',
  }),
  projection: text({
    ...once,
    takes: '<attributes>',
    help: 'Only these attributes: a projection expression, such as "id, name". Capacity is used for whole items.',
  }),
  consistent: onOff({ ...once, help: 'Read consistently, at twice the price. Not on a global index.' }),
  rate: decimal({
    ...once,
    takes: '<units>',
    ...{ least: 0.5, most: 1e7 },
    help: 'Read units a second that the scan may use, in all segments together. Without it the scan is as fast as it can be.',
  }),
  output: path({
    ...once,
    takes: '<file>',
    help: 'Write the items into this file, one in DynamoDB JSON on each line. A scan that ends early goes on when the same command is given again. Without it they are printed.',
  }),
  overwrite: onOff({ ...once, help: 'Replace the file of --output if it is there.' }),
  restart: onOff({ ...once, help: 'Forget what an earlier run of the same --output has read.' }),
  ...outputOptions,
};

const keyProblem = (given: string) =>
  /^[^\s:]{1,255}(:[SNB])?$/.test(given) ? undefined : 'must be a name, or a name with its type such as id:S';

export const tableDesignOptions = {
  output: choice(['cloudformation', 'cdk', 'terraform', 'create-table'], {
    group: 'Output',
    flagOnly: true,
    fallback: 'cloudformation',
    help: 'The format.',
  }),
  out: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'Write into this file instead of standard output.',
  }),
  nonInteractive: onOff({
    ...once,
    help: 'Ask nothing: what no flag says has its default. Also the case where there is no terminal.',
  }),
  table: text({
    ...once,
    takes: '<name>',
    check: (given) =>
      /^[A-Za-z0-9_.-]{3,220}$/.test(given) ? undefined : 'must be 3 to 220 letters, digits, _, . and -',
    help: 'The name of the table; the environment is put behind it. Needed with --non-interactive.',
  }),
  partitionKey: text({
    ...once,
    takes: '<name[:type]>',
    fallback: 'PK:S',
    check: keyProblem,
    help: 'The partition key with its type, S, N or B.',
  }),
  sortKey: text({
    ...once,
    takes: '<name[:type]>',
    fallback: 'SK:S',
    check: (given) => (given === 'none' ? undefined : keyProblem(given)),
    help: 'The sort key with its type, or none.',
  }),
  gsi: text({
    ...once,
    takes: '<indexes>',
    fallback: 'GSI1(GSI1PK,GSI1SK); GSI2(GSI2PK,GSI2SK)',
    help: 'Global indexes with semicolons between them, each as NAME(partition[:type],sort[:type]) and, unless it is ALL, the projection: "ByMail(email) KEYS_ONLY; Open(day,at:N) INCLUDE total,status". Several partition or sort attributes have + between them. none for no index.',
  }),
  billing: choice(['on-demand', 'provisioned'], {
    ...once,
    fallback: 'on-demand',
    help: 'The mode that the template begins with; it stays a parameter.',
  }),
  readCapacity: text({
    ...once,
    takes: '<min-max>',
    fallback: '5-100',
    check: rangeProblem,
    help: 'Read units between which auto scaling moves, for the table and for each index.',
  }),
  writeCapacity: text({
    ...once,
    takes: '<min-max>',
    fallback: '5-100',
    check: rangeProblem,
    help: 'Write units between which auto scaling moves, for the table and for each index.',
  }),
  ttl: text({
    ...once,
    takes: '<attribute>',
    fallback: 'ttl',
    help: 'The attribute by which items expire, or none.',
  }),
  stream: choice(['NEW_AND_OLD_IMAGES', 'NEW_IMAGE', 'OLD_IMAGE', 'KEYS_ONLY', 'none'], {
    ...once,
    fallback: 'NEW_AND_OLD_IMAGES',
    help: 'What the stream shows of a change, or none.',
  }),
  noRecovery: onOff({ ...once, help: 'Leave point-in-time recovery off.' }),
  noInsights: onOff({ ...once, help: 'Leave Contributor Insights off.' }),
  ...outputOptions,
};

function rangeProblem(given: string): string | undefined {
  const [min, max] = given.split('-').map(Number);
  const isRange = /^\d{1,7}-\d{1,7}$/.test(given) && min! >= 1 && max! >= min!;
  return isRange ? undefined : 'must be two numbers such as 5-100, the smaller one first';
}

function jsonObjectProblem(given: string, what: string): string | undefined {
  try {
    const value: unknown = JSON.parse(given);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return undefined;
  } catch {
    // The sentence below says it.
  }
  return `must be a JSON object of ${what}`;
}
