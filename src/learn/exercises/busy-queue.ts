import type { AttributeMap } from '../../index.ts';
import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { textOf, typed } from '../items.ts';
import { startMs } from '../lab.ts';
import { throttleNames } from '../ledger.ts';
import { mustHold } from '../lesson.ts';
import { numberText } from '../unit-text.ts';

const file = 'queue.mjs';
const steps = 150;
const each = 20;
const asked = 20;

export const busyQueue: Exercise = {
  id: 'busy-queue',
  files: [file],
  topics: ['indexes', 'partitions'],
  async judge(bench) {
    const lab = await bench.lab({
      tables: [appTable({ indexes: ['GSI1'], warm: [12_000, 8_000] })],
      physics: 'enforce',
    });
    const jobs: string[] = [];
    await bench.step('2,000 new jobs a second without a throttle', async () => {
      const { indexKeys } = await bench.functions(file, ['indexKeys']);
      let throttled = 0;
      for (let step = 0; step < steps; step++) {
        for (let i = 0; i < each; i++) {
          const number = step * each + i;
          // Ids say nothing about the order.
          const jobId = `j${((number * 7_919) % 100_003).toString(36)}`;
          const createdAt = new Date(startMs + number).toISOString();
          const keys: unknown = indexKeys({ jobId, createdAt });
          mustHold(isIndexKey(keys), () => ({
            saw: `indexKeys returned ${JSON.stringify(keys)}.`,
            rule: 'It returns { GSI1PK, GSI1SK } with texts.',
          }));
          const item = typed({ PK: `JOB#${jobId}`, SK: 'JOB', jobId, createdAt, ...keys });
          await lab.db.putItem({ TableName: 'app', Item: item }).then(
            () => jobs.push(jobId),
            (error: Error) => {
              if (!throttleNames.includes(error.name)) throw error;
              throttled++;
            },
          );
        }
        lab.clock.advanceMs(10);
      }
      const { verdicts } = await lab.db.physics('app');
      mustHold(throttled === 0, () => ({
        saw: `${numberText(throttled)} of ${numberText(steps * each)} writes to the table were throttled. ${verdicts[0]?.explanation.split('. ').slice(0, 2).join('. ') ?? ''}.`,
        rule: 'A write waits for every index that holds its item, and an index has hot keys of its own: one value for all open jobs is one partition of the index.',
        topic: 'indexes',
      }));
      return `${numberText(jobs.length)} written, 0 throttled`;
    });
    await lab.wait(60_000);
    await bench.step('The oldest open jobs come first, whatever shard they are in', async () => {
      const { oldestOpen } = await bench.functions(file, ['oldestOpen']);
      const found: unknown = await oldestOpen(lab.caller, asked);
      const account = lab.ledger.take();
      mustHold(Array.isArray(found), () => ({
        saw: `oldestOpen returned ${JSON.stringify(found)}.`,
        rule: 'It returns a list of items.',
      }));
      const ids = (found as AttributeMap[]).map((item) => textOf(item, 'jobId'));
      const wanted = jobs.slice(0, asked);
      const missing = wanted.filter((id) => !ids.includes(id));
      mustHold(missing.length === 0, () => ({
        saw: `${asked - missing.length} of the ${asked} oldest jobs came back. ${account}.`,
        rule: 'The oldest jobs lie in all shards. Ask each for its oldest, and merge.',
        topic: 'partitions',
      }));
      mustHold(ids.join() === wanted.join(), () => ({
        saw: `The right jobs came back, but not oldest first: ${ids.slice(0, 4).join(', ')} instead of ${wanted.slice(0, 4).join(', ')}.`,
        rule: 'Each shard is in order by itself. Merge them by the sort key before you cut.',
      }));
      mustHold(account.readUnits <= 10, () => ({
        saw: `${account}. The budget is 10 read units.`,
        rule: 'No shard needs to give more than what is asked for: Limit.',
        topic: 'capacity-and-cost',
      }));
      return String(account);
    });
  },
};

function isIndexKey(keys: unknown): keys is { GSI1PK: string; GSI1SK: string } {
  return (
    typeof keys === 'object' &&
    keys !== null &&
    'GSI1PK' in keys &&
    'GSI1SK' in keys &&
    typeof keys.GSI1PK === 'string' &&
    typeof keys.GSI1SK === 'string'
  );
}
