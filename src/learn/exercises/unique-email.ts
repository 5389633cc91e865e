import { counted } from '../../model/counted.ts';
import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { Interleaving } from '../interleaving.ts';
import { textOf, typed } from '../items.ts';
import type { Lab } from '../lab.ts';
import { Lesson, mustHold } from '../lesson.ts';
import { mortal, untilKilled } from '../mortal.ts';
import { failWrites } from '../server-failure.ts';

const file = 'accounts.mjs';
const runs = 30;

export const uniqueEmail: Exercise = {
  id: 'unique-email',
  files: [file],
  topics: ['conditions-and-transactions'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable()] });
    await bench.step('One after the other', async () => {
      const { register } = await bench.functions(file, ['register']);
      const email = 'ada@example.com';
      const first: unknown = await register(lab.caller, { userId: 'u1', email });
      const second: unknown = await register(lab.caller, { userId: 'u2', email });
      mustHold(first === 'registered' && second === 'email taken', () => ({
        saw: `The first was told ${JSON.stringify(first)}, the second with the same address ${JSON.stringify(second)}.`,
        rule: "register returns 'registered' or 'email taken'.",
      }));
      const state = await stateOf(lab, email, ['u1', 'u2']);
      mustHold(state.claim === 'u1' && state.users.join() === 'u1', () => ({
        saw: `Afterwards the address is claimed by ${state.claim ?? 'nobody'}, and these users have it: ${state.users.join(', ') || 'none'}.`,
        rule: 'Two items are written: PK = USER#<userId>, SK = PROFILE with email, and PK = EMAIL#<email>, SK = CLAIM with userId.',
      }));
      return String(lab.ledger.take());
    });
    await bench.step(`Three at once for one address, ${runs} times in other orders`, async () => {
      const processes = [
        await bench.functions(file, ['register']),
        await bench.functions(file, ['register'], 1),
      ];
      for (let seed = 1; seed <= runs; seed++) {
        const email = `e${seed}@example.com`;
        const ids = ['x', 'y', 'z'].map((name) => `${name}${seed}`);
        const order = new Interleaving(seed);
        const answers = await order.run(
          ids.map(
            (userId, at) => () =>
              processes[at % 2]!.register(order.callerFor(userId, lab.caller), {
                userId,
                email,
              }) as Promise<unknown>,
          ),
        );
        const { users, claim } = await stateOf(lab, email, ids);
        const told = answers.filter((answer) => answer === 'registered').length;
        mustHold(told === 1 && users.length === 1 && claim === users[0], () => ({
          saw: `Run ${seed}: ${told} of three were told 'registered'; users with the address: ${users.join(', ') || 'none'}; it is claimed by ${claim ?? 'nobody'}. In this order: ${order.story}.`,
          rule: 'To look first and to write then leaves a gap in which others write. Put the check into the write: attribute_not_exists on the claim.',
          topic: 'conditions-and-transactions',
        }));
      }
      lab.ledger.take();
      return undefined;
    });
    await bench.step('A request fails half-way', async () => {
      const { register } = await bench.functions(file, ['register']);
      for (const [name, key] of [
        ['user', 'USER#half'],
        ['claim', 'EMAIL#half@example.com'],
      ] as const) {
        const error = 'InternalServerError';
        lab.db.faults.add({ error, operation: 'PutItem', key: typed({ PK: key }) });
        await register(lab.caller, { userId: 'half', email: 'half@example.com' }).catch(
          (trouble: unknown) => {
            if (!(trouble instanceof Lesson) || !trouble.saw.includes(error)) throw trouble;
          },
        );
        lab.db.faults.clear();
        const { users, claim } = await stateOf(lab, 'half@example.com', ['half']);
        mustHold((claim === undefined) === (users.length === 0), () => ({
          saw: `The write of the ${name} failed once. Now ${claim === undefined ? 'there is a user without a claim, and somebody else can take the address' : 'the address is claimed for a user that does not exist, and nobody can ever register it'}.`,
          rule: 'Two writes one after the other can stop in between. What must be true together belongs into one transaction.',
          topic: 'conditions-and-transactions',
        }));
        await lab.db.deleteItem({ TableName: 'app', Key: typed({ PK: 'USER#half', SK: 'PROFILE' }) });
        await lab.db.deleteItem({
          TableName: 'app',
          Key: typed({ PK: 'EMAIL#half@example.com', SK: 'CLAIM' }),
        });
      }
      return undefined;
    });
    await bench.step('The service fails, and the address is free', async () => {
      const { register } = await bench.functions(file, ['register']);
      const user = { userId: 'trouble', email: 'trouble@example.com' };
      await failWrites(lab, () => register(lab.caller, user), {
        name: 'register',
        wrong: ['registered', 'email taken'],
      });
      return undefined;
    });
    await bench.step('The process is killed half-way', async () => {
      const { register } = await bench.functions(file, ['register']);
      for (let requests = 1; requests <= 4; requests++) {
        const user = { userId: `killed${requests}`, email: `killed${requests}@example.com` };
        await untilKilled(() => register(mortal(lab.caller, requests), user));
        const { users, claim } = await stateOf(lab, user.email, [user.userId]);
        mustHold((claim === undefined) === (users.length === 0), () => ({
          saw: `The process was killed after ${counted(requests, 'request')}. Now ${claim === undefined ? 'there is a user without a claim' : 'the address is claimed for a user that does not exist'}.`,
          rule: 'Whoever undoes a first write when the second fails may be killed in between, and nobody undoes it. One transaction writes both or nothing.',
          topic: 'conditions-and-transactions',
        }));
      }
      return undefined;
    });
  },
};

async function stateOf({ db }: Lab, email: string, ids: readonly string[]) {
  const claimed = await db.getItem({ TableName: 'app', Key: typed({ PK: `EMAIL#${email}`, SK: 'CLAIM' }) });
  const users: string[] = [];
  for (const id of ids) {
    const { Item } = await db.getItem({ TableName: 'app', Key: typed({ PK: `USER#${id}`, SK: 'PROFILE' }) });
    if (textOf(Item, 'email') === email) users.push(id);
  }
  return { claim: textOf(claimed.Item, 'userId'), users };
}
