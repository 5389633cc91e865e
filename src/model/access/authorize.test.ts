import { describe, expect, it } from 'vitest';
import { DynamoError } from '../errors.ts';
import { type Authorize, allOf, firstRefusal, ownAccountOnly } from './authorize.ts';
import { accountIntent, arnIntent, type Intent, TableIntent } from './intent.ts';
import { principalOf } from './principal.ts';

const scope = { account: '111111111111', region: 'eu-west-1' };
const sender = { accountId: scope.account, region: scope.region, accessKeyId: 'AKIA' };
const requester = { ...sender, principal: principalOf(sender) };
const refusal = new DynamoError('AccessDeniedException', 'no');
const wanted = (...resources: string[]): Intent[] =>
  resources.map((each) => arnIntent('dynamodb:GetItem', each));

describe('intents', () => {
  it('name tables by name, ARN and index', () => {
    const named = new TableIntent('dynamodb:Query', 'orders', scope, { index: 'by-day' });
    expect(named).toMatchObject({ account: scope.account });
    expect(named.resource).toBe('arn:aws:dynamodb:eu-west-1:111111111111:table/orders/index/by-day');
    const arn = 'arn:aws:dynamodb:eu-west-1:222222222222:table/orders';
    expect(new TableIntent('dynamodb:Query', arn, scope)).toMatchObject({ account: '222222222222' });
    expect(accountIntent('dynamodb:ListTables', scope).resource).toBe(
      'arn:aws:dynamodb:eu-west-1:111111111111:table/*',
    );
    expect(arnIntent('s3:GetObject', 'arn:aws:s3:::bucket/*').account).toBeUndefined();
    expect(arnIntent('x:Y', 'arn:aws:cloudwatch:eu-west-1:222222222222:alarm:a').account).toBe(
      '222222222222',
    );
  });

  it('name one resource alike, whatever partition its ARN is sent with', () => {
    const sent = 'arn:aws-x:dynamodb:eu-west-1:222222222222:table/orders';
    const own = 'arn:aws:dynamodb:eu-west-1:222222222222:table/orders';
    expect(new TableIntent('dynamodb:Query', sent, scope).resource).toBe(own);
    expect(arnIntent('dynamodb:GetRecords', `${sent}/stream/a`).resource).toBe(`${own}/stream/a`);
    expect(
      arnIntent('cloudwatch:TagResource', 'arn:aws-x:cloudwatch:cn-north-1:222222222222:alarm:a'),
    ).toEqual(arnIntent('cloudwatch:TagResource', 'arn:aws-cn:cloudwatch:cn-north-1:222222222222:alarm:a'));
  });
});

describe('the rule about accounts', () => {
  it('refuses in the words of IAM', () => {
    const [own, other] = wanted(
      'arn:aws:dynamodb:eu-west-1:111111111111:table/a',
      'arn:aws:dynamodb:eu-west-1:222222222222:table/a',
    );
    expect(ownAccountOnly(own!, requester)).toBeUndefined();
    expect(ownAccountOnly(other!, requester)).toMatchObject({
      name: 'AccessDeniedException',
      message:
        'User: arn:aws:iam::111111111111:user/AKIA is not authorized to perform: dynamodb:GetItem on resource: arn:aws:dynamodb:eu-west-1:222222222222:table/a because no resource-based policy allows the dynamodb:GetItem action',
    });
  });
});

describe('authorizers', () => {
  const refusing =
    (resource: string, isLater: boolean): Authorize =>
    (intent) => {
      const verdict = intent.resource === resource ? refusal : undefined;
      return isLater ? Promise.resolve(verdict) : verdict;
    };

  it('may answer now or later, and the first refusal counts', async () => {
    for (const isLater of [false, true]) {
      expect(await firstRefusal(refusing('b', isLater), wanted('a', 'b', 'c'), requester)).toBe(refusal);
      expect(await firstRefusal(refusing('d', isLater), wanted('a', 'b', 'c'), requester)).toBeUndefined();
    }
  });

  it('must all permit', async () => {
    expect(allOf([undefined, undefined])).toBeUndefined();
    for (const all of [
      [refusing('a', true), refusing('x', false)],
      [refusing('x', false), refusing('a', true)],
    ])
      expect(await firstRefusal(allOf(all)!, wanted('a'), requester)).toBe(refusal);
  });

  it('let nothing pass by an answer that is neither', async () => {
    const answering = (answer: unknown) => (() => answer) as unknown as Authorize;
    for (const answer of [true, false, null, 'ok'])
      expect(() => firstRefusal(answering(answer), wanted('a'), requester)).toThrow(TypeError);
    await expect(firstRefusal(answering(Promise.resolve(true)), wanted('a'), requester)).rejects.toThrow(
      TypeError,
    );
  });
});
