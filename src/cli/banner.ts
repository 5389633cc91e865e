import type { Styler } from './output.ts';

export interface BannerFacts {
  readonly version: string;
  readonly endpoint: string;
  readonly data: string;
  readonly region: string;
  readonly physics: string;
  readonly auth: 'open' | 'verify';
  readonly everyAddress: boolean;
  readonly workers: number;
  readonly processId: number;
}

/** What is seen at the start: where it is, where the data is, and how to point something at it. */
export function banner(facts: BannerFacts, style: Styler): string {
  const { version, endpoint, data, region, physics, auth, workers } = facts;
  const rows = (pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([name, value]) => `  ${style('dim', name.padEnd(9))} ${value}`);
  const credentials = "credentials: { accessKeyId: 'local', secretAccessKey: 'local' }";
  const sdk = [`endpoint: '${endpoint}'`, `region: '${region}'`, ...(auth === 'open' ? [credentials] : [])];
  return [
    `${style('bold', `Stator ${version}`)} serves DynamoDB on ${style('green', endpoint)}${facts.everyAddress ? ' and on every other address of this machine' : ''}`,
    '',
    ...rows([
      ['Data', data],
      ['Process', String(facts.processId)],
      ...(workers > 1 ? [['Workers', `${workers} processes`] as const] : []),
      ['Physics', physics],
      [
        'Access',
        auth === 'open'
          ? `any credentials and any Region; without a profile, export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_DEFAULT_REGION=${region}`
          : 'signatures are verified',
      ],
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

/** An address that stands for all of them is none that a client can use. */
export function usableEndpoint(url: string): { readonly endpoint: string; readonly everyAddress: boolean } {
  const endpoint = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  return { endpoint, everyAddress: endpoint !== url };
}
