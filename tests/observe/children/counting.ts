// Counts in two minutes on a shared store, tells of it once all is written, and waits to be killed.
import { Stator, VirtualClock } from '../../../src/index.ts';
import { say } from '../../storage/children/say.ts';

const clock = new VirtualClock(Date.UTC(2026, 0, 1));
const db = await Stator.open({
  store: { directory: process.argv[2]!, shared: true },
  clock,
  observe: true,
});
const hits = {
  accountId: '000000000000',
  region: 'us-east-1',
  namespace: 'Shop',
  name: 'Hits',
  dimensions: [],
};
db.observation.record(hits, 'Count', 3, 1, clock.nowMs());
clock.advanceMs(60_000);
await db.observation.flush();
db.observation.record(hits, 'Count', 4, 1, clock.nowMs());
await db.observation.flush();
say(JSON.stringify({ atMs: clock.nowMs() }));
setInterval(() => {}, 60_000);
