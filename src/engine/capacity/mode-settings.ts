import { tableArnIn } from '../../model/tables/table-arn.ts';
import type { LagSpread } from '../../physics/lag-spread.ts';
import {
  mergeOverrides,
  mergeSettings,
  type PhysicsEffect,
  type PhysicsOverrides,
  type PhysicsSettings,
} from '../../physics/modes.ts';
import type { Physics } from '../../physics/physics.ts';
import type { Scope } from '../store-keys.ts';
import { sharingProblem } from './several-processes.ts';

/** The effects that are acted out for one table. */
export interface TableEffects {
  acts(effect: PhysicsEffect): boolean;
  /** Whether quotas on changes of settings apply. They are in the documented API, and so hold in shadow too. */
  readonly limitsChanges: boolean;
}

/** What a table's record says of its physics: what was set for it while a server ran. */
export interface StoredModes {
  readonly physics?: PhysicsOverrides;
}

export interface ModeDeps {
  readonly log: (line: string) => void;
  /** Whether other processes use the same store: then nothing is enforced that a process knows from its memory alone. */
  readonly isShared: boolean;
}

/**
 * The modes of the server and of its tables, and which effects they act out. They may change while requests run.
 *
 * A table has what its record says, else what the process was started with for its name, else the server's. The record
 * is in the store, so that it holds after a restart and for other processes, and goes with the table.
 */
export class ModeSettings {
  readonly #model: Physics;
  readonly #deps: ModeDeps;
  /** Settings that the process was started with, by the ARN of the table. */
  readonly configured: ReadonlyMap<string, PhysicsOverrides>;
  /** What the records of tables in use say, by ARN. */
  readonly #stored = new Map<string, PhysicsOverrides>();
  readonly #told = new Set<string>();
  readonly #listeners: (() => void)[] = [];
  /** Whether the server and every table are off. */
  isOff = false;
  /** Whether the server or any table enforces. */
  isAnyEnforced = false;

  constructor(
    model: Physics,
    deps: ModeDeps = { log: () => {}, isShared: false },
    configured: ReadonlyMap<string, PhysicsOverrides> = new Map(),
  ) {
    this.#model = model;
    this.#deps = deps;
    this.configured = configured;
    for (const [arn, overrides] of configured) model.setTableSettings(arn, overrides);
    this.#weigh();
  }

  get server(): PhysicsSettings {
    return this.#model.settings;
  }

  /** The settings of a table, as far as its record is known. */
  of(arn: string): PhysicsSettings {
    return this.#merged(arn, this.#stored.get(arn));
  }

  /** The settings of a table with a given record. */
  ofRecord(arn: string, { physics }: StoredModes): PhysicsSettings {
    return this.#merged(arn, physics);
  }

  setServer(overrides: PhysicsOverrides): void {
    this.#model.setSettings(overrides);
    this.#weigh();
  }

  /** Takes what the record of a table says; undefined for a table that is gone. */
  noteTable(arn: string, overrides: PhysicsOverrides | undefined): void {
    if (overrides === undefined && !this.#stored.has(arn)) return;
    if (JSON.stringify(overrides) === JSON.stringify(this.#stored.get(arn))) return;
    if (overrides === undefined) this.#stored.delete(arn);
    else this.#stored.set(arn, overrides);
    this.#model.setTableSettings(arn, this.#overridesOf(arn, overrides));
    this.#weigh();
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Whether an effect is acted out for a table whose record is known: one that requests have used. */
  acts(effect: PhysicsEffect, scope: Scope, tableName: string): boolean {
    if (!this.isAnyEnforced) return false;
    if (this.#stored.size === 0 && this.configured.size === 0) return this.server.effects[effect];
    const { mode, effects } = this.of(tableArnIn(scope, tableName));
    return mode === 'enforce' && effects[effect];
  }

  /** How far the global indexes of such a table lag behind. */
  lagOf(scope: Scope, tableName: string): LagSpread {
    return this.of(tableArnIn(scope, tableName)).indexLagMs;
  }

  /** The effects for a table with a given record, or for one that is about to be made. */
  effectsOf(scope: Scope, tableName: string, record: StoredModes): TableEffects {
    const { mode, effects } = this.ofRecord(tableArnIn(scope, tableName), record);
    return {
      acts: (effect) => mode === 'enforce' && effects[effect],
      limitsChanges: mode !== 'off' && effects.changeQuotas,
    };
  }

  /** Whether an effect is acted out for the server, where no table is known. */
  actsForServer(effect: PhysicsEffect): boolean {
    const { mode, effects } = this.server;
    return mode === 'enforce' && effects[effect];
  }

  #merged(arn: string, stored: PhysicsOverrides | undefined): PhysicsSettings {
    if (stored === undefined && this.configured.size === 0) return this.server;
    return mergeSettings(this.server, this.#overridesOf(arn, stored));
  }

  /** Where several processes share the store, a table that another process left in `enforce` is judged in shadow. */
  #overridesOf(arn: string, stored: PhysicsOverrides | undefined): PhysicsOverrides | undefined {
    const overrides = mergeOverrides(this.configured.get(arn), stored);
    if (overrides === undefined || !this.#deps.isShared) return overrides;
    const problem = sharingProblem(mergeSettings(this.server, overrides));
    if (problem === undefined) return overrides;
    if (!this.#told.has(arn) && this.#told.size < toldMax) {
      this.#told.add(arn);
      this.#deps.log(`${arn} is kept in "enforce" and judged in "shadow" here. ${problem}`);
    }
    return { ...overrides, mode: 'shadow' };
  }

  #weigh(): void {
    const arns = new Set([...this.configured.keys(), ...this.#stored.keys()]);
    const all = [this.server, ...[...arns].map((arn) => this.of(arn))];
    this.isOff = all.every(({ mode }) => mode === 'off');
    this.isAnyEnforced = all.some(({ mode }) => mode === 'enforce');
    for (const listener of this.#listeners) listener();
  }
}

const toldMax = 1_000;
