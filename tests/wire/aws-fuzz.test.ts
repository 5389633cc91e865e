import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awsApis } from '../../src/aws-apis.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import type { Monitoring } from '../../src/monitoring.ts';
import type { ServiceOperation } from '../../src/operations/api/service.ts';
import type { Shape } from '../../src/operations/shapes/shape.ts';
import { CborWriter } from '../../src/wire/aws/cbor-writer.ts';
import { HeaderFields } from '../../src/wire/header-fields.ts';
import { bodyBytes } from '../../src/wire/reply-body.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';

/**
 * Requests to the services beside DynamoDB whose members have the wrong type, or values at the edge of their type. Each gets
 * an answer or an error of the caller; a 500 is a bug.
 */
const services = awsApis(() => undefined as unknown as Monitoring);

let db: Stator;
const failures: string[] = [];
const answered: Record<number, number> = {};

beforeAll(async () => {
  db = await Stator.open({
    clock: new VirtualClock(Date.UTC(2026, 2, 3, 10)),
    observe: true,
    log: (line: string) => void failures.push(line),
  });
});

afterAll(() => db.close());

const numbers = [0, -1, 1, 60, 61, 1.5, 2 ** 31, 2 ** 53, 1e15, 1e300, -1e300, Number.NaN, Infinity];
const texts = [
  ...['', ' ', 'a', 'AWS/DynamoDB', 'dynamodb', 'table/Orders', '__proto__', 'constructor', '\u0000', '😀'],
  ...['x'.repeat(256), '1e308', 'NaN', 'true', 'p99', 'TM(1%:2%)', 'TC(:)', 'rate(1 minute)'],
  ...["SEARCH('{A,B} c', 'Sum')", 'SUM(METRICS())', 'm1', 'FILL(m1, 0)', '[m1, m1]', `\${MAX_TIME}`],
  ...['at(2026-03-03T10:00:00)', 'cron(0 0 * * ? *)', 'arn:aws:cloudwatch:us-east-1:000000000000:alarm:a'],
];

/** A value that mostly has its shape's type. */
function givenValue(shape: Shape, random: SeededRandom, depth: number, oddness: number): unknown {
  if (random.chance(oddness))
    return random.pick<unknown>([null, 'x', 7, true, {}, { x: '1' }, [], [null], [[]]]);
  switch (shape.kind) {
    case 'structure': {
      const made: Record<string, unknown> = {};
      for (const [name, member] of shape.members)
        if (random.chance(member.required ? 0.97 : 0.4))
          made[name] = givenValue(member.shape, random, depth + 1, oddness);
      return made;
    }
    case 'list':
      return Array.from({ length: random.below(depth > 3 ? 2 : 4) }, () =>
        givenValue(shape.member, random, depth + 1, oddness),
      );
    case 'map':
      return Object.fromEntries(
        Array.from({ length: random.below(3) }, () => [
          random.pick(texts),
          givenValue(shape.value, random, depth + 1, oddness),
        ]),
      );
    case 'number':
    case 'timestamp':
      return random.chance(0.5)
        ? shape.kind === 'timestamp'
          ? 1_772_532_000 + random.below(7200)
          : 60 * random.below(4)
        : random.pick(numbers);
    case 'boolean':
      return random.chance(0.5);
    case 'string':
      return shape.values !== undefined && random.chance(0.8)
        ? random.pick(shape.values)
        : random.pick(texts);
    default:
      return random.pick(texts);
  }
}

/** The parameters of a form, flattened as SDKs do, here and there cut short or grown by a part. */
function* formOf(name: string, value: unknown, random: SeededRandom): Generator<string> {
  const odd = random.chance(0.05)
    ? random.pick(['.x', '.member', '.member.1', '.entry.1.key', '.1', '.'])
    : '';
  const at = encodeURIComponent(name + odd);
  if (value === null) return;
  if (Array.isArray(value)) {
    if (value.length === 0) yield `${at}=`;
    for (const [i, one] of value.entries()) yield* formOf(`${name}.member.${i + 1}`, one, random);
  } else if (typeof value === 'object') {
    for (const [key, one] of Object.entries(value)) yield* formOf(`${name}.${key}`, one, random);
  } else yield `${at}=${encodeURIComponent(String(value))}`;
}

