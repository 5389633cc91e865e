import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type QueryOutput, ServiceError, Stator } from '../../src/index.ts';

describe('query and scan as methods', () => {
  let db: Stator;
  beforeAll(async () => {
    db = await Stator.open();
    await db.createTable({
      TableName: 'Blobs',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'B' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
    for (let i = 0; i < 3; i++) {
      await db.putItem({ TableName: 'Blobs', Item: { pk: { S: 'a' }, sk: { B: Uint8Array.of(i) } } });
    }
  });
  afterAll(() => db.close());

  it('take and give bytes, also in start keys', async () => {
    const found: number[] = [];
    let page: QueryOutput | undefined;
    do {
      page = await db.query({
        TableName: 'Blobs',
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: 'a' } },
        ScanIndexForward: false,
        Limit: 1,
        ...(page?.LastEvaluatedKey && { ExclusiveStartKey: page.LastEvaluatedKey }),
      });
      for (const { sk } of page.Items ?? []) found.push(sk!.B![0]!);
    } while (page.LastEvaluatedKey !== undefined);
    expect(found).toEqual([2, 1, 0]);
  });

  it('scan and count', async () => {
    const { Count, Items } = await db.scan({ TableName: 'Blobs', Select: 'COUNT' });
    expect([Count, Items]).toEqual([3, undefined]);
    await expect(db.scan({ TableName: 'Nowhere' })).rejects.toBeInstanceOf(ServiceError);
  });
});
