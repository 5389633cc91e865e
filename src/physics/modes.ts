import { defaultLag, type LagSpread, lagProblem } from './lag-spread.ts';

/**
 * How far the model reaches into what clients see.
 *
 * `off`: nothing is modelled. `shadow`: nothing is refused or delayed; every verdict is kept, and what would have been
 * refused is not charged, so that one hot second does not condemn the next hour. `enforce`: verdicts are acted out.
 */
export const physicsModes = ['off', 'shadow', 'enforce'] as const;
/** How much of the physical model acts on requests. */
export type PhysicsMode = (typeof physicsModes)[number];

/** The effects of the model, each with a switch. Those that admission does not decide are data for their owners. */
export const physicsEffects = [
  /** The bucket of a table or index: provisioned throughput, on-demand maximum. */
  'tableThroughput',
  /** The ceilings of partitions. */
  'partitionCeilings',
  /** Quotas of the account and of its tables. */
  'accountQuotas',
  /** Writes wait for the indexes that they maintain. */
  'indexBackPressure',
  /** Partitions are cut: for heat, size, peaks and warm throughput. */
  'partitionSplits',
  /** Eventually consistent reads may be stale. */
  'staleReads',
  'indexLag',
  'transactionConflicts',
  'timeToLiveDelay',
  'controlPlanePhases',
  /** Quotas on decreases, mode switches, class changes and the 15-second rules. */
  'changeQuotas',
] as const;
/** One effect of the physical model that a mode acts out or leaves out. */
export type PhysicsEffect = (typeof physicsEffects)[number];
export type EffectSwitches = Readonly<Record<PhysicsEffect, boolean>>;

export interface PhysicsSettings {
  readonly mode: PhysicsMode;
  readonly effects: EffectSwitches;
  /** How far global indexes lag behind, where `indexLag` is acted out. */
  readonly indexLagMs: LagSpread;
}

/** What may be set, for the server or for one table: everything left out comes from above. */
export interface PhysicsOverrides {
  readonly mode?: PhysicsMode;
  readonly effects?: Readonly<Partial<Record<PhysicsEffect, boolean>>>;
  /** How far global indexes lag behind: milliseconds, or a distribution. It acts in `enforce`, with the effect `indexLag`. */
  readonly indexLagMs?: LagSpread;
}

const allEffects = Object.fromEntries(physicsEffects.map((effect) => [effect, true])) as EffectSwitches;

export const defaultPhysicsSettings: PhysicsSettings = {
  mode: 'shadow',
  effects: allEffects,
  indexLagMs: defaultLag,
};

/** The settings of a table: its own, else the server's. */
export function mergeSettings(base: PhysicsSettings, over: PhysicsOverrides | undefined): PhysicsSettings {
  if (over === undefined) return base;
  return {
    mode: over.mode ?? base.mode,
    effects: { ...base.effects, ...over.effects },
    indexLagMs: over.indexLagMs ?? base.indexLagMs,
  };
}

/** The overrides of a later level over those of an earlier one. */
export function mergeOverrides(
  base: PhysicsOverrides | undefined,
  over: PhysicsOverrides | undefined,
): PhysicsOverrides | undefined {
  if (base === undefined || over === undefined) return over ?? base;
  const effects = { ...base.effects, ...over.effects };
  return { ...base, ...over, ...(Object.keys(effects).length > 0 && { effects }) };
}

/** Reads overrides that a user wrote. The answer is a text that says what is wrong with them. */
export function readOverrides(value: unknown): PhysicsOverrides | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'Physics settings must be an object with "mode", "effects" and "indexLagMs".';
  for (const name of Object.keys(value))
    if (!['mode', 'effects', 'indexLagMs'].includes(name)) return `Physics settings have no "${name}".`;
  const { mode, effects, indexLagMs } = value as Readonly<Record<string, unknown>>;
  if (mode !== undefined && !physicsModes.some((known) => known === mode))
    return `"mode" must be one of ${physicsModes.join(', ')}, not ${JSON.stringify(mode)}.`;
  if (effects !== undefined) {
    if (typeof effects !== 'object' || effects === null || Array.isArray(effects))
      return '"effects" must be an object of switches.';
    for (const [name, on] of Object.entries(effects)) {
      if (!physicsEffects.some((known) => known === name))
        return `There is no effect "${name}". There are ${physicsEffects.join(', ')}.`;
      if (typeof on !== 'boolean')
        return `"effects.${name}" must be true or false, not ${JSON.stringify(on)}.`;
    }
  }
  const wrongLag = indexLagMs === undefined ? undefined : lagProblem(indexLagMs);
  if (wrongLag !== undefined) return wrongLag;
  return {
    ...(mode !== undefined && { mode: mode as PhysicsMode }),
    ...(effects !== undefined && { effects: effects as Partial<Record<PhysicsEffect, boolean>> }),
    ...(indexLagMs !== undefined && { indexLagMs: indexLagMs as LagSpread }),
  };
}
