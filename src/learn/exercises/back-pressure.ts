import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { typed } from '../items.ts';
import { throttleNames } from '../ledger.ts';
import { mustHold } from '../lesson.ts';
import { numberText } from '../unit-text.ts';

const file = 'capacity.json';
const unitsMax = 100;
const seconds = 400;
const each = 20;
const parcels = 200;
const states = ['PACKED', 'MOVING', 'ARRIVED'];

export const backPressure: Exercise = {
  id: 'back-pressure',
  files: [file],
  topics: ['capacity-and-cost', 'indexes'],
  async judge(bench) {
    let tableUnits = 0;
    let indexUnits = 0;
    await bench.step('Two numbers within the budget', async () => {
      const { tableWriteUnits, indexWriteUnits } = await bench.fields(file);
      for (const [name, value] of Object.entries({ tableWriteUnits, indexWriteUnits }))
        mustHold(typeof value === 'number' && Number.isInteger(value) && value > 0, () => ({
          saw: `${name} is ${JSON.stringify(value)}.`,
          rule: 'It is a whole number of write units, at least 1.',
        }));
      tableUnits = tableWriteUnits as number;
      indexUnits = indexWriteUnits as number;
      mustHold(tableUnits + indexUnits <= unitsMax, () => ({
        saw: `Together these are ${numberText(tableUnits + indexUnits)} units, and ${unitsMax} are to be enough.`,
        rule: 'Provisioned units are paid for whether they are used or not: compute what the load needs.',
        topic: 'capacity-and-cost',
      }));
      return undefined;
    });
    await bench.step(`${each} changes a second for ${seconds} seconds, none throttled`, async () => {
      const table = appTable({ indexes: ['GSI1'], provisioned: [100, tableUnits] });
      const lab = await bench.lab({
        physics: 'enforce',
        tables: [
          {
            ...table,
            GlobalSecondaryIndexes: table.GlobalSecondaryIndexes!.map((index) => ({
              ...index,
              Projection: { ProjectionType: 'KEYS_ONLY' },
              ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: indexUnits },
            })),
          },
        ],
      });
      for (let i = 0; i < parcels; i++) {
        const item = { PK: `PARCEL#${i}`, SK: 'PARCEL', note: 'x'.repeat(1_400) };
        await lab.db.putItem({
          TableName: 'app',
          Item: typed({ ...item, GSI1PK: 'NEW', GSI1SK: String(i) }),
        });
        if (i % 2 === 1) await lab.wait(1_000);
      }
      await lab.wait(300_000);
      // What a second takes, for what comes after the saved capacity.
      const taken = { table: 0, index: 0 };
      for (let second = 0; second < seconds; second++) {
        for (let i = 0; i < each; i++) {
          const number = second * each + i;
          const state = states[Math.floor(number / parcels) % states.length]!;
          try {
            const { ConsumedCapacity: used } = await lab.db.updateItem({
              TableName: 'app',
              Key: typed({ PK: `PARCEL#${number % parcels}`, SK: 'PARCEL' }),
              UpdateExpression: 'SET GSI1PK = :state',
              ExpressionAttributeValues: { ':state': { S: state } },
              ReturnConsumedCapacity: 'INDEXES',
            });
            if (second > 0) continue;
            taken.table += used?.Table?.CapacityUnits ?? 0;
            taken.index += used?.GlobalSecondaryIndexes?.GSI1?.CapacityUnits ?? 0;
          } catch (error) {
            if (!(error instanceof Error) || !throttleNames.includes(error.name)) throw error;
            const isIndex = JSON.stringify(error).includes('index/GSI1');
            mustHold(false, () => ({
              saw: `After ${second} seconds a write to the table was throttled, because ${isIndex ? `the index has nothing left of its ${indexUnits} units a second` : `the table has nothing left of its ${tableUnits} units a second`}.`,
              rule: isIndex
                ? 'A write waits for every index that it changes. An entry that moves to another key is written twice: deleted here, put there.'
                : 'An item of 1.5 KB costs 2 write units, whatever part of it changes.',
              topic: 'capacity-and-cost',
            }));
          }
        }
        lab.clock.advanceMs(1_000);
      }
      for (const [what, takes, gets] of [
        ['table', taken.table, tableUnits],
        ['index', taken.index, indexUnits],
      ] as const)
        mustHold(takes <= gets, () => ({
          saw: `Nothing was throttled in these ${seconds} seconds, but only because five minutes of unused capacity had been saved. Each second takes ${takes} units of the ${what} and gives it ${gets}: after ${numberText((300 * gets) / (takes - gets) / 60)} minutes nothing is left.`,
          rule: 'Saved capacity is for peaks. What a load takes all the time must be provisioned.',
          topic: 'capacity-and-cost',
        }));
      return `${numberText(seconds * each)} changes with ${tableUnits} + ${indexUnits} units`;
    });
  },
};
