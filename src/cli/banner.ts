import type { PhysicsMode } from '../physics-option.ts';
import type { Styler } from './output.ts';

export interface BannerFacts {
  readonly version: string;
  readonly endpoint: string;
  /** Where the data is. */
  readonly data: string;
  /** What the words about the data mean, each as a sentence. */
  readonly dataNotes: readonly string[];
  readonly region: string;
  readonly physics: PhysicsMode;
  /** Tables, indexes and streams pass through their states as on AWS, and nothing else is acted out. */
  readonly hasStatesOnly?: boolean;
  readonly auth: 'open' | 'verify';
  /** Where the control API and the studio are, if they are apart. */
  readonly control?: string;
  /** Other machines can reach the address. */
  readonly isOpenBind: boolean;
  readonly everyAddress: boolean;
  readonly workers: number;
  readonly processId: number;
}

/** What is seen at the start: where it is, where the data is, and how to point something at it. */
export function banner(facts: BannerFacts, style: Styler): string {
  const { version, endpoint, data, region, physics, auth, workers, control } = facts;
  const rows = (pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([name, value]) => `  ${style('dim', name.padEnd(9))} ${value}`);
  const notes = (lines: readonly string[]) => lines.map((line) => ['', style('dim', line)] as const);
  const credentials = "credentials: { accessKeyId: 'local', secretAccessKey: 'local' }";
  const sdk = [`endpoint: '${endpoint}'`, `region: '${region}'`, ...(auth === 'open' ? [credentials] : [])];
  return [
    `${style('bold', `Stator ${version}`)} serves DynamoDB on ${style('green', endpoint)}${facts.everyAddress ? ' and on every other address of this machine' : ''}`,
    '',
    ...rows([
      ['Data', data],
      ...notes(facts.dataNotes),
      ['Process', String(facts.processId)],
      ...(workers > 1 ? [['Workers', `${workers} processes that share the port`] as const] : []),
      ['Physics', `${physics}: ${facts.hasStatesOnly ? statesOnly : physicsNotes[physics]}`],
      ['Access', accessText(facts)],
      ...(control === undefined
        ? []
        : [['Control', `${control}: the studio and /_stator/, which are nowhere else`] as const]),
      ...(auth === 'open'
        ? notes([
            `Clients want credentials and a Region all the same: export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_DEFAULT_REGION=${region}`,
          ])
        : []),
    ]),
    '',
    ...rows([
      ['AWS CLI', `aws dynamodb list-tables --endpoint-url ${endpoint}`],
      ['SDK v3', `new DynamoDBClient({ ${sdk.join(', ')} })`],
      ['Any SDK', `export AWS_ENDPOINT_URL_DYNAMODB=${endpoint}`],
    ]),
    '',
    style('dim', 'Ctrl-C stops it. Messages follow below.'),
  ].join('\n');
}

const physicsNotes: Readonly<Record<BannerFacts['physics'], string>> = {
  off: 'nothing of what AWS would throttle or delay is modelled',
  shadow: 'nothing is throttled or delayed; stator physics <table> tells what AWS would have done',
  enforce: 'requests are throttled, reads may be stale, and changes take their time, as on AWS',
};

const statesOnly = 'tables and indexes pass through their states as on AWS; nothing is throttled';

function accessText({ auth, isOpenBind }: BannerFacts): string {
  if (auth === 'verify') return 'verify: only requests signed with a key of --credentials are answered';
  const who = isOpenBind
    ? 'EVERYBODY who can reach this address'
    : 'programs and localhost pages on this machine';
  return `open: ${who}, with any credentials and any Region`;
}

/** An address that stands for all of them is none that a client can use. */
export function usableEndpoint(url: string): { readonly endpoint: string; readonly everyAddress: boolean } {
  const endpoint = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  return { endpoint, everyAddress: endpoint !== url };
}
