import { AskedProcess } from './asked-process.ts';
import { buildPackage } from './built-package.ts';
import type { DoorName } from './in-process.ts';
import type { WireItem } from './items.ts';

export type DoorRequest = 'get' | 'put';

export type DoorJob =
  | {
      readonly kind: 'open';
      readonly door: DoorName;
      /** The path of the package as it is built. */
      readonly index: string;
      readonly items: number;
      readonly seed: number;
    }
  | { readonly kind: 'round'; readonly name: DoorRequest; readonly seconds: number }
  | { readonly kind: 'item'; readonly index: number };

export interface DoorRound {
  readonly rate: number;
  /** The part of the time that was spent on our side of the SDK's client, from 0 to 1. */
  readonly ourShare: number;
}

/** A door of a database that has a process to itself, as each server has. */
export class MeasuredDoor {
  readonly name: DoorName;
  readonly #process = new AskedProcess<DoorJob>('A door', new URL('door-process.ts', import.meta.url));

  private constructor(name: DoorName) {
    this.name = name;
  }

  static async open(name: DoorName, items: number, seed: number): Promise<MeasuredDoor> {
    const door = new MeasuredDoor(name);
    await door.#process.ask<void>({ kind: 'open', door: name, index: buildPackage(), items, seed });
    return door;
  }

  round(name: DoorRequest, seconds: number): Promise<DoorRound> {
    return this.#process.ask({ kind: 'round', name, seconds });
  }

  item(index: number): Promise<WireItem> {
    return this.#process.ask({ kind: 'item', index });
  }

  stop(): void {
    this.#process.stop();
  }
}
