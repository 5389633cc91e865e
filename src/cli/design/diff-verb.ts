import { command } from '../command.ts';
import { outputOptions } from '../flags.ts';
import { decimal, path } from '../option.ts';
import { exitCodeSection, modelFileSection } from './help-sections.ts';

const behaviour = { group: 'Behaviour', flagOnly: true } as const;

/** The options of `stator design diff` and `stator migrate plan`. */
export const diffOptions = {
  oldDesign: path({
    ...behaviour,
    takes: '<design>',
    help: 'The design that the tables of the old model were made from; derived unless given.',
  }),
  design: path({
    ...behaviour,
    takes: '<design>',
    help: 'The design of the new model; derived unless given, with the names of the old one where it can.',
  }),
  readRate: decimal({
    ...behaviour,
    takes: '<units>',
    ...{ least: 1, most: 1e7 },
    help: 'Read units a second that the forecast lets backfills use; 1000 unless said otherwise.',
  }),
  writeRate: decimal({
    ...behaviour,
    takes: '<units>',
    ...{ least: 1, most: 1e7 },
    help: 'Write units a second that the forecast lets backfills use; 500 unless said otherwise.',
  }),
  out: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'Write the plan as JSON into this file, for stator migrate and the typed client.',
  }),
  ...outputOptions,
};

export const diffCommand = command({
  summary: 'plan how the tables of one model become those of another, while programs go on',
  options: diffOptions,
  operand: '<old> <new>',
  operandsMax: 2,
  load: async () => (await import('./diff.ts')).diff,
  help: {
    usage: 'stator design diff <old> <new> [options]',
    about:
      'Compares two versions of a model and tells what is only added, which indexes are created, one at a time, which items need a backfill and under which condition, when programs write both keys, when readers change over, where the way back is, and what all of it costs and how long it takes. Nothing is asked over the network; stator migrate runs the plan.',
    sections: [
      modelFileSection,
      exitCodeSection,
      {
        title: 'Examples',
        lines: [
          'stator design diff model-v1.ts model-v2.ts',
          'stator design diff v1.json v2.json --old-design design-v1.json --out migration.json',
          'stator design diff model-v1.ts model-v2.ts --write-rate 2000 --json',
        ],
      },
    ],
  },
});
