import { outputOptions } from '../flags.ts';
import { onOff, path } from '../option.ts';

/** The options of `stator design …`. They describe one run, so that none of them is read from variables or config files. */

export const deriveOptions = {
  out: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'Write the design as JSON into this file.',
  }),
  createTable: onOff({
    group: 'Output',
    flagOnly: true,
    help: 'Print the CreateTable requests of the design as JSON, and nothing else.',
  }),
  previous: path({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<design>',
    help: 'An earlier design of the model (from --out): placements keep the names of their indexes where they can.',
  }),
  ...outputOptions,
};
