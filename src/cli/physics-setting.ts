import { nearest } from '../model/nearest.ts';
import {
  type PhysicsEffect,
  type PhysicsOverrides,
  physicsEffects,
  sharedPhysicsProblem,
} from '../physics-option.ts';
import { UsageError } from './failure.ts';
import type { startOptions } from './flags.ts';
import type { Settings } from './settings.ts';
import type { StorePlace } from './store-setting.ts';

type PhysicsFlags = Pick<
  Settings<typeof startOptions>,
  'physics' | 'physicsWithout' | 'delayTransientStatuses' | 'shared' | 'workers'
>;

/** Settings of physics from three options. Where several processes share the data, `enforce` is refused. */
export function physicsSetting(settings: PhysicsFlags, place: StorePlace): PhysicsOverrides {
  const { physics, shared, workers } = settings;
  const chosen = chosenSettings(settings);
  const isShared = place.kind === 'postgres' || shared.value || workers.value > 1;
  const problem = isShared ? sharedPhysicsProblem(chosen) : undefined;
  if (problem !== undefined)
    throw new UsageError(problem, `Leave out ${physics.name} enforce, or what makes the data shared.`);
  return chosen;
}

function chosenSettings({ physics, physicsWithout, delayTransientStatuses: delay }: PhysicsFlags) {
  const without = switches(namesIn(physicsWithout.value), false);
  if (!delay.value || physics.value === 'enforce') return { mode: physics.value, effects: without };
  if (physics.source === delay.source)
    throw new UsageError(
      `${delay.name} means a part of --physics enforce, and ${physics.name} says ${physics.value}.`,
      'Leave one of them out.',
    );
  // DynamoDB Local's switch for the passing states of tables is a part of what `enforce` acts out.
  const others = physicsEffects.filter((effect) => effect !== 'controlPlanePhases');
  return { mode: 'enforce' as const, effects: { ...switches(others, false), ...without } };
}

/** Whether the passing states of tables are all that is acted out. */
export function hasStatesOnly({ mode, effects = {} }: PhysicsOverrides): boolean {
  return (
    mode === 'enforce' &&
    physicsEffects.every((effect) => (effects[effect] ?? true) === (effect === 'controlPlanePhases'))
  );
}

/** Why a list of effects is wrong, as the end of a sentence. */
export function effectsProblem(given: string): string | undefined {
  for (const name of given.split(',')) {
    if (physicsEffects.some((effect) => effect === name)) continue;
    const meant = nearest(name, physicsEffects);
    return meant === undefined
      ? `must be names of effects, such as ${physicsEffects[0]},${physicsEffects[1]}`
      : `must be names of effects, and ${name} is none: did you mean ${meant}?`;
  }
  return undefined;
}

function namesIn(list: string | undefined): PhysicsEffect[] {
  return list === undefined ? [] : (list.split(',') as PhysicsEffect[]);
}

function switches(names: readonly PhysicsEffect[], on: boolean): Partial<Record<PhysicsEffect, boolean>> {
  return Object.fromEntries(names.map((name) => [name, on]));
}