async function send(headers: Record<string, string>, url: string, body: string | Uint8Array, signed: string) {
  const reply = await db.requests.handle({
    method: 'POST',
    url,
    headers: HeaderFields.fromRecord({
      host: 'stator',
      'x-amz-date': '20260303T100000Z',
      authorization: `AWS4-HMAC-SHA256 Credential=a/20260303/us-east-1/${signed}/aws4_request, SignedHeaders=host, Signature=00`,
      ...headers,
    }),
    sent: body,
    body,
  });
  return { status: reply.status, text: Buffer.from(bodyBytes(reply.body)).toString('latin1') };
}

function cborOf(input: unknown): Uint8Array {
  const writer = new CborWriter();
  const write = (value: unknown): void => {
    if (typeof value === 'number') writer.float(value);
    else if (typeof value === 'boolean') writer.boolean(value);
    else if (typeof value === 'string') writer.text(value);
    else if (Array.isArray(value)) {
      writer.list(value.length);
      for (const one of value) write(one);
    } else {
      const members = Object.entries(value ?? {});
      writer.map(members.length);
      for (const [name, one] of members) {
        writer.text(name);
        write(one);
      }
    }
  };
  write(input);
  return writer.bytes;
}

function asForm(operation: ServiceOperation, version: string, input: unknown, random: SeededRandom): string {
  const members = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  const parameters = members.flatMap(([name, value]) => [...formOf(name, value, random)]);
  return [`Action=${operation.name}`, `Version=${version}`, ...parameters].join('&');
}

describe.each(testSeeds('inputs of the services beside DynamoDB'))('seed %i', (seed) => {
  it.each(
    services.flatMap((service) =>
      [...service.operations.values()].map((operation) => ({ service, operation })),
    ),
  )('$service.signingName $operation.name', async ({ service, operation }) => {
    const random = seededRandom(seed);
    for (let round = 0; round < rounds(80); round++) {
      const input = givenValue(operation.input!, random, 0, random.pick([0, 0, 0.06]));
      const json = JSON.stringify(input);
      const target = {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `${service.targetPrefix}.${operation.name}`,
      };
      const sent: (readonly [string, Promise<{ status: number; text: string }>])[] = [
        [json, send(target, '/', json, service.signingName)],
      ];
      if (service.protocols.includes('query')) {
        const form = asForm(operation, service.apiVersion, input, random);
        const type = { 'content-type': 'application/x-www-form-urlencoded' };
        sent.push([form, send(type, '/', form, service.signingName)]);
      }
      if (service.protocols.includes('cbor')) {
        const url = `/service/${service.targetPrefix}/operation/${operation.name}`;
        const type = { 'content-type': 'application/cbor', 'smithy-protocol': 'rpc-v2-cbor' };
        sent.push([`CBOR of ${json}`, send(type, url, cborOf(input), service.signingName)]);
      }
      for (const [body, reply] of sent) {
        const { status, text } = await reply;
        answered[status] = (answered[status] ?? 0) + 1;
        if (status >= 500) expect.fail(`${body}\n${text}\n${failures.at(-1)}`);
      }
    }
  });
});

it('many of them are answered', () => {
  expect(answered[200]).toBeGreaterThan(300);
});

it('a form with parts where a text belongs, and the other way round, is the caller’s mistake', async () => {
  const form = (text: string) =>
    send({ 'content-type': 'application/x-www-form-urlencoded' }, '/', text, 'monitoring');
  for (const parameter of [
    'AlarmTypes.member.1.x=1',
    'AlarmTypes.member.1.member.1=MetricAlarm',
    'AlarmNamePrefix.x=1',
    'MaxRecords.x=1',
    'AlarmNames=x',
  ]) {
    const { status, text } = await form(`Action=DescribeAlarms&Version=2010-08-01&${parameter}`);
    expect([parameter, status, /<Code>(.*)<\/Code>/.exec(text)?.[1]]).toEqual([
      parameter,
      400,
      'MalformedInput',
    ]);
  }
  // Clients send an empty list so.
  expect(await form('Action=DescribeAlarms&Version=2010-08-01&AlarmNames=')).toMatchObject({ status: 200 });
});
