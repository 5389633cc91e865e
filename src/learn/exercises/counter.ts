import { Seeded } from '../../workload/seeded.ts';
import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { throttleNames } from '../ledger.ts';
import { Lesson, mustHold } from '../lesson.ts';
import { numberText } from '../unit-text.ts';

const file = 'counter.mjs';
const steps = 150;
const each = 20;

export const counter: Exercise = {
  id: 'counter',
  files: [file],
  topics: ['partitions', 'consistency'],
  async judge(bench) {
    const random = new Seeded(5, 'views');
    const lab = await bench.lab({ tables: [appTable({ warm: [12_000, 8_000] })], physics: 'enforce' });
    await bench.step('A few views, one after the other', async () => {
      const { add, total } = await bench.functions(file, ['add', 'total']);
      for (let i = 0; i < 7; i++) await add(lab.caller, 'about', () => random.next());
      const counted: unknown = await total(lab.caller, 'about');
      mustHold(counted === 7, () => ({
        saw: `After 7 views the total is ${JSON.stringify(counted)}.`,
        rule:
          typeof counted === 'number' && counted > 7
            ? 'Each view adds one, the first one too: ADD makes the item and begins at 0.'
            : 'total returns a number: the sum over all items that add may choose.',
      }));
      return undefined;
    });
    const { add, total } = await bench.functions(file, ['add', 'total']);
    await bench.step('2,000 views a second without a throttle', async () => {
      lab.ledger.take();
      for (let step = 0; step < steps; step++) {
        await Promise.all(
          Array.from({ length: each }, () => add(lab.caller, 'home', () => random.next())),
        ).catch((error: unknown) => {
          if (error instanceof Lesson && !throttleNames.some((name) => error.saw.includes(name))) throw error;
        });
        lab.clock.advanceMs(10);
      }
      const account = lab.ledger.take();
      const { verdicts } = await lab.db.physics('app');
      mustHold(account.throttled === 0, () => ({
        saw: `${numberText(account.throttled)} of ${numberText(account.requests)} requests were throttled. ${verdicts[0]?.explanation.split('. ')[0] ?? ''}.`,
        rule: 'ADD is right, but one item is one key, and a key gives 1,000 write units a second. Spread the counts over several items.',
        topic: 'partitions',
      }));
      return `${account}`;
    });
    await bench.step('No view is lost', async () => {
      const counted: unknown = await total(lab.caller, 'home');
      const account = lab.ledger.take();
      const wanted = steps * each;
      mustHold(counted === wanted, () => ({
        saw: `${numberText(wanted)} views were counted, and the total is ${JSON.stringify(counted)}.`,
        rule:
          typeof counted === 'number' && counted < wanted
            ? 'Two that read the same number and both write back one more count once. Let the database add: ADD. And total must ask every item that add may choose.'
            : counted === wanted + 7
              ? 'The other page has 7 views. Each page is counted by itself, in the table: its name belongs into the key.'
              : 'The total is the sum over all items, each counted once.',
        topic: 'conditions-and-transactions',
      }));
      mustHold(account.of('scan').requests === 0, () => ({
        saw: `total made ${account}.`,
        rule: 'A Scan reads the counters of all pages: its price grows with the table. total knows the keys that add may choose, so ask for those.',
        topic: 'method',
      }));
      mustHold(account.requests <= 2, () => ({
        saw: `total made ${account}.`,
        rule: 'BatchGetItem reads up to 100 items in one request.',
        topic: 'api',
      }));
      return `${account}`;
    });
  },
};
