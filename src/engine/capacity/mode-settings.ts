import {
  mergeSettings,
  type PhysicsEffect,
  type PhysicsOverrides,
  type PhysicsSettings,
} from '../../physics/modes.ts';
import type { Physics } from '../../physics/physics.ts';
import type { Scope } from '../store-keys.ts';
import { tableArnIn } from './table-resources.ts';

/** The effects that are acted out for one table. */
export interface TableEffects {
  acts(effect: PhysicsEffect): boolean;
  /** Whether quotas on changes of settings apply. They are in the documented API, and so hold in shadow too. */
  readonly limitsChanges: boolean;
}

/** The modes of the server and of its tables, and which effects they act out. They may change while requests run. */
export class ModeSettings {
  readonly #model: Physics;
  /** Settings of single tables, by ARN. */
  readonly #tables: Map<string, PhysicsOverrides>;
  readonly #listeners: (() => void)[] = [];
  /** Whether the server and every table are off. */
  isOff = false;
  /** Whether the server or any table enforces. */
  isAnyEnforced = false;

  constructor(model: Physics, tables: ReadonlyMap<string, PhysicsOverrides> = new Map()) {
    this.#model = model;
    this.#tables = new Map(tables);
    for (const [arn, overrides] of tables) model.setTableSettings(arn, overrides);
    this.#weigh();
  }

  get server(): PhysicsSettings {
    return this.#model.settings;
  }

  get tables(): ReadonlyMap<string, PhysicsOverrides> {
    return this.#tables;
  }

  of(arn: string): PhysicsSettings {
    return mergeSettings(this.server, this.#tables.get(arn));
  }

  setServer(overrides: PhysicsOverrides): void {
    this.#model.setSettings(overrides);
    this.#weigh();
  }

  /** Undefined takes the settings of a table back. */
  setTable(arn: string, overrides: PhysicsOverrides | undefined): void {
    if (overrides === undefined) this.#tables.delete(arn);
    else this.#tables.set(arn, overrides);
    this.#model.setTableSettings(arn, overrides);
    this.#weigh();
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Whether an effect is acted out for a table. */
  acts(effect: PhysicsEffect, scope: Scope, tableName: string): boolean {
    if (!this.isAnyEnforced) return false;
    if (this.#tables.size === 0) return this.server.effects[effect];
    const { mode, effects } = this.of(tableArnIn(scope, tableName));
    return mode === 'enforce' && effects[effect];
  }

  limitsChanges(scope: Scope, tableName: string): boolean {
    const { mode, effects } = this.of(tableArnIn(scope, tableName));
    return mode !== 'off' && effects.changeQuotas;
  }

  /** Whether an effect is acted out for the server, where no table is known. */
  actsForServer(effect: PhysicsEffect): boolean {
    const { mode, effects } = this.server;
    return mode === 'enforce' && effects[effect];
  }

  #weigh(): void {
    const all = [this.server, ...[...this.#tables.values()].map((over) => mergeSettings(this.server, over))];
    this.isOff = all.every(({ mode }) => mode === 'off');
    this.isAnyEnforced = all.some(({ mode }) => mode === 'enforce');
    for (const listener of this.#listeners) listener();
  }
}
