import { counted } from '../../model/counted.ts';
import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { numberOf, typed } from '../items.ts';
import { mustHold } from '../lesson.ts';

const file = 'sessions.mjs';
const minuteMs = 60_000;
const sessions = 20;

export const expiredIsGone: Exercise = {
  id: 'expired-is-gone',
  files: [file],
  topics: ['expiry'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable()], physics: 'enforce' });
    await lab.db.updateTimeToLive({
      TableName: 'app',
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
    await lab.wait(3_600_000);
    await lab.db.settled();
    await bench.step('A session is good for 30 minutes', async () => {
      const { start, find } = await bench.functions(file, ['start', 'find']);
      const begunMs = lab.nowMs();
      for (let i = 0; i < sessions; i++)
        await start(lab.caller, { sessionId: `s${i}`, user: `user${i}` }, lab.nowMs());
      const Key = typed({ PK: 'SESSION#s3', SK: 'SESSION' });
      const expiresAt = numberOf((await lab.db.getItem({ TableName: 'app', Key })).Item, 'expiresAt');
      const seconds = expiresAt === undefined ? undefined : expiresAt - Math.floor(begunMs / 1000);
      await lab.wait(29 * minuteMs);
      lab.ledger.take();
      const user: unknown = await find(lab.caller, 's3', lab.nowMs());
      const account = lab.ledger.take();
      mustHold(user === 'user3', () => ({
        saw: `29 minutes after its start, find returned ${JSON.stringify(user)} for the session of user3.`,
        rule:
          typeof user === 'object' && user !== null
            ? 'It returns the name of the user as a text: Item.user.S.'
            : seconds !== undefined && seconds < 1800
              ? `The stored expiresAt is ${seconds} seconds after the start; 30 minutes are 1,800.`
              : 'Compare with nowMs, the time that the caller gives. It is milliseconds, and expiresAt is seconds: divide one of them.',
      }));
      mustHold(account.requests === 1, () => ({
        saw: `find made ${account}.`,
        rule: 'One GetItem is enough.',
      }));
      const nobody: unknown = await find(lab.caller, 'unknown', lab.nowMs());
      mustHold(nobody === undefined, () => ({
        saw: `For a session that never was, find returned ${JSON.stringify(nobody)}.`,
        rule: 'It returns undefined.',
      }));
      return undefined;
    });
    await bench.step('A second after 30 minutes it is not, although the item is still there', async () => {
      const { find } = await bench.functions(file, ['find']);
      await lab.wait(minuteMs + 1_000);
      const { Count } = await lab.db.scan({ TableName: 'app', Select: 'COUNT' });
      const user: unknown = await find(lab.caller, 's3', lab.nowMs());
      mustHold(user === undefined, () => ({
        saw: `30 minutes and a second after its start the session still lets ${JSON.stringify(user)} in. ${counted(Count ?? 0, 'item')} of ${sessions} ${Count === 1 ? 'is' : 'are'} still stored.`,
        rule: 'TTL deletes some time after the moment, not at it. Whoever reads an item that may have expired must look at the time.',
        topic: 'expiry',
      }));
      return `${Count} of ${sessions} items are still stored`;
    });
    await bench.step('Three days later the items are gone', async () => {
      for (let hour = 0; hour < 72; hour += 6) {
        await lab.wait(6 * 60 * minuteMs);
        await lab.db.settled();
      }
      const { Items = [] } = await lab.db.scan({ TableName: 'app' });
      const kept = Items[0]?.expiresAt;
      mustHold(Items.length === 0, () => ({
        saw: `${counted(Items.length, 'item')} are still there, with expiresAt = ${JSON.stringify(kept)}.`,
        rule:
          kept?.N === undefined
            ? 'TTL looks at a number of seconds since 1970. An item without one never expires.'
            : 'That number is in milliseconds: as seconds it is a date many thousands of years from now. TTL wants seconds.',
        topic: 'expiry',
      }));
      return undefined;
    });
  },
};
