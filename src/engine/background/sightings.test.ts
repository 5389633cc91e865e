import { expect, it } from 'vitest';
import { VirtualClock } from '../../runtime/clock.ts';
import { elapsedOf, Sightings } from './sightings.ts';

it('measures for how long a thing has been seen with one value', () => {
  let ms = 500;
  const sightings = new Sightings(() => ms);
  const [one, two] = [Uint8Array.of(1), Uint8Array.of(2)];
  expect([sightings.ageMs('a', one), sightings.ageMs('b')]).toEqual([0, 0]);
  ms += 10;
  expect([sightings.ageMs('a', one), sightings.ageMs('b'), sightings.ageMs('c')]).toEqual([10, 10, 0]);
  ms += 10;
  expect([sightings.ageMs('a', two), sightings.ageMs('b')]).toEqual([0, 20]);
  ms += 10;
  expect([sightings.ageMs('a', two), sightings.ageMs('a', one)]).toEqual([10, 0]);
});

it('goes by the stopwatch, and by a clock that is moved by hand', () => {
  const clock = new VirtualClock(1_000);
  expect(elapsedOf({ clock, stopwatchMs: () => 7 })()).toBe(1_000);
  expect(elapsedOf({ clock: { nowMicros: () => 1_000_000 }, stopwatchMs: () => 7 })()).toBe(7);
});
