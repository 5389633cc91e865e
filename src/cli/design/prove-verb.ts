import { retryModes } from '../../kit/sdk-policies.ts';
import { command } from '../command.ts';
import { outputOptions } from '../flags.ts';
import { choice, path, wholeNumber } from '../option.ts';
import { modelFileSection } from './help-sections.ts';

export const proveOptions = {
  design: path({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<design>',
    help: 'A design of the model (from stator design derive --out) to prove instead of deriving one.',
  }),
  calls: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 1, most: 1_000_000, fallback: 1_000 },
    help: 'How often each pattern is called through the SDK.',
  }),
  instances: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 100, most: 5_000_000, fallback: 20_000 },
    help: 'How many instances of all entities are drawn, as a sample of the declared populations.',
  }),
  seconds: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 0, most: 86_400, fallback: 30 },
    help: 'How many simulated seconds the peak lasts; 0 leaves it out.',
  }),
  load: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 1, most: 100_000, fallback: 100 },
    help: 'The load of the peak in percent of the declared peak rates.',
  }),
  retry: choice(retryModes, {
    group: 'Behaviour',
    flagOnly: true,
    fallback: 'standard',
    help: 'How clients try again when they are throttled, as the AWS SDK does.',
  }),
  seed: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 0, most: 2_147_483_647, fallback: 1 },
    help: 'The seed of everything that is drawn. The same seed gives the same proof.',
  }),
  html: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'Write a report for browsers into this file, with everything inside.',
  }),
  markdown: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'Write a report for a pull request into this file.',
  }),
  ...outputOptions,
};

export const proveCommand = command({
  summary: 'run every pattern and the declared peak on the engine, and compare',
  options: proveOptions,
  operand: '<model>',
  load: async () => (await import('./prove.ts')).prove,
  help: {
    usage: 'stator design prove <model> [options]',
    about:
      'Creates the tables of a model in memory, loads a sample of its populations, calls each pattern through the AWS SDK, and compares every answer with a filter over all instances and every charge with the arithmetic of the items. Then it runs the declared peak in simulated time under enforced physics. Needs the package @aws-sdk/client-dynamodb.',
    sections: [
      modelFileSection,
      {
        title: 'Exit codes',
        lines: ['0  proved', '1  not proved, or something else failed', '2  the command itself is wrong'],
      },
      {
        title: 'Examples',
        lines: [
          'stator design prove model.ts',
          'stator design prove model.ts --html proof.html --markdown proof.md',
          'stator design prove model.ts --load 200 --seconds 120 --retry none',
        ],
      },
    ],
  },
});
