import { describe, expect, it } from 'vitest';
import { DynamoError } from '../model/errors.ts';
import { dynamoErrors } from '../operations/api/dynamo-errors.ts';
import type { Service, ServiceOperation } from '../operations/api/service.ts';
import { type Caller, emptyBody, RawJson } from '../operations/operation.ts';
import { openDoor } from './authenticate.ts';
import { HeaderFields } from './header-fields.ts';
import type { Reply } from './reply.ts';
import { bodyBytes } from './reply-body.ts';
import { RequestHandler } from './request-handler.ts';

type OperationHandler = ServiceOperation['handle'];

const signed = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=123456789012/20261115/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  'x-amz-date': '20261115T120000Z',
  'content-type': 'application/x-amz-json-1.0',
};

function service(operations: Record<string, OperationHandler>): Service {
  return {
    targetPrefix: 'DynamoDB_20120810',
    signingName: 'dynamodb',
    apiVersion: '2012-08-10',
    protocols: ['dynamodb'],
    errors: dynamoErrors,
    operations: new Map(Object.entries(operations).map(([name, handle]) => [name, { name, handle }])),
  };
}

async function ask(
  handler: OperationHandler,
  body = '{}',
  headers: Record<string, string> = {},
): Promise<Reply & { text: string; logged: string[] }> {
  const logged: string[] = [];
  const requests = new RequestHandler({
    services: [service({ Operate: handler })],
    authorize: undefined,
    authenticate: openDoor(),
    random: () => 7,
    region: 'eu-west-1',
    log: (line) => logged.push(line),
  });
  const bytes = Buffer.from(body);
  const reply = await requests.handle({
    method: 'POST',
    url: '/',
    headers: HeaderFields.fromRecord({ ...signed, 'x-amz-target': 'DynamoDB_20120810.Operate', ...headers }),
    sent: bytes,
    body: bytes,
  });
  const text = Buffer.from(bodyBytes(reply.body)).toString();
  return { ...reply, text, logged };
}

