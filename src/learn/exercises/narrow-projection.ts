import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { asLesson } from '../explain-error.ts';
import { typed } from '../items.ts';
import type { Lab } from '../lab.ts';
import { mustHold } from '../lesson.ts';
import { unitsText } from '../unit-text.ts';

const file = 'index.json';
const products = 60;
const shown = ['title', 'price', 'thumbnail'];

export const narrowProjection: Exercise = {
  id: 'narrow-projection',
  files: [file],
  topics: ['indexes', 'capacity-and-cost'],
  async judge(bench) {
    let lab: Lab | undefined;
    await bench.step('The index can be made', async () => {
      const Projection = await bench.fields(file);
      const table = appTable({ indexes: ['GSI1'] });
      const indexes = table.GlobalSecondaryIndexes!.map((index) => ({
        ...index,
        Projection,
      }));
      lab = await bench
        .lab({ tables: [{ ...table, GlobalSecondaryIndexes: indexes }] })
        .catch((error: unknown) => {
          throw asLesson(error, file, 'CreateTable refuses this projection');
        });
      for (let i = 0; i < products; i++)
        await lab.db.putItem({
          TableName: 'app',
          Item: typed({
            ...{ PK: `PRODUCT#${i}`, SK: 'PRODUCT', title: `Product number ${i}`, price: i, views: 0 },
            ...{ thumbnail: `/t/${i}.webp`, description: 'x'.repeat(3_900) },
            ...{ GSI1PK: `CATEGORY#${i % 3}`, GSI1SK: `${String(i).padStart(8, '0')}#${i}` },
          }),
        });
      return undefined;
    });
    const { caller, ledger } = lab!;
    await bench.step('The list shows title, price and thumbnail', async () => {
      for (let list = 0; list < 20; list++) {
        const { Items = [] } = (await caller.query({
          TableName: 'app',
          IndexName: 'GSI1',
          KeyConditionExpression: 'GSI1PK = :category',
          ExpressionAttributeValues: { ':category': { S: `CATEGORY#${list % 3}` } },
          Limit: 20,
        })) as { Items?: Record<string, unknown>[] };
        const lacking = shown.filter((name) => Items[0]?.[name] === undefined);
        mustHold(lacking.length === 0, () => ({
          saw: `The entries of the index have no ${lacking.join(' and no ')}. Each list of 20 would need 20 GetItem more: 20 × 0.5 read units and another round trip.`,
          rule: 'A global index answers with what it projects, and cannot fetch the rest. What the list shows belongs into the projection.',
          topic: 'indexes',
        }));
      }
      const account = ledger.take();
      mustHold(account.readUnits <= 30, () => ({
        saw: `${account}. The budget is 30.`,
        rule: 'A Query pays for the bytes of the entries that it reads. An entry that carries a description of 4 KB costs as much as the item.',
        topic: 'indexes',
      }));
      return String(account);
    });
    await bench.step('200 views and 10 prices cost the index at most 20 write units', async () => {
      const update = (id: number, UpdateExpression: string, name: string) =>
        caller.updateItem({
          TableName: 'app',
          Key: typed({ PK: `PRODUCT#${id}`, SK: 'PRODUCT' }),
          UpdateExpression,
          ExpressionAttributeNames: { '#name': name },
          ExpressionAttributeValues: { ':one': { N: '1' } },
        });
      for (let i = 0; i < 200; i++) await update(i % products, 'ADD #name :one', 'views');
      const views = ledger.take();
      for (let i = 0; i < 10; i++) await update(i, 'ADD #name :one', 'price');
      const prices = ledger.take();
      const units = views.indexUnits + prices.indexUnits;
      mustHold(units <= 20, () => ({
        saw: `The 200 views cost the index ${unitsText(views.indexUnits, 'write')}, the 10 prices ${unitsText(prices.indexUnits, 'write')}.`,
        rule: 'A write costs the index if an attribute that it projects changes, by the size of the entry. Leave out what changes often and what the list does not show.',
        topic: 'indexes',
      }));
      return `views ${unitsText(views.indexUnits, 'write')}, prices ${unitsText(prices.indexUnits, 'write')}`;
    });
  },
};
