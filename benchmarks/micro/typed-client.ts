/** What the typed client adds to a call of the plain SDK client, in processor time, in alternating rounds in process. */
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import saas from '../../examples/models/saas/model.ts';
import { client } from '../../src/client/index.ts';
import { createTableRequests } from '../../src/design/create-table.ts';
import { compile, derive } from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';

const db = Stator.inMemory({ physics: 'off', seed: 1 });
const design = derive(saas);
for (const request of createTableRequests(saas, design)) await db.createTable(request as never);
const sdk = db.client();
const app = client(saas, { client: db.client(), design });
const values = {
  tenantId: 't1',
  name: 'A tenant',
  plan: 'TEAM',
  createdAt: '2026-06-01T00:00:00.000Z',
} as const;
await app.entities.Tenant.put(values);
const { table, item } = compile(saas, design).item('Tenant', values);
const { partitionKey, sortKey } = design.tables.find(({ name }) => name === table)!;
const Key = { [partitionKey]: item[partitionKey]!, [sortKey]: item[sortKey]! } as never;

const kinds = {
  get: [
    () => sdk.send(new GetItemCommand({ TableName: table, Key })),
    () => app.patterns.P1({ tenantId: 't1' }),
  ],
  put: [
    () => sdk.send(new PutItemCommand({ TableName: table, Item: item as never })),
    () => app.entities.Tenant.put(values),
  ],
} as const;

for (const [name, [plain, typed]] of Object.entries(kinds)) {
  const ratios: number[] = [];
  for (let round = 0; round < 25; round++) {
    const [a, b] = [await cost(plain), await cost(typed)];
    if (round >= 4) ratios.push(b / a);
  }
  ratios.sort((a, b) => a - b);
  const shown = [ratios[10]!, ratios[5]!, ratios[15]!].map((one) => `${((one - 1) * 100).toFixed(1)} %`);
  console.log(`${name}: the typed client adds ${shown[0]} (middle half ${shown[1]} to ${shown[2]})`);
}
await db.close();

async function cost(call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < 400; n++) await call();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
