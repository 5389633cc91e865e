import { describe, expect, it } from 'vitest';
import { throttleMetric, throttlingError, throttlingForm, throttlingReasonName } from './throttling.ts';

const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/Orders';

describe('throttling', () => {
  it.each([
    [
      'ProvisionedThroughputExceeded',
      'write',
      false,
      'PROVISIONED',
      'ProvisionedThroughputExceededException',
      'throughput for the table was',
    ],
    [
      'ProvisionedThroughputExceeded',
      'write',
      true,
      'PROVISIONED',
      'ProvisionedThroughputExceededException',
      'one or more global secondary indexes of the table was exceeded',
    ],
    [
      'KeyRangeThroughputExceeded',
      'write',
      false,
      'PROVISIONED',
      'ProvisionedThroughputExceededException',
      'throughput for the table was',
    ],
    [
      'KeyRangeThroughputExceeded',
      'write',
      false,
      'PAY_PER_REQUEST',
      'ThrottlingException',
      'hot key: https://docs.aws',
    ],
    [
      'KeyRangeThroughputExceeded',
      'read',
      true,
      'PAY_PER_REQUEST',
      'ThrottlingException',
      'hot key: https://docs.aws',
    ],
    [
      'KeyRangeThroughputExceeded',
      'write',
      true,
      'PAY_PER_REQUEST',
      'ThrottlingException',
      'automatically scaling your index',
    ],
    [
      'KeyRangeThroughputExceeded',
      'write',
      true,
      'PROVISIONED',
      'ThrottlingException',
      'automatically scaling your index',
    ],
    [
      'MaxOnDemandThroughputExceeded',
      'read',
      false,
      'PAY_PER_REQUEST',
      'ThrottlingException',
      'maximum OnDemandThroughput',
    ],
    [
      'AccountLimitExceeded',
      'read',
      false,
      'PAY_PER_REQUEST',
      'RequestLimitExceeded',
      'limit for your account',
    ],
    [
      'AccountLimitExceeded',
      'write',
      true,
      'PAY_PER_REQUEST',
      'ThrottlingException',
      'limit for your account',
    ],
  ] as const)('%s, %s, index %s, %s: %s', (cause, kind, isIndex, mode, exception, text) => {
    const form = throttlingForm(cause, kind, isIndex, mode);
    expect(form.exception).toBe(exception);
    expect(form.message).toContain(text);
  });

  it('lists reasons under the name that the model of each exception has', () => {
    const reasons = [
      { reason: throttlingReasonName('KeyRangeThroughputExceeded', 'write', false), resource: arn },
    ];
    const hot = throttlingError(
      throttlingForm('KeyRangeThroughputExceeded', 'write', false, 'PAY_PER_REQUEST'),
      reasons,
    );
    expect(hot.fields).toEqual({
      throttlingReasons: [{ reason: 'TableWriteKeyRangeThroughputExceeded', resource: arn }],
    });
    const poor = throttlingError(
      throttlingForm('ProvisionedThroughputExceeded', 'read', true, 'PROVISIONED'),
      [
        {
          reason: throttlingReasonName('ProvisionedThroughputExceeded', 'read', true),
          resource: `${arn}/index/byDate`,
        },
      ],
    );
    expect(poor.fields).toEqual({
      ThrottlingReasons: [
        { reason: 'IndexReadProvisionedThroughputExceeded', resource: `${arn}/index/byDate` },
      ],
    });
  });

  it('has names for metrics', () => {
    expect(throttleMetric('KeyRangeThroughputExceeded', 'write')).toBe(
      'WriteKeyRangeThroughputThrottleEvents',
    );
    expect(throttleMetric('MaxOnDemandThroughputExceeded', 'read')).toBe(
      'ReadMaxOnDemandThroughputThrottleEvents',
    );
    expect(throttleMetric('AccountLimitExceeded', 'read')).toBe('ReadAccountLimitThrottleEvents');
  });
});
