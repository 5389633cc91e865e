import { describe, expect, it } from 'vitest';
import { accountOf, CredentialsFileError, credentialLookup, parseCredentials } from './credentials.ts';

describe('parseCredentials', () => {
  it('reads the shared-credentials INI', () => {
    const text = `\uFEFF# comment
[default]
aws_access_key_id = AKIA1
aws_secret_access_key=s3cr=t/+
; another comment

[profile two]\r
AWS_ACCESS_KEY_ID = ASIA2
aws_secret_access_key = other
aws_session_token = tok==en
aws_account_id = 123456789012
s3 =
  max_concurrent_requests = 20

[role]
role_arn = arn:aws:iam::1:role/x
`;
    expect(parseCredentials(text)).toEqual([
      { accessKeyId: 'AKIA1', secretAccessKey: 's3cr=t/+' },
      { accessKeyId: 'ASIA2', secretAccessKey: 'other', sessionToken: 'tok==en', accountId: '123456789012' },
    ]);
  });

  it('reads JSON, one object or several', () => {
    const one = { Version: 1, AccessKeyId: 'A', SecretAccessKey: 's', SessionToken: null };
    const two = { AccessKeyId: 'B', SecretAccessKey: 't', SessionToken: 'u', AccountId: '000000000001' };
    expect(parseCredentials(JSON.stringify(one))).toEqual([{ accessKeyId: 'A', secretAccessKey: 's' }]);
    expect(parseCredentials(` ${JSON.stringify([one, two], null, 2)}`)).toEqual([
      { accessKeyId: 'A', secretAccessKey: 's' },
      { accessKeyId: 'B', secretAccessKey: 't', sessionToken: 'u', accountId: '000000000001' },
    ]);
  });

  it('finds nothing in an empty file', () => {
    expect(parseCredentials('')).toEqual([]);
    expect(parseCredentials('[]')).toEqual([]);
  });

  it.each([
    ['aws_access_key_id = A', 'Line 1 stands before the first [profile].'],
    ['[default\naws_access_key_id = A', 'Line 1 is not a [profile] line.'],
    ['[default]\nnonsense', 'Line 2 is neither [profile] nor name = value.'],
    ['[a]\n[a]', 'Line 2: profile [a] occurs twice.'],
    ['[a]\naws_access_key_id = A', 'Profile [a] has no aws_secret_access_key.'],
    ['[a]\naws_secret_access_key = hush', 'Profile [a] has no aws_access_key_id.'],
    [
      '[a]\naws_access_key_id = A\naws_secret_access_key = hush\naws_account_id = 12',
      'Profile [a]: aws_account_id is not an account id of 12 digits.',
    ],
    [
      '[a]\naws_access_key_id = A/B\naws_secret_access_key = hush',
      'Profile [a]: aws_access_key_id is not an access key id.',
    ],
    [
      '[a]\naws_access_key_id = A\naws_secret_access_key = h\n[b]\naws_access_key_id = A\naws_secret_access_key = i',
      'Access key A occurs twice.',
    ],
    ['{"SecretAccessKey":"hush"}', 'The credentials object has no AccessKeyId.'],
    ['[{"AccessKeyId":"A","SecretAccessKey":"hush"},{}]', 'Entry 2 has no AccessKeyId.'],
    [
      '[{"AccessKeyId":"A","SecretAccessKey":"s","Administrator":1}]',
      'Entry 1: Administrator is neither true nor false.',
    ],
    ['[{"AccessKeyId":1}]', 'Entry 1: AccessKeyId is not a string.'],
    ['["hush"]', 'Entry 1 is not an object.'],
    [
      '{"AccessKeyId":"A","SecretAccessKey":"hush"',
      'The credentials are neither valid JSON nor an INI file.',
    ],
  ])('says what is wrong with %j', (text, message) => {
    expect(() => parseCredentials(text)).toThrow(new CredentialsFileError(message));
  });
});

describe('accountOf', () => {
  const lookup = credentialLookup([{ accessKeyId: 'A', secretAccessKey: 's', accountId: '111122223333' }]);

  it.each([
    ['A', '111122223333'],
    ['123456789012', '123456789012'],
    ['1234567890123', '000000000000'],
    ['anything', '000000000000'],
  ])('takes %s for account %s', (accessKeyId, accountId) => {
    expect(accountOf(accessKeyId, lookup(accessKeyId))).toBe(accountId);
  });
});
