import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { Interleaving } from '../interleaving.ts';
import { numberOf, typed } from '../items.ts';
import { mustHold } from '../lesson.ts';
import { failWrites } from '../server-failure.ts';

const file = 'tickets.mjs';
const tickets = 3;
const buyers = ['ann', 'bob', 'cho', 'dee', 'eve', 'fay', 'gus', 'hal'];
const runs = 40;

export const lastTicket: Exercise = {
  id: 'last-ticket',
  files: [file],
  topics: ['conditions-and-transactions'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable()] });
    const stock = (show: string, available: number) =>
      lab.db.putItem({ TableName: 'app', Item: typed({ PK: `SHOW#${show}`, SK: 'STOCK', available }) });
    const left = async (show: string) => {
      const Key = typed({ PK: `SHOW#${show}`, SK: 'STOCK' });
      return numberOf((await lab.db.getItem({ TableName: 'app', Key })).Item, 'available');
    };
    await bench.step('One buyer after the other', async () => {
      const { buy } = await bench.functions(file, ['buy']);
      await stock('calm', 2);
      const answers: unknown[] = [];
      for (const buyer of buyers.slice(0, 3)) answers.push(await buy(lab.caller, 'calm', buyer));
      mustHold(answers.join() === 'sold,sold,sold out' && (await left('calm')) === 0, () => ({
        saw: `Two tickets, three buyers: they were told ${answers.map((one) => JSON.stringify(one)).join(', ')}.`,
        rule: "buy returns 'sold' as long as there are tickets, and 'sold out' afterwards.",
      }));
      return undefined;
    });
    await bench.step(`Eight buyers at once, ${runs} times in other orders`, async () => {
      // The buyers reach two processes in turn, as behind a load balancer.
      const processes = [await bench.functions(file, ['buy']), await bench.functions(file, ['buy'], 1)];
      for (let seed = 1; seed <= runs; seed++) {
        const show = `s${seed}`;
        await stock(show, tickets);
        const order = new Interleaving(seed);
        const answers = await order.run(
          buyers.map(
            (name, at) => () =>
              processes[at % 2]!.buy(order.callerFor(name, lab.caller), show, name) as Promise<unknown>,
          ),
        );
        const sold = answers.filter((answer) => answer === 'sold').length;
        const rest = await left(show);
        mustHold(sold <= tickets, () => ({
          saw: `Run ${seed}: ${sold} were told 'sold', and there were ${tickets} tickets. In this order: ${order.story}.`,
          rule: 'Between a read and a write others write. The write itself must check: a condition is judged in the same step, whichever process sends it.',
          topic: 'conditions-and-transactions',
        }));
        mustHold(sold === tickets && rest === 0, () => ({
          saw: `Run ${seed}: ${sold} tickets were sold and ${rest} are left, and still ${answers.length - sold} were told something else than 'sold'. In this order: ${order.story}.`,
          rule: 'A condition that fails because somebody else was faster does not mean that nothing is left: read again and try again, or make a condition that fails only when nothing is left.',
          topic: 'conditions-and-transactions',
        }));
      }
      return `${tickets} sold each time`;
    });
    await bench.step('The service fails, and tickets are left', async () => {
      const { buy } = await bench.functions(file, ['buy']);
      await stock('trouble', tickets);
      await failWrites(lab, () => buy(lab.caller, 'trouble', 'ann'), {
        name: 'buy',
        wrong: ['sold', 'sold out'],
      });
      return undefined;
    });
  },
};
