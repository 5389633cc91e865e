import type { PhysicsEffect, PhysicsSettings } from '../../physics/modes.ts';
import type { Capacity } from './capacity.ts';

/** Effects that a process acts out from its own memory. The others follow from what is in the store. */
const ownEffects: readonly PhysicsEffect[] = [
  ...(['tableThroughput', 'partitionCeilings', 'accountQuotas', 'indexBackPressure'] as const),
  ...(['staleReads', 'indexLag', 'transactionConflicts'] as const),
];

/** Why settings cannot be acted out where several processes share a store; undefined if they can. */
export function sharingProblem({
  mode,
  effects,
}: Pick<PhysicsSettings, 'mode' | 'effects'>): string | undefined {
  if (mode !== 'enforce' || !ownEffects.some((effect) => effects[effect])) return undefined;
  return (
    'Physics cannot be enforced where several processes share a store, because each of them would grant the whole ' +
    'throughput of a partition. Use "shadow", in which each process judges its own traffic.'
  );
}

/** Why the settings cannot be acted out on a store that other processes share. */
export function enforcedProblem({ modes }: Pick<Capacity, 'modes'>): string | undefined {
  for (const settings of [modes.server, ...[...modes.configured.keys()].map((arn) => modes.of(arn))]) {
    const problem = sharingProblem(settings);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