describe('RequestHandler', () => {
  it('hands over the input and tells who asks', async () => {
    let seen: [unknown, Caller] | undefined;
    const handler: OperationHandler = (input, caller) => {
      seen = [input, caller];
      return {};
    };
    const reply = await ask(handler, '{"A":[1]}', { 'X-Amz-Confirm-Remove-Self-Resource-Access': 'true' });
    expect(seen?.[0]).toEqual({ A: [1] });
    expect(seen?.[1]).toMatchObject({
      accountId: '123456789012',
      accessKeyId: '123456789012',
      region: 'eu-west-1',
      requestId: reply.requestId,
    });
    expect(seen?.[1].header('x-amz-confirm-remove-self-resource-access')).toBe('true');
    expect(seen?.[1].header('x-other')).toBeUndefined();
  });

  it('answers at once where the operation does', () => {
    const requests = new RequestHandler({
      services: [service({ Operate: () => ({ A: 1 }) })],
      authorize: undefined,
      authenticate: openDoor(),
      random: () => 7,
      region: 'eu-west-1',
      log: () => {},
    });
    const body = Buffer.from('{}');
    const headers = HeaderFields.fromRecord({ ...signed, 'x-amz-target': 'DynamoDB_20120810.Operate' });
    expect(requests.handle({ method: 'POST', url: '/', headers, sent: body, body })).not.toBeInstanceOf(
      Promise,
    );
  });

  it.each<[string, OperationHandler, number, string]>([
    ['an object', () => ({ A: 'ö' }), 200, '{"A":"ö"}'],
    ['a promise', async () => ({ A: 1 }), 200, '{"A":1}'],
    ['an empty body', () => emptyBody, 200, ''],
    ['JSON as text', () => new RawJson(['{"A":', '"ö"', '}']), 200, '{"A":"ö"}'],
    ['JSON as bytes', () => new RawJson([Buffer.from('{}')]), 200, '{}'],
    ['JSON as both', () => new RawJson(['{"ö":', Uint8Array.of(0x31), '}']), 200, '{"ö":1}'],
    ['bytes that are not ASCII', () => new RawJson(['{"A":', Buffer.from('"ö"'), '}']), 200, '{"A":"ö"}'],
    ['many bytes', () => new RawJson(['[', Buffer.alloc(5000, '1'), ']']), 200, `[${'1'.repeat(5000)}]`],
    [
      'an error',
      () => new DynamoError('ValidationException', 'no'),
      400,
      '{"__type":"com.amazon.coral.validate#ValidationException","message":"no"}',
    ],
    [
      'an error later',
      async () => new DynamoError('InternalServerError', 'sorry'),
      500,
      '{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"sorry"}',
    ],
  ])('sends %s', async (_, handler, status, text) => {
    expect(await ask(handler)).toMatchObject({
      status,
      text,
      contentType: 'application/x-amz-json-1.0',
      logged: [],
    });
  });

  const failure =
    '{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"Internal server error"}';

  it.each<[string, OperationHandler]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    [
      'answers what is not JSON',
      () => {
        const circle: { itself?: object } = {};
        circle.itself = circle;
        return circle;
      },
    ],
    ['answers a number that is none', async () => ({ size: 1n })],
  ])('logs the stack and answers 500 where an operation %s', async (_, handler) => {
    const reply = await ask(handler);
    expect(reply).toMatchObject({ status: 500, text: failure });
    expect(reply.logged).toHaveLength(1);
    expect(reply.logged[0]).toMatch(
      new RegExp(`^Operate failed, request ${reply.requestId}: \\w*Error: .*\n +at `, 's'),
    );
  });

  const unparsable = '{"__type":"com.amazon.coral.service#SerializationException"}';

  it.each(['', '7', '"x"', '[]', 'null', 'true'])('refuses the body %j after the signature', async (body) => {
    expect(await ask(() => ({}), body)).toMatchObject({ status: 400, text: unparsable });
    expect((await ask(() => ({}), body, { authorization: '' })).text).toMatch('MissingAuthenticationToken');
  });

  it('tells who runs it of an operation that it does not have, but repeats no nonsense', async () => {
    const asked = (target: string) => ask(() => ({}), '{}', { 'x-amz-target': target });
    expect((await asked('DynamoDB_20120810.ListBackups')).logged).toEqual([
      'DynamoDB_20120810.ListBackups was asked for, which this version of Stator does not have.',
    ]);
    for (const nonsense of ['', 'nonsense', 'a.b\u001b[2J', `a.${'b'.repeat(1_000)}`])
      expect((await asked(nonsense)).logged).toEqual([]);
  });

  it('checks JSON before the target and the target before the signature', async () => {
    const wrong = { 'x-amz-target': 'nonsense', authorization: '' };
    expect((await ask(() => ({}), '{', wrong)).text).toBe(unparsable);
    expect((await ask(() => ({}), '{}', wrong)).text).toBe(
      '{"__type":"com.amazon.coral.service#UnknownOperationException"}',
    );
    expect((await ask(() => ({}), '', wrong)).text).toMatch('UnknownOperationException');
  });

  it.each([
    ['application/x-amz-json-1.0', 200, 'application/x-amz-json-1.0'],
    [' application/x-amz-json-1.0 ; charset=utf-8', 200, 'application/x-amz-json-1.0'],
    ['application/json', 200, 'application/json'],
    ['application/x-amz-json-1.1', 404, undefined],
    ['text/plain', 404, undefined],
    ['', 404, undefined],
  ])('answers the content type %j with %i and %s', async (type, status, contentType) => {
    expect(await ask(() => ({}), '{}', { 'content-type': type })).toMatchObject({ status, contentType });
  });

  it('lets a service of JSON 1.1 share the port', async () => {
    const scaling: Service = {
      ...service({ Scale: () => ({}) }),
      targetPrefix: 'AnyScaleFrontendService',
      signingName: 'application-autoscaling',
      protocols: ['json-1.1'],
    };
    const requests = new RequestHandler({
      services: [service({}), scaling],
      authorize: undefined,
      authenticate: openDoor(),
      random: () => 7,
      region: 'eu-west-1',
      log: () => {},
    });
    const body = Buffer.from('{}');
    const send = (headers: Record<string, string>) =>
      requests.handle({
        method: 'POST',
        url: '/',
        headers: HeaderFields.fromRecord(headers),
        sent: body,
        body,
      });
    const headers = {
      ...signed,
      authorization: signed.authorization.replace('dynamodb', 'application-autoscaling'),
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AnyScaleFrontendService.Scale',
    };
    expect(await send(headers)).toMatchObject({ status: 200, contentType: 'application/x-amz-json-1.1' });
    expect(await send({ ...headers, authorization: signed.authorization })).toMatchObject({
      status: 400,
      body: expect.stringContaining("scoped to correct service: 'application-autoscaling'"),
    });
  });
});
