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
      const script = fileURLToPath(new URL('../../examples/orders-lab/orders-lab.sh', import.meta.url));
      const printed = printedBySteps(await output('sh', [script, server.url, program]));
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
      expect(answer('seed-line-item')).toEqual({ ConsumedCapacity: units(1, {}) });

      const half = { TableName: 'app-main', CapacityUnits: 0.5 };
      const customer = { PK: { S: 'CUST#a1b2' } };
      expect(answer('customer')).toEqual({
        Item: { ...customer, SK: { S: 'PROFILE' }, name: { S: 'Acme Co' }, tier: { S: 'GOLD' } },
        ConsumedCapacity: half,
      });
      const ordered = {
        ...customer,
        SK: { S: 'ORDER#2026-06-01#o-9001' },
        // Numbers lose the zeros that mean nothing.
        total: { N: '149' },
        GSI1SK: { S: '2026-06-01#o-9001' },
      };
      const opened = {
        ...ordered,
        status: { S: 'OPEN' },
        GSI1PK: { S: 'CUST#a1b2#OPEN' },
        GSI2PK: { S: 'OPEN' },
        GSI2SK: { S: '2026-06-01#o-9001' },
      };
      expect(answer('open-order')).toEqual({
        Item: opened,
        ConsumedCapacity: { TableName: 'app-main', CapacityUnits: 1 },
      });
      expect(answer('shipped-order')).toEqual({ Item: { status: { S: 'SHIPPED' }, total: { N: '72.5' } } });

      const shipped = {
        ...customer,
        SK: { S: 'ORDER#2026-06-03#o-9044' },
        status: { S: 'SHIPPED' },
        total: { N: '72.5' },
        GSI1PK: { S: 'CUST#a1b2#SHIPPED' },
        GSI1SK: { S: '2026-06-03#o-9044' },
      };
      expect(answer('orders')).toEqual({
        Items: [shipped, opened],
        Count: 2,
        ScannedCount: 2,
        ConsumedCapacity: half,
      });
      // The customer and the open order were read as well.
      expect(answer('orders-by-filter')).toMatchObject({ Items: [shipped], Count: 1, ScannedCount: 3 });
      const lineItem = {
        PK: { S: 'ORDER#o-9001' },
        SK: { S: 'ITEM#001' },
        sku: { S: 'ABC' },
        qty: { N: '2' },
      };
      expect(answer('order-items')).toEqual({
        Items: [lineItem],
        Count: 1,
        ScannedCount: 1,
        ConsumedCapacity: half,
      });
      expect(answer('open-orders')).toMatchObject({ Count: 1, ScannedCount: 1 });
      expect(answer('shipped-of-customer')).toMatchObject({ Items: [shipped], Count: 1 });

      expect(answer('ship')).toEqual({
        Attributes: { ...ordered, status: { S: 'SHIPPED' }, GSI1PK: { S: 'CUST#a1b2#SHIPPED' } },
        // In GSI1 the order is taken from one place and put into another, from GSI2 it is only taken.
        ConsumedCapacity: units(1, { GSI1: 2, GSI2: 1 }),
      });
      expect(answer('no-open-orders')).toMatchObject({ Count: 0, ScannedCount: 0 });
      expect(answer('shipped-of-customer-now')).toMatchObject({
        Items: [{ GSI1SK: { S: '2026-06-01#o-9001' } }, { GSI1SK: { S: '2026-06-03#o-9044' } }],
        Count: 2,
      });

      const failed = (operation: string) =>
        `An error occurred (ConditionalCheckFailedException) when calling the ${operation} operation: The conditional request failed`;
      expect(printed.get('ship-again')).toContain(failed('UpdateItem'));

      // Two items and their places in two indexes; in a transaction the table's part costs twice as much.
      expect(answer('place')).toEqual({
        ConsumedCapacity: [
          {
            TableName: 'app-main',
            CapacityUnits: 6,
            WriteCapacityUnits: 6,
            Table: { CapacityUnits: 4, WriteCapacityUnits: 4 },
            GlobalSecondaryIndexes: {
              GSI1: { CapacityUnits: 1, WriteCapacityUnits: 1 },
              GSI2: { CapacityUnits: 1, WriteCapacityUnits: 1 },
            },
          },
        ],
      });
      const placedItem = {
        PK: { S: 'ORDER#o-9100' },
        SK: { S: 'ITEM#001' },
        sku: { S: 'ABC' },
        qty: { N: '1' },
      };
      expect(answer('placed')).toMatchObject({ Items: [placedItem], Count: 1 });
      expect(printed.get('place-again')).toContain(
        'An error occurred (TransactionCanceledException) when calling the TransactWriteItems operation: ' +
          'Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, ConditionalCheckFailed]',
      );
      expect(answer('open-orders-again')).toMatchObject({ Count: 1, ScannedCount: 1 });

      const sortKeys = (step: string) =>
        (answer(step) as { Items: { SK: { S: string } }[] }).Items.map(({ SK }) => SK.S);
      const [payment, placed, paid] = [
        'PAYMENT#2026-06-01T10:05:00Z',
        'EVENT#2026-06-01T10:00:00Z',
        'EVENT#2026-06-01T10:05:00Z',
      ];
      expect(sortKeys('order-with-everything')).toEqual([
        placed,
        paid,
        'ITEM#001',
        'ITEM#002',
        'META',
        payment,
      ]);
      expect(answer('order-with-everything')).toMatchObject({ ConsumedCapacity: half });
      expect(sortKeys('payments')).toEqual([payment]);
      expect(sortKeys('audit')).toEqual([placed, paid]);
      expect(sortKeys('addresses')).toEqual(['ADDR#billing']);
      expect(sortKeys('groups-of-user')).toEqual(['GROUP#g1']);
      expect(sortKeys('category')).toEqual([
        'CATEGORY#Electronics#Audio',
        'CATEGORY#Electronics#Audio#Headphones',
      ]);
      const partitionKeys = (step: string) =>
        (answer(step) as { Items: { PK: { S: string } }[] }).Items.map(({ PK }) => PK.S);
      expect(partitionKeys('users-of-group')).toEqual(['USER#u1', 'USER#u2']);
      expect(partitionKeys('sessions-of-user')).toEqual(['SESSION#s1']);
      // The other article has enough, and is not in the index.
      expect(partitionKeys('low-stock')).toEqual(['SKU#ABC']);
      expect(answer('idempotency-token')).toMatchObject({ Item: { result: { S: 'o-9001' } } });

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
