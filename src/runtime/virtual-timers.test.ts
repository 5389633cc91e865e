import { expect, it } from 'vitest';
import { seededRandom, testSeed } from '../../tests/seeded-random.ts';
import { VirtualTimers } from './virtual-timers.ts';

it('runs whatever was asked for and not cancelled, by time and then by asking', () => {
  const random = seededRandom(testSeed('virtual timers'));
  const timers = new VirtualTimers();
  const open = new Map<number, { readonly atMicros: number; readonly cancel: () => void }>();
  const ran: number[] = [];
  let number = 0;
  for (let step = 0; step < 3_000; step++) {
    if (random.chance(0.6)) {
      const own = number++;
      const micros = random.below(50);
      const cancel = timers.after(micros, () => ran.push(own));
      open.set(own, { atMicros: timers.nowMicros + micros, cancel });
    } else if (random.chance(0.5) && open.size > 0) {
      const chosen = random.pick([...open.keys()]);
      open.get(chosen)!.cancel();
      open.get(chosen)!.cancel();
      open.delete(chosen);
    } else {
      const end = timers.nowMicros + random.below(8);
      const due = [...open].filter(([, { atMicros }]) => atMicros <= end);
      due.sort(([a, one], [b, other]) => one.atMicros - other.atMicros || a - b);
      ran.length = 0;
      timers.pass(end - timers.nowMicros);
      expect(ran).toEqual(due.map(([own]) => own));
      for (const [own, { cancel }] of due) {
        cancel();
        open.delete(own);
      }
    }
  }
  for (let hasRun = true; hasRun; ) hasRun = timers.runNext();
  expect(timers.size).toBe(0);
});

it('keep no cancelled timers of a clock that stands still', () => {
  const timers = new VirtualTimers();
  timers.after(5, () => {});
  for (let i = 0; i < 10_000; i++) timers.after(1_000_000, () => {})();
  expect(timers.size).toBeLessThan(200);
  expect(timers.nextMicros).toBe(5);
});
