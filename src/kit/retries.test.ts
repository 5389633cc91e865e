import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import { describe, expect, it } from 'vitest';
import { classOfError, type ErrorClass, sdkClassOf } from './error-class.ts';
import { repeat } from './repeat.ts';
import { pauseAfter, pauseMs } from './retry-policy.ts';
import { defaultRetryMode, sdkPolicies } from './sdk-policies.ts';
import { SdkRetries } from './sdk-retries.ts';
import { toolPolicies } from './tool-policies.ts';

const longest = () => 1;
const errorOf = (name: string, fields: object = {}) => Object.assign(new Error(name), { name, ...fields });

describe('the class of an error', () => {
  const cancelled = (...codes: string[]) =>
    errorOf('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });
  it.each<[string, unknown, ErrorClass]>([
    ['a throttle', errorOf('ProvisionedThroughputExceededException', { status: 400 }), 'throttled'],
    ['the limit of control planes', errorOf('LimitExceededException'), 'throttled'],
    ['429', errorOf('Whatever', { status: 429 }), 'throttled'],
    ['a fault of the service', errorOf('Whatever', { $metadata: { httpStatusCode: 503 } }), 'transient'],
    ['an operation that the endpoint lacks', errorOf('NotImplemented', { status: 501 }), 'final'],
    ['a lost connection', new Error('lost', { cause: { code: 'ECONNRESET' } }), 'unreachable'],
    ['a browser without a network', new TypeError('Failed to fetch'), 'unreachable'],
    ['a mistake in our own code', new TypeError('x is not a function'), 'final'],
    ['an aborted call', errorOf('AbortError', { cause: { code: 'ECONNRESET' } }), 'final'],
    ['a failed condition', errorOf('ConditionalCheckFailedException', { status: 400 }), 'final'],
    ['an item collection that is full', errorOf('ItemCollectionSizeLimitExceededException'), 'content'],
    ['a missing permission', errorOf('AccessDeniedException'), 'denied'],
    ['a transaction that met another', cancelled('None', 'TransactionConflict'), 'conflict'],
    [
      'a transaction that was throttled too',
      cancelled('TransactionConflict', 'ThrottlingError'),
      'throttled',
    ],
    [
      'a transaction with a failed condition',
      cancelled('ThrottlingError', 'ConditionalCheckFailed'),
      'final',
    ],
    [
      'a transaction whose reasons are in its text only',
      Object.assign(new Error('cancelled, reasons [None, TransactionConflict]'), {
        name: 'TransactionCanceledException',
      }),
      'conflict',
    ],
    ['no error at all', undefined, 'final'],
  ])('knows %s', (_, error, wanted) => {
    expect(classOfError(error)).toBe(wanted);
  });
});

describe('the class by which an SDK decides', () => {
  it.each<[string, object, ErrorClass]>([
    ['TransactionCanceledException', { CancellationReasons: [{ Code: 'ThrottlingError' }] }, 'final'],
    ['TransactionCanceledException', { CancellationReasons: [{ Code: 'TransactionConflict' }] }, 'final'],
    ['TransactionInProgressException', {}, 'throttled'],
    ['ThrottlingException', {}, 'throttled'],
  ])('of %s %j is %s', (name, fields, wanted) => {
    const error = errorOf(name, { status: 400, ...fields }) as Parameters<typeof isThrottlingError>[0];
    expect(sdkClassOf(error)).toBe(wanted);
    // As the installed SDK sees it.
    expect(isThrottlingError(error) ? 'throttled' : isTransientError(error) ? 'transient' : 'final').toBe(
      wanted,
    );
  });
});

describe('the policies of the SDKs', () => {
  const pauses = (mode: keyof typeof sdkPolicies, kind: ErrorClass) =>
    Array.from({ length: 12 }, (_, at) => pauseAfter(sdkPolicies[mode], kind, at + 1, longest)).filter(
      (ms) => ms !== undefined,
    );

  it('are those since 10 November 2026, unless another is named', () => {
    expect(defaultRetryMode).toBe('standard');
    expect(pauses('standard', 'throttled')).toEqual([1_000, 2_000, 4_000]);
    expect(pauses('standard', 'transient')).toEqual([25, 50, 100]);
    expect(pauses('standard', 'conflict')).toEqual([]);
  });

  it('have the earlier ones by name', () => {
    expect(pauses('standard-2025', 'throttled')).toEqual([500, 1_000]);
    expect(pauses('standard-2025', 'transient')).toEqual([100, 200]);
    expect(pauses('legacy', 'throttled')).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800]);
    expect(pauses('none', 'throttled')).toEqual([]);
  });

  it('obey x-amz-retry-after within five seconds of their own pause', () => {
    const half = () => 0.5;
    expect(pauseMs(sdkPolicies.standard, 'throttled', 1, half, 100)).toBe(500);
    expect(pauseMs(sdkPolicies.standard, 'throttled', 1, half, 3_000)).toBe(3_000);
    expect(pauseMs(sdkPolicies.standard, 'throttled', 1, half, 60_000)).toBe(5_500);
    expect(pauseMs(sdkPolicies['standard-2025'], 'throttled', 1, half, 3_000)).toBe(250);
  });

  it('agree with the SDK that is installed', async () => {
    const { Retry } = await import('@smithy/core/retry');
    const { standard } = sdkPolicies;
    expect([Retry.throttlingDelay(), Retry.cost(), Retry.throttlingCost()]).toEqual([
      standard.throttledBaseMs,
      standard.budget.cost,
      standard.budget.throttledCost,
    ]);
    const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
    const client = new DynamoDBClient({ region: 'eu-west-1' });
    expect(await client.config.maxAttempts()).toBe(standard.attemptsMax);
    client.destroy();
  });

  it('spend a budget for each client', () => {
    const client = new SdkRetries(sdkPolicies.standard, longest);
    let retries = 0;
    while (client.failed(0, 'transient', 1) !== undefined) retries++;
    expect(retries).toBe(Math.floor(500 / 14));
    // What is left is enough for throttles, which cost less.
    expect(client.failed(0, 'throttled', 1)).toBe(1_000);
    client.succeeded(0, 'transient');
    expect(client.failed(0, 'transient', 1)).toBe(25);
  });

  it('slow an adaptive client down', () => {
    const client = new SdkRetries(sdkPolicies.adaptive, longest);
    for (let ms = 0; ms < 3_000; ms += 10) client.succeeded(ms);
    expect(client.waitMs(3_000)).toBe(0);
    client.failed(3_000, 'throttled', 1);
    let waited = 0;
    for (let at = 0; at < 100; at++) waited += client.waitMs(3_001);
    expect(waited).toBeGreaterThan(1_000);
  });
});

