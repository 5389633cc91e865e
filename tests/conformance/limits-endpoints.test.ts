import { DescribeEndpointsCommand, DescribeLimitsCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';

throughEveryDoor('DescribeLimits and DescribeEndpoints', (door) => {
  it('tell the quotas of the account', async () => {
    const { $metadata: _, ...limits } = await door.client.send(new DescribeLimitsCommand({}));
    if (door.onAws) {
      // Quotas can be raised, so that only their presence is certain.
      for (const limit of Object.values(limits)) expect(limit).toBeGreaterThan(0);
      expect(Object.keys(limits)).toHaveLength(4);
    } else {
      expect(limits).toEqual({
        AccountMaxReadCapacityUnits: 80_000,
        AccountMaxWriteCapacityUnits: 80_000,
        TableMaxReadCapacityUnits: 40_000,
        TableMaxWriteCapacityUnits: 40_000,
      });
    }
  });

  it('send a client that discovers endpoints back to where it is', async () => {
    const { Endpoints: endpoints } = await door.client.send(new DescribeEndpointsCommand({}));
    expect(endpoints).toEqual([{ Address: expect.any(String), CachePeriodInMinutes: 1440 }]);
    const own = await door.client.config.endpoint?.();
    if (own !== undefined) expect(endpoints?.[0]?.Address).toBe(`${own.hostname}:${own.port}`);
  });
});
