import { existsSync } from 'node:fs';
import type { Suite } from '../suite.ts';
import { costBeside } from './cost-beside.ts';

/** Our server beside another build of itself. */
export const before: Suite = async (options, onProgress) => {
  const against = options.against;
  if (against === undefined || !existsSync(`${against}/cli/main.js`))
    throw new Error('--against must name the dist directory of another build, such as ../before/dist');
  return costBeside(options, onProgress, {
    contenders: { memory: 'before', lmdb: 'before-lmdb' },
    version: 'before',
    title: 'This build and the one before',
    compared: 'server CPU to before',
    against,
  });
};
