import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { Interleaving } from '../interleaving.ts';
import { numberOf, typed } from '../items.ts';
import { Lesson, mustHold } from '../lesson.ts';

const file = 'pay.mjs';
const lost = 'InternalServerError';

export const lostAnswer: Exercise = {
  id: 'lost-answer',
  files: [file],
  topics: ['conditions-and-transactions'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable()] });
    const open = (account: string, balance: number) =>
      lab.db.putItem({
        TableName: 'app',
        Item: typed({ PK: `ACCOUNT#${account}`, SK: 'BALANCE', balance }),
      });
    const accountOf = async (account: string) => {
      const Key = typed({ PK: `ACCOUNT#${account}`, SK: 'BALANCE' });
      return (await lab.db.getItem({ TableName: 'app', Key })).Item;
    };
    const balanceOf = async (account: string) => numberOf(await accountOf(account), 'balance');
    await bench.step('A payment, and one that is too large', async () => {
      const { pay } = await bench.functions(file, ['pay']);
      await open('a', 100);
      const paid: unknown = await pay(lab.caller, { commandId: 'a1', account: 'a', amount: 30 });
      const refused: unknown = await pay(lab.caller, { commandId: 'a2', account: 'a', amount: 71 });
      const balance = await balanceOf('a');
      mustHold(balance === 70 && isReceipt(paid, 'a1', 30) && isRefusal(refused, 'a2'), () => ({
        saw: `From a balance of 100, a payment of 30 answered ${JSON.stringify(paid)}, one of 71 ${JSON.stringify(refused)}; the balance is ${balance}.`,
        rule: 'pay returns { commandId, amount }, or { commandId, refused: true } and takes nothing.',
      }));
      return String(lab.ledger.take());
    });
    await bench.step('The account does not grow with its payments', async () => {
      const { pay } = await bench.functions(file, ['pay']);
      await open('e', 100);
      const sizes: number[] = [];
      for (let i = 0; i < 10; i++) {
        await pay(lab.caller, { commandId: `e${i}`, account: 'e', amount: 1 });
        sizes.push(JSON.stringify((await accountOf('e')) ?? {}).length);
      }
      mustHold(sizes.at(-1)! <= sizes[0]! + 20, () => ({
        saw: `The item of the account grew from ${sizes[0]} to ${sizes.at(-1)} characters with ten payments.`,
        rule: 'An item ends at 400 KB, and each write pays for all of it. Keep what grows in items of its own: one for each command.',
        topic: 'limits',
      }));
      return undefined;
    });
    await bench.step('The answer is lost, and the command comes again', async () => {
      const { pay } = await bench.functions(file, ['pay']);
      await open('b', 100);
      const command = { commandId: 'b1', account: 'b', amount: 30 };
      let isLost = false;
      for (const operation of ['TransactWriteItems', 'UpdateItem', 'PutItem'])
        lab.db.faults.add({ error: lost, operation, afterwards: true });
      const first: unknown = await pay(lab.caller, command).catch((error: unknown) => {
        if (!(error instanceof Lesson) || !error.saw.includes(lost)) throw error;
        isLost = true;
        return undefined;
      });
      lab.db.faults.clear();
      const second: unknown = isLost ? await pay(lab.caller, command) : first;
      const balance = await balanceOf('b');
      mustHold(balance === 70, () => ({
        saw: `The write was done and its answer lost; the client sent the same command again. Of 100 the account has ${balance} left, and one payment was 30.`,
        rule: 'A command that may come twice needs a memory: an item with its id, written in the same transaction as its effect.',
        topic: 'conditions-and-transactions',
      }));
      mustHold(isReceipt(second, 'b1', 30), () => ({
        saw: `The repeated command answered ${JSON.stringify(second)}.`,
        rule: 'A command that was done before is answered with the receipt of then; it is no failure.',
      }));
      return undefined;
    });
    await bench.step('The command comes again a day later', async () => {
      const { pay } = await bench.functions(file, ['pay']);
      await open('c', 100);
      const command = { commandId: 'c1', account: 'c', amount: 30 };
      await pay(lab.caller, command);
      // Others are served meanwhile.
      await pay(lab.caller, { commandId: 'c2', account: 'c', amount: 5 });
      await lab.wait(86_400_000);
      const again: unknown = await pay(lab.caller, command);
      const balance = await balanceOf('c');
      mustHold(balance === 65 && isReceipt(again, 'c1', 30), () => ({
        saw: `The same command a day later, after another one of 5, answered ${JSON.stringify(again)}; of 100 the account has ${balance} left.`,
        rule: 'ClientRequestToken is remembered for ten minutes, and the last command only until the next. What must hold for longer needs an item of its own for each command.',
        topic: 'conditions-and-transactions',
      }));
      return undefined;
    });
    await bench.step('The same command from two processes at once', async () => {
      const processes = [await bench.functions(file, ['pay']), await bench.functions(file, ['pay'], 1)];
      for (let seed = 1; seed <= 30; seed++) {
        const account = `d${seed}`;
        await open(account, 100);
        const order = new Interleaving(seed);
        const command = { commandId: account, account, amount: 30 };
        const answers: unknown[] = await order.run(
          ['p1', 'p2'].map(
            (name, at) => () => processes[at]!.pay(order.callerFor(name, lab.caller), command),
          ),
        );
        const balance = await balanceOf(account);
        mustHold(balance === 70 && answers.every((answer) => isReceipt(answer, account, 30)), () => ({
          saw: `Run ${seed}: they answered ${answers.map((one) => JSON.stringify(one)).join(' and ')}, and of 100 the account has ${balance} left. In this order: ${order.story}.`,
          rule: 'To look for the command first and to write then leaves a gap. The memory needs attribute_not_exists in the transaction itself.',
          topic: 'conditions-and-transactions',
        }));
      }
      return undefined;
    });
  },
};

function isReceipt(answer: unknown, commandId: string, amount: number): boolean {
  const given = answer as { commandId?: unknown; amount?: unknown; refused?: unknown } | undefined;
  return given?.commandId === commandId && Number(given.amount) === amount && given.refused === undefined;
}

function isRefusal(answer: unknown, commandId: string): boolean {
  const given = answer as { commandId?: unknown; refused?: unknown } | undefined;
  return given?.commandId === commandId && given.refused === true;
}