describe('a repeated call', () => {
  async function run(errors: readonly unknown[], policy = toolPolicies.command) {
    const pauses: number[] = [];
    const left = [...errors];
    const answer = await repeat(
      () => (left.length > 0 ? Promise.reject(left.shift()) : Promise.resolve('done')),
      {
        policy,
        random: longest,
        pause: async (ms) => {
          pauses.push(ms);
        },
      },
    ).catch((error: Error) => error.name);
    return { answer, pauses };
  }

  it('pauses longer and longer, and ends with the error that stays', async () => {
    const throttle = errorOf('ThrottlingException');
    expect(await run([throttle, throttle])).toEqual({ answer: 'done', pauses: [200, 400] });
    expect((await run(Array(20).fill(throttle))).pauses).toHaveLength(9);
    expect(await run([errorOf('ValidationException')])).toEqual({
      answer: 'ValidationException',
      pauses: [],
    });
  });

  it('waits as long as the endpoint asks for', async () => {
    const error = errorOf('ThrottlingException', { retryAfterMs: 1_500 });
    expect((await run([error])).pauses).toEqual([1_500]);
  });

  it('keeps to the classes of its policy', async () => {
    const away = errorOf('Unreachable');
    expect((await run([away], toolPolicies.examination)).answer).toBe('Unreachable');
    expect((await run([away], toolPolicies.job)).answer).toBe('done');
    expect((await run([errorOf('ThrottlingException')], toolPolicies.job)).answer).toBe(
      'ThrottlingException',
    );
  });
});
