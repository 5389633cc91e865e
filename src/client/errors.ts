import type { Invariant } from '../design/index.ts';

/** A write was refused because an invariant of its pattern does not hold. Nothing was written. */
export class InvariantError extends Error {
  readonly pattern: string;
  /** Which ones: their kinds, entities and texts. */
  readonly invariants: readonly Invariant[];

  constructor(pattern: string, invariants: readonly Invariant[], cause: unknown) {
    super(`${pattern}: ${invariants.map(({ text }) => text).join('; ')}`, { cause });
    this.name = 'InvariantError';
    this.pattern = pattern;
    this.invariants = invariants;
  }
}

/** A command's identity was used before with other values. */
export class CommandMismatchError extends Error {
  readonly pattern: string;

  constructor(pattern: string, command: string) {
    super(`${pattern}: the command ${JSON.stringify(command)} was run before with other values`);
    this.name = 'CommandMismatchError';
    this.pattern = pattern;
  }
}

/** The service left a part of a batch undone, each time it was asked. */
export class UnprocessedError extends Error {
  /** How many items were not read or written. */
  readonly unprocessed: number;

  constructor(pattern: string, unprocessed: number, attempts: number) {
    super(`${pattern}: ${unprocessed} items of a batch were unprocessed after ${attempts} attempts`);
    this.name = 'UnprocessedError';
    this.unprocessed = unprocessed;
  }
}
