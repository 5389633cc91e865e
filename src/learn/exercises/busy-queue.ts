import type { AttributeMap } from '../../index.ts';
import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { textOf, typed } from '../items.ts';
import { startMs } from '../lab.ts';
import { throttleNames } from '../ledger.ts';
import { mustHold } from '../lesson.ts';
import { numberText } from '../unit-text.ts';
import { kindOf } from '../value-kind.ts';

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
    let isInOrder = true;
    let before = '';
    const jobs: { readonly jobId: string; readonly createdAt: string }[] = [];
    await bench.step('2,000 new jobs a second without a throttle', async () => {
      const { indexKeys } = await bench.functions(file, ['indexKeys']);
      let throttled = 0;
      for (let step = 0; step < steps; step++) {
        for (let i = 0; i < each; i++) {
          const number = step * each + i;
          // Ids say nothing about the order.
          const jobId = `j${((number * 7_919) % 100_003).toString(36)}`;
          const createdAt = new Date(startMs + Math.floor(number / 2)).toISOString();
          const keys: unknown = indexKeys({ jobId, createdAt });
          mustHold(isIndexKey(keys), () => ({
            saw: `indexKeys returned ${JSON.stringify(keys)}.`,
            rule: 'It returns { GSI1PK, GSI1SK } with texts.',
          }));
          isInOrder &&= keys.GSI1SK.slice(0, 20) >= before.slice(0, 20);
          before = keys.GSI1SK;
          const item = typed({ PK: `JOB#${jobId}`, SK: 'JOB', jobId, createdAt, ...keys });
          await lab.db.putItem({ TableName: 'app', Item: item }).then(
            () => jobs.push({ jobId, createdAt }),
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
      const missing = wanted.filter(({ jobId }) => !ids.includes(jobId));
      const newest = jobs.slice(-asked).map(({ jobId }) => jobId);
      mustHold(missing.length === 0, () => ({
        saw: `${asked - missing.length} of the ${asked} oldest jobs came back. ${account}.`,
        rule: ids.every((id) => newest.includes(id!))
          ? 'These are the newest. An index is in the order of its sort key, the oldest first.'
          : isInOrder
            ? 'The oldest jobs lie in all shards. Ask each for its oldest, and merge.'
            : 'Each shard is in the order of GSI1SK. It must begin with createdAt, or Limit gives you any jobs.',
        topic: 'partitions',
      }));
      mustHold(ids.length === asked, () => ({
        saw: `${ids.length} jobs came back, and ${asked} were asked for.`,
        rule: 'Cut the merged list: what all shards gave together is more than was asked for.',
      }));
      const times = (found as AttributeMap[]).map((item) => textOf(item, 'createdAt'));
      mustHold(times.join() === wanted.map(({ createdAt }) => createdAt).join(), () => ({
        saw: `The right jobs came back, but not oldest first: ${ids.slice(0, 4).join(', ')} instead of ${wanted
          .slice(0, 4)
          .map(({ jobId }) => jobId)
          .join(', ')}.`,
        rule: 'Each shard is in order by itself. Merge them by the sort key before you cut.',
      }));
      mustHold(account.readUnits <= 10, () => ({
        saw: `${account}. The budget is 10 read units.`,
        rule:
          account.of('query').requests > asked
            ? 'Every shard is one more Query for every reader. Take as many as the writes need, and no more.'
            : 'No shard needs to give more than what is asked for: Limit.',
        topic: 'capacity-and-cost',
      }));
      const few: unknown = await oldestOpen(lab.caller, 4);
      mustHold(Array.isArray(few) && few.length === 4, () => ({
        saw: `Asked for 4 jobs, oldestOpen returned ${Array.isArray(few) ? few.length : kindOf(few)}.`,
        rule: 'count is how many the caller wants.',
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
