import { type Chance, seededChance, unseededChance } from '../chance.ts';
import { type Clock, SimulatedClock, VirtualClock } from '../clock.ts';
import type { Runtime } from '../runtime.ts';
import { VirtualRuntime } from '../virtual-runtime.ts';
import { machine, secrets, secretWords } from './machine.ts';

/** Repeatable chance from a seed, or real chance. */
export function chanceOf(seed: number | undefined, generation = 0): Chance {
  return seed === undefined ? unseededChance(secretWords()) : seededChance(seed, generation);
}

/** Waits, timers and durations of the machine, with a clock that may be another. */
export function realRuntime(clock: Clock = machine.clock, chance: Chance = chanceOf(undefined)): Runtime {
  const { stopwatchMs, pause, sleep, turn, after, every, deadline } = machine;
  return {
    ...{ clock, stopwatchMs, pause, sleep, turn, after, every, deadline },
    chance,
    random: chance.random,
    words: chance.words,
    secrets,
    settle: (work) => work,
    outside: (call) => call(),
    withChance: (other) => realRuntime(clock, other),
  };
}

/**
 * The runtime of a database. A `VirtualClock` makes all of it virtual, if nothing outside this process has to be waited
 * for: on a store in memory. With any other store, dates go by the clock that is given and waits by the machine.
 */
export function runtimeOf(clock: Clock, chance: Chance, isInMemory: boolean): Runtime {
  return isInMemory && (clock instanceof VirtualClock || clock instanceof SimulatedClock)
    ? new VirtualRuntime({ clock, chance, secrets, turns: machine.soon })
    : realRuntime(clock, chance);
}
