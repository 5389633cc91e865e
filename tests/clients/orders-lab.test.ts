import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stator, type StatorServer } from '../../src/index.ts';
import { installed, output } from './installed-programs.ts';

const programs = await installed('aws', ['--version']);
if (programs.length === 0)
  console.info('The AWS CLI is not installed and the order lab does not run: apt-get install awscli');

describe('the order-management lab', () => {
  let db: Stator;
  let server: StatorServer;
  beforeEach(async () => {
    db = await Stator.open();
    server = await db.listen({ port: 0 });
  });
  afterEach(() => db.close());

  it.runIf(programs.length > 0).each(programs.length > 0 ? programs : ['awscli'])(
    'runs with %s',
    async (program) => {
      const script = fileURLToPath(new URL('./orders-lab.sh', import.meta.url));
      const printed = printedBySteps(await output('sh', [script, program, server.url]));
      const answer = (step: string): unknown => JSON.parse(printed.get(step)!);

      expect(answer('create')).toMatchObject({ TableDescription: { TableStatus: 'CREATING' } });
      expect(answer('created')).toMatchObject({
        Table: {
          TableStatus: 'ACTIVE',
          BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
          GlobalSecondaryIndexes: expect.arrayContaining([
            expect.objectContaining({
              IndexName: 'GSI1',
              IndexStatus: 'ACTIVE',
              Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['status', 'total'] },
            }),
            expect.objectContaining({
              IndexName: 'GSI2',
              IndexStatus: 'ACTIVE',
              Projection: { ProjectionType: 'KEYS_ONLY' },
            }),
          ]),
        },
      });

      // A write pays for the table and for each index that holds the item, and for no other.
      const units = (table: number, indexes: Record<string, number>) => ({
        TableName: 'app-main',
        CapacityUnits: Object.values(indexes).reduce((sum, index) => sum + index, table),
        Table: { CapacityUnits: table },
        ...(Object.keys(indexes).length > 0 && {
          GlobalSecondaryIndexes: Object.fromEntries(
            Object.entries(indexes).map(([name, index]) => [name, { CapacityUnits: index }]),
          ),
        }),
      });
      expect(answer('seed-customer')).toEqual({ ConsumedCapacity: units(1, {}) });
      expect(answer('seed-open-order')).toEqual({ ConsumedCapacity: units(1, { GSI1: 1, GSI2: 1 }) });
      expect(answer('seed-shipped-order')).toEqual({ ConsumedCapacity: units(1, { GSI1: 1 }) });

      const customer = { PK: { S: 'CUST#a1b2' } };
      expect(answer('customer')).toEqual({
        Item: { ...customer, SK: { S: 'PROFILE' }, name: { S: 'Acme Co' }, tier: { S: 'GOLD' } },
      });
      const ordered = {
        ...customer,
        SK: { S: 'ORDER#2026-06-01#o-9001' },
        // Numbers lose the zeros that mean nothing.
        total: { N: '149' },
        GSI1PK: { S: 'CUST#a1b2#OPEN' },
        GSI1SK: { S: '2026-06-01#o-9001' },
      };
      expect(answer('open-order')).toEqual({
        Item: {
          ...ordered,
          status: { S: 'OPEN' },
          GSI2PK: { S: 'OPEN' },
          GSI2SK: { S: '2026-06-01#o-9001' },
        },
        ConsumedCapacity: { TableName: 'app-main', CapacityUnits: 1 },
      });
      expect(answer('shipped-order')).toEqual({ Item: { status: { S: 'SHIPPED' }, total: { N: '72.5' } } });
      expect(answer('line-item')).toEqual({
        Item: {
          PK: { S: 'ORDER#o-9001' },
          SK: { S: 'ITEM#001' },
          sku: { S: 'ABC' },
          qty: { N: '2' },
        },
      });

      const shipped = {
        ...customer,
        SK: { S: 'ORDER#2026-06-03#o-9044' },
        status: { S: 'SHIPPED' },
        total: { N: '72.5' },
        GSI1PK: { S: 'CUST#a1b2#SHIPPED' },
        GSI1SK: { S: '2026-06-03#o-9044' },
      };
      const opened = {
        ...ordered,
        status: { S: 'OPEN' },
        GSI2PK: { S: 'OPEN' },
        GSI2SK: { S: '2026-06-01#o-9001' },
      };
      expect(answer('orders')).toEqual({
        Items: [shipped, opened],
        Count: 2,
        ScannedCount: 2,
        ConsumedCapacity: { TableName: 'app-main', CapacityUnits: 0.5 },
      });
      expect(answer('order-items')).toMatchObject({
        Items: [{ PK: { S: 'ORDER#o-9001' }, SK: { S: 'ITEM#001' } }],
        Count: 1,
      });
      expect(answer('open-orders')).toMatchObject({ Count: 1, ScannedCount: 1 });
      expect(answer('shipped-of-customer')).toMatchObject({ Items: [shipped], Count: 1 });

      expect(answer('ship')).toEqual({
        Attributes: { ...ordered, status: { S: 'SHIPPED' } },
        ConsumedCapacity: units(1, { GSI1: 1, GSI2: 1 }),
      });
      expect(answer('no-open-orders')).toMatchObject({ Count: 0, ScannedCount: 0 });

      const failed = (operation: string) =>
        `An error occurred (ConditionalCheckFailedException) when calling the ${operation} operation: The conditional request failed`;
      expect(printed.get('ship-again')).toContain(failed('UpdateItem'));
      expect(printed.get('place-again')).toContain(failed('PutItem'));
      expect(answer('pay')).toEqual({ Attributes: { status: { S: 'PAID' }, version: { N: '8' } } });
      expect(printed.get('pay-again')).toContain(failed('UpdateItem'));

      expect(answer('delete')).toMatchObject({ TableDescription: { TableStatus: 'DELETING' } });
      expect(printed.get('deleted')).toContain('ResourceNotFoundException');
    },
  );
});

/** What stands under each heading of the script's output. */
function printedBySteps(text: string): Map<string, string> {
  const parts = text.split(/^== (.+)\n/m).slice(1);
  return new Map(parts.flatMap((part, i) => (i % 2 === 0 ? [[part, parts[i + 1]!]] : [])));
}
