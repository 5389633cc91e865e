import type { AttributeMap, Stator } from '../../index.ts';
import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { textOf, typed } from '../items.ts';
import { mustHold } from '../lesson.ts';
import { numberText } from '../unit-text.ts';

const file = 'load.mjs';
const count = 3_000;
const requestsMax = 300;
const minutesMax = 10;

export const sendAgain: Exercise = {
  id: 'send-again',
  files: [file],
  topics: ['capacity-and-cost', 'api'],
  async judge(bench) {
    const lab = await bench.lab({
      tables: [slowIndexTable()],
      physics: 'enforce',
      requestsMax: 4_000,
    });
    // The burst of five minutes is there.
    await lab.wait(300_000);
    const begunMs = lab.nowMs();
    await bench.step('All items arrive', async () => {
      const { loadAll } = await bench.functions(file, ['loadAll']);
      const items = Array.from({ length: count }, (_, i) =>
        typed({ PK: `ITEM#${i}`, SK: 'ITEM', ...(i % 2 === 0 && { GSI1PK: `G#${i}`, GSI1SK: 'ITEM' }) }),
      );
      await loadAll(lab.caller, items, lab.pause);
      const arrived = await itemsOf(lab.db);
      mustHold(arrived === count, () => ({
        saw: `${numberText(arrived)} of ${numberText(count)} items arrived, without any error. ${lab.ledger.count} batches were sent.`,
        rule: 'A batch that answers has not written everything: look at UnprocessedItems and send them again.',
        topic: 'api',
      }));
      return undefined;
    });
    await bench.step(`With patience: at most ${requestsMax} requests in ${minutesMax} minutes`, () => {
      const account = lab.ledger.take();
      const minutes = (lab.nowMs() - begunMs) / 60_000;
      mustHold(account.requests <= requestsMax, () => ({
        saw: `${account}, in ${numberText(minutes * 60)} seconds. ${numberText(count / 25)} batches would hold all items.`,
        rule:
          account.of('batchWriteItem').requests === 0
            ? 'BatchWriteItem writes up to 25 items in one request.'
            : 'Requests that come back at once find the same empty bucket, and add load when there is too much of it. Wait longer after each refusal.',
        topic: 'capacity-and-cost',
      }));
      mustHold(minutes <= minutesMax, () => ({
        saw: `It took ${numberText(minutes)} minutes.`,
        rule: 'Pauses have an upper limit: a bucket that fills at 4 units a second has room for a dozen items after 3 seconds.',
      }));
      return `${account.requests} requests in ${numberText(minutes * 60)} s`;
    });
  },
};

/** A table with room, and an index with little. */
function slowIndexTable() {
  const table = appTable({ indexes: ['GSI1'], provisioned: [100, 100] });
  const [index] = table.GlobalSecondaryIndexes!;
  const ProvisionedThroughput = { ReadCapacityUnits: 4, WriteCapacityUnits: 4 };
  return { ...table, GlobalSecondaryIndexes: [{ ...index!, ProvisionedThroughput }] };
}

async function itemsOf(db: Stator): Promise<number> {
  const found = new Set<string>();
  let from: AttributeMap | undefined;
  do {
    // What reads have saved up is enough for this.
    const answer = await db.scan({ TableName: 'app', ...(from && { ExclusiveStartKey: from }) });
    for (const item of answer.Items ?? []) found.add(textOf(item, 'PK')!);
    from = answer.LastEvaluatedKey;
  } while (from !== undefined);
  return found.size;
}
