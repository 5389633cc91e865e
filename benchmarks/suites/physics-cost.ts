import type { Suite } from '../suite.ts';
import { costBeside } from './cost-beside.ts';

/** What the physical model costs: our server in `shadow`, as it is by default, beside itself with `--physics off`. */
export const physicsCost: Suite = (options, onProgress) =>
  costBeside(options, onProgress, {
    contenders: { memory: 'physics-off', lmdb: 'physics-off-lmdb' },
    version: 'off',
    title: 'shadow and off',
    compared: 'server CPU in shadow to off',
  });
