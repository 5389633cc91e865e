import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { asLesson } from '../explain-error.ts';
import { type Simple, textOf, typed } from '../items.ts';
import { startMs } from '../lab.ts';
import { mustHold } from '../lesson.ts';
import { isRequest, kindOf } from '../value-kind.ts';

const file = 'index.mjs';
type Thing = Readonly<Record<string, Simple>>;

const questions = [
  { name: 'user-by-email', title: 'A user by e-mail', given: { email: 'u7@example.com' } },
  {
    name: 'orders-by-status',
    title: 'The shipped orders of a user, newest first',
    given: { userId: 'u3', status: 'SHIPPED' },
  },
  { name: 'members-of-org', title: 'The members of an organisation', given: { orgId: 'o2' } },
] as const;

export const oneIndex: Exercise = {
  id: 'one-index',
  files: [file],
  topics: ['indexes', 'relationships'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable({ indexes: ['GSI1'] })] });
    const all = things();
    await bench.step('Everything is in the index', async () => {
      const { indexKeys } = await bench.functions(file, ['indexKeys']);
      for (const { kind, key, thing } of all) {
        const keys = indexKeys(kind, thing) as Thing | undefined;
        mustHold(typeof keys?.GSI1PK === 'string' && typeof keys.GSI1SK === 'string', () => ({
          saw: `indexKeys('${kind}', …) is ${JSON.stringify(keys)}.`,
          rule: 'It returns { GSI1PK, GSI1SK } with texts.',
        }));
        await lab.db.putItem({ TableName: 'app', Item: typed({ ...thing, kind, ...key, ...keys }) });
      }
      return `${all.length} items`;
    });
    for (const { name, title, given } of questions)
      await bench.step(title, async () => {
        const { question } = await bench.functions(file, ['question']);
        const wanted = answerTo(name, all);
        const request: unknown = question(name, given);
        mustHold(isRequest(request), () => ({
          saw: `question('${name}', …) is ${kindOf(request)}.`,
          rule: 'It returns the request of a Query, as an object.',
        }));
        const { Items = [] } = (await lab.caller.query(request).catch((error: unknown) => {
          throw asLesson(error, file, 'The request was refused');
        })) as { Items?: never[] };
        const account = lab.ledger.take();
        const found = Items.map((item) => `${textOf(item, 'PK')} ${textOf(item, 'SK')}`);
        const missing = wanted.filter((key) => !found.includes(key));
        mustHold(missing.length === 0, () => ({
          saw: `${account}. ${missing.length} of ${wanted.length} are missing, such as ${missing[0]}.`,
          rule: 'What the caller knows is the partition key of the index, and the thing must carry just that value.',
          topic: 'indexes',
        }));
        mustHold(account.scanned === wanted.length, () => ({
          saw: `${account}, and ${wanted.length} belong to the answer.`,
          rule: 'What tells the answer from its neighbours belongs into the key: a status in the partition key, a prefix for each kind, a # behind a text that may be the beginning of another.',
          topic: 'indexes',
        }));
        mustHold(found.join() === wanted.join(), () => ({
          saw: `The right items came back in another order: ${found.slice(0, 3).join(', ')} …`,
          rule: 'The sort key of the index is the order of the answer; ScanIndexForward: false turns it round.',
          topic: 'sort-keys',
        }));
        return String(account);
      });
  },
};

interface Stored {
  readonly kind: 'user' | 'order' | 'member';
  readonly key: { readonly PK: string; readonly SK: string };
  readonly thing: Thing;
}

function things(): Stored[] {
  const list: Stored[] = [];
  for (let u = 0; u < 12; u++) {
    const userId = `u${u}`;
    const PK = `USER#${userId}`;
    list.push({
      kind: 'user',
      key: { PK, SK: 'PROFILE' },
      thing: { userId, email: u === 11 ? 'u7@example.com.au' : `${userId}@example.com`, name: `User ${u}` },
    });
    for (let o = 0; o < 9; o++) {
      const placedAt = new Date(startMs - ((o * 5) % 9) * 86_400_000).toISOString();
      const status = ['OPEN', 'SHIPPED', 'SHIPPED_BACK'][o % 3]!;
      const orderId = `${userId}-${o}`;
      list.push({
        kind: 'order',
        key: { PK, SK: `ORDER#${orderId}` },
        thing: { userId, orderId, status, placedAt },
      });
    }
    for (const orgId of [`o${u % 3}`, 'o3'])
      list.push({
        kind: 'member',
        key: { PK, SK: `ORG#${orgId}` },
        thing: { userId, orgId, since: '2026-01-01' },
      });
  }
  return list;
}

/** What a filter over everything finds, in the right order. */
function answerTo(name: (typeof questions)[number]['name'], all: readonly Stored[]): string[] {
  const keyOf = ({ key }: Stored) => `${key.PK} ${key.SK}`;
  if (name === 'user-by-email') return all.filter(({ thing }) => thing.email === 'u7@example.com').map(keyOf);
  if (name === 'members-of-org')
    return all
      .filter(({ kind, thing }) => kind === 'member' && thing.orgId === 'o2')
      .sort((a, b) => (String(a.thing.userId) < String(b.thing.userId) ? -1 : 1))
      .map(keyOf);
  return all
    .filter(({ kind, thing }) => kind === 'order' && thing.userId === 'u3' && thing.status === 'SHIPPED')
    .sort((a, b) => (String(a.thing.placedAt) < String(b.thing.placedAt) ? 1 : -1))
    .map(keyOf);
}
