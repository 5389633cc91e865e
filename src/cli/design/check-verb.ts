import { command } from '../command.ts';
import { outputOptions } from '../flags.ts';
import { choice, onOff, path } from '../option.ts';
import { modelFileSection } from './help-sections.ts';

export const checkOptions = {
  failOn: choice(['error', 'warning', 'note', 'never'], {
    group: 'Behaviour',
    flagOnly: true,
    fallback: 'error',
    help: 'The mildest finding that makes the command fail.',
  }),
  model: path({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<file>',
    help: 'The model of a design, if the file to check is a design (from derive --out).',
  }),
  watch: onOff({
    group: 'Behaviour',
    flagOnly: true,
    help: 'Check again whenever a file beside the model changes, until Ctrl-C.',
  }),
  format: choice(['text', 'sarif', 'junit'], {
    group: 'Output',
    flagOnly: true,
    fallback: 'text',
    help: 'Print text for people (or, with --json, one JSON object), SARIF 2.1.0 for code hosts, or JUnit XML for CI.',
  }),
  ...outputOptions,
};

export const checkCommand = command({
  summary: 'judge a model and its tables by every rule that needs no traffic',
  options: checkOptions,
  operand: '<file>',
  load: async () => (await import('./check.ts')).check,
  help: {
    usage: 'stator design check <model|design> [options]',
    about:
      'Judges a model with its tables: derived ones, keys by hand, or a design of derive --out. Each finding has the name of its rule, the number behind it and what would help. docs/design/check.md lists the rules.',
    sections: [
      modelFileSection,
      {
        title: 'Exit codes',
        lines: [
          '0  no finding is as bad as --fail-on says',
          '1  one is, or something else failed',
          '2  the command itself is wrong',
        ],
      },
      {
        title: 'Examples',
        lines: [
          'stator design check model.ts',
          'stator design check model.ts --fail-on warning --format junit > check.xml',
          'stator design check model.ts --format sarif > check.sarif',
          'stator design check design.json --model model.ts',
          'stator design check model.ts --watch',
        ],
      },
    ],
  },
});
