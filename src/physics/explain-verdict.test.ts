import { describe, expect, it } from 'vitest';
import { explainVerdict, throttlingErrorOf } from './explain-verdict.ts';
import { type ThrottlingCause, throttlingForm, throttlingReasonName } from './throttling.ts';
import type { Verdict } from './verdict.ts';

function verdict(cause: ThrottlingCause, changes: Partial<Verdict> = {}): Verdict {
  const kind = changes.kind ?? 'write';
  const billingMode = changes.billingMode ?? 'PAY_PER_REQUEST';
  const isIndex = changes.indexName !== undefined;
  return {
    tableName: 'Shipments',
    indexName: undefined,
    arn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/Shipments',
    kind,
    billingMode,
    cause,
    reason: throttlingReasonName(cause, kind, isIndex),
    ...throttlingForm(cause, kind, isIndex, billingMode),
    enforced: true,
    partitionId: 3,
    partitions: 8,
    place: 1,
    key: 'SHIPMENT#881',
    keyAsked: 1_900,
    asked: 2_050,
    allowed: 1_000,
    granted: 3_200,
    capacity: 8_000,
    waitMs: 12,
    firstMs: 0,
    lastMs: 30_000,
    count: 27_000,
    ...changes,
  };
}

describe('an explanation', () => {
  it('of a hot key', () => {
    expect(explainVerdict(verdict('KeyRangeThroughputExceeded'))).toBe(
      'SHIPMENT#881 took 1,900 write units a second; a partition gives 1,000; no table setting helps a single key; shard it ' +
        'into 2 or more. The table Shipments as a whole used 40 % of the 8,000 it could give. 27,000 requests were refused ' +
        'within 30 seconds with ThrottlingException (TableWriteKeyRangeThroughputExceeded). The balance is positive again ' +
        '12 ms after the last of them.',
    );
  });

  it('of a hot key that is read', () => {
    const text = explainVerdict(
      verdict('KeyRangeThroughputExceeded', {
        kind: 'read',
        keyAsked: 10_000,
        allowed: 3_000,
        key: undefined,
      }),
    );
    expect(text).toContain('One partition key took 10,000 read units a second; a partition gives 3,000;');
    expect(text).toContain('cache it, or copy it under 4 or more keys.');
  });

  it('of a partition that several keys heat', () => {
    const text = explainVerdict(verdict('KeyRangeThroughputExceeded', { keyAsked: 400, asked: 1_300 }));
    expect(text).toContain('Partition 3 of 8 took 1,300 write units a second; a partition gives 1,000.');
    expect(text).toContain('of which SHIPMENT#881 with 400 a second is the largest');
    expect(text).not.toContain('no table setting helps');
  });

  it('of too little provisioned throughput', () => {
    const text = explainVerdict(
      verdict('ProvisionedThroughputExceeded', { billingMode: 'PROVISIONED', asked: 120, allowed: 50 }),
    );
    expect(text).toContain(
      'The table Shipments was asked for 120 write units a second; 50 are provisioned and the burst of 300 seconds is spent.',
    );
  });

  it('of an index that holds up its table', () => {
    const text = explainVerdict(
      verdict('ProvisionedThroughputExceeded', {
        billingMode: 'PROVISIONED',
        indexName: 'byStatus',
        asked: 200,
        allowed: 10,
      }),
    );
    expect(text).toContain(
      'The index byStatus of Shipments was asked for 200 write units a second; it has 10 provisioned',
    );
    expect(text).toContain('Writes to the table wait for their indexes');
  });

  it('of a maximum and of a quota', () => {
    expect(explainVerdict(verdict('MaxOnDemandThroughputExceeded', { allowed: 100 }))).toContain(
      'whose configured maximum is 100. Raise MaxWriteRequestUnits',
    );
    expect(explainVerdict(verdict('AccountLimitExceeded', { allowed: 40_000 }))).toContain(
      "the account's quota is 40,000",
    );
  });

  it('in shadow says what AWS would have done', () => {
    expect(explainVerdict(verdict('KeyRangeThroughputExceeded', { enforced: false, count: 1 }))).toContain(
      'On AWS 1 request would have been refused with ThrottlingException',
    );
  });
});

describe('the error of a verdict', () => {
  it('lists the reasons of all touches', () => {
    const table = verdict('ProvisionedThroughputExceeded', { billingMode: 'PROVISIONED' });
    const index = verdict('ProvisionedThroughputExceeded', {
      billingMode: 'PROVISIONED',
      indexName: 'byStatus',
      arn: `${table.arn}/index/byStatus`,
    });
    expect(throttlingErrorOf(table, [index])).toMatchObject({
      name: 'ProvisionedThroughputExceededException',
      fields: {
        ThrottlingReasons: [
          { reason: 'TableWriteProvisionedThroughputExceeded', resource: table.arn },
          { reason: 'IndexWriteProvisionedThroughputExceeded', resource: `${table.arn}/index/byStatus` },
        ],
      },
    });
  });
});
