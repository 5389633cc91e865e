import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { mustHold } from '../lesson.ts';
import { counted } from '../unit-text.ts';

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
      for (let i = 0; i < sessions; i++)
        await start(lab.caller, { sessionId: `s${i}`, user: `user${i}` }, lab.nowMs());
      await lab.wait(29 * minuteMs);
      lab.ledger.take();
      const user: unknown = await find(lab.caller, 's3', lab.nowMs());
      const account = lab.ledger.take();
      mustHold(user === 'user3', () => ({
        saw: `29 minutes after its start, find returned ${JSON.stringify(user)} for the session of user3.`,
        rule: 'nowMs is milliseconds, expiresAt seconds: divide one of them before you compare.',
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
    await bench.step('After 31 minutes it is not, although the item is still there', async () => {
      const { find } = await bench.functions(file, ['find']);
      await lab.wait(2 * minuteMs);
      const { Count } = await lab.db.scan({ TableName: 'app', Select: 'COUNT' });
      const user: unknown = await find(lab.caller, 's3', lab.nowMs());
      mustHold(user === undefined, () => ({
        saw: `31 minutes after its start the session still lets ${JSON.stringify(user)} in. ${counted(Count ?? 0, 'item')} of ${sessions} ${Count === 1 ? 'is' : 'are'} still stored.`,
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
