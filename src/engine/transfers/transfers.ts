import { nowMs } from '../../runtime/clock.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Background } from '../background/background-worker.ts';
import { Exports } from './exports.ts';
import type { TransferStepDeps } from './import-steps.ts';
import { Imports } from './imports.ts';
import type { TransferTools } from './objects.ts';

export interface TransfersDeps extends Omit<TransferStepDeps, 'nowMs' | 'signal' | 'log'> {
  readonly random: Randomness;
}

/** Exports of tables to buckets, and imports from there. */
export class Transfers {
  readonly exports: Exports;
  readonly imports: Imports;
  /** Where buckets are; undefined if nobody said. */
  readonly tools: TransferTools | undefined;

  constructor(deps: TransfersDeps, { clock, signal, log }: Background) {
    this.tools = deps.tools;
    const all = { ...deps, nowMs: () => nowMs(clock), signal, log };
    this.exports = new Exports(all);
    this.imports = new Imports(all);
  }
}
