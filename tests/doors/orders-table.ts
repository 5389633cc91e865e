import type { CreateTableInput } from '../../src/index.ts';

/** A table that the tests of all doors use. */
export const ordersTable = {
  TableName: 'orders',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'customer', AttributeType: 'S' },
    { AttributeName: 'order', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'customer', KeyType: 'HASH' },
    { AttributeName: 'order', KeyType: 'RANGE' },
  ],
} as const satisfies CreateTableInput;

export function orderKey(customer: string, order: number) {
  return { customer: { S: customer }, order: { N: String(order) } };
}
