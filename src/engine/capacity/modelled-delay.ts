import { type ExpiryDelay, noDelay } from '../expiry/expiry-delay.ts';
import type { Table } from '../tables/table-record.ts';
import type { ModeSettings } from './mode-settings.ts';

/** The delay of Time to Live, where it is acted out; otherwise items go when they expire. Asked anew with every look. */
export class ModelledDelay implements ExpiryDelay {
  readonly #modes: ModeSettings;
  readonly #service: ExpiryDelay;

  constructor(modes: ModeSettings, service: ExpiryDelay) {
    this.#modes = modes;
    this.#service = service;
  }

  dueMs(expiresMs: number, entry: Uint8Array, table: Table): number {
    // Nobody may have used the table since the process was started, so that only its record tells.
    const isLate = this.#modes.effectsOf(table.scope, table.name, table.record).acts('timeToLiveDelay');
    return (isLate ? this.#service : noDelay).dueMs(expiresMs, entry, table);
  }

  get betweenLooksMs(): number {
    return this.#modes.actsForServer('timeToLiveDelay') ? this.#service.betweenLooksMs : 0;
  }
}
