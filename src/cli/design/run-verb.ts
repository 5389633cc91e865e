import { retryModes } from '../../kit/sdk-policies.ts';
import { command } from '../command.ts';
import { outputOptions, tailOptions } from '../flags.ts';
import { choice, decimal, onOff, path, wholeNumber } from '../option.ts';
import { tablesOption } from '../real-names.ts';
import { modelFileSection } from './help-sections.ts';

const once = { group: 'Behaviour', flagOnly: true } as const;

export const runOptions = {
  endpoint: tailOptions.endpoint,
  region: tailOptions.region,
  tables: tablesOption,
  design: path({
    ...once,
    takes: '<design>',
    help: 'A design of the model (from stator design derive --out) to run instead of deriving one.',
  }),
  fill: onOff({ ...once, help: 'Put the sample into tables that are there already, beside what they hold.' }),
  cleanup: onOff({ ...once, help: 'Delete the tables that this run has created when it ends.' }),
  instances: wholeNumber({
    ...once,
    ...{ least: 100, most: 5_000_000, fallback: 10_000 },
    help: 'How many instances of all entities are drawn, as a sample of the declared populations.',
  }),
  seconds: wholeNumber({
    ...once,
    ...{ least: 1, most: 86_400, fallback: 30 },
    help: 'How long calls are made, in real seconds.',
  }),
  load: decimal({
    ...once,
    takes: '<percent>',
    ...{ least: 0.001, most: 100_000, fallback: 100 },
    help: 'The load in percent of the declared peak rates.',
  }),
  parallel: wholeNumber({
    ...once,
    ...{ least: 1, most: 10_000, fallback: 256 },
    help: 'Calls under way at the same time. What is due above it is not sent, and counted.',
  }),
  clients: wholeNumber({
    ...once,
    ...{ least: 1, most: 10_000, fallback: 16 },
    help: 'Over how many clients the calls are spread; each has its own budget for retries.',
  }),
  retry: choice(retryModes, {
    ...once,
    fallback: 'standard',
    help: 'How clients try again when they are throttled, as the AWS SDK does.',
  }),
  seed: wholeNumber({
    ...once,
    ...{ least: 0, most: 2_147_483_647, fallback: 1 },
    help: 'The seed of everything that is drawn.',
  }),
  traffic: path({
    ...once,
    takes: '<file>',
    help: 'Play this traffic file instead of drawing calls: those of stator record, or of --record. Tables are taken as they are.',
  }),
  speed: decimal({
    ...once,
    ...{ least: 0.001, most: 1_000, fallback: 1 },
    help: 'How fast a traffic file is played; 2 is twice as fast as it was.',
  }),
  record: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'Write the calls that were drawn as a traffic file, to play them again.',
  }),
  ...outputOptions,
};

export const runVerb = command({
  summary: 'call the patterns of a model against a server or AWS, in real time',
  options: runOptions,
  operand: '<model>',
  load: async () => (await import('./run.ts')).run,
  help: {
    usage: 'stator design run <model> [options]',
    about:
      'Creates the tables of a model at an endpoint, puts a sample of its populations into them, and calls all patterns at their declared peak rates in real time, with the key distributions of the model. Tells latencies, throttles, failures and consumed units by pattern, beside the forecast. Tables that are there already are refused unless --fill or --traffic says what to do with them.',
    sections: [
      modelFileSection,
      {
        title: 'Exit codes',
        lines: [
          '0  all calls were answered, or met somebody faster',
          '1  calls failed, were lost to throttling or not sent, the run was interrupted, or something else failed',
          '2  the command itself is wrong',
        ],
      },
      {
        title: 'Examples',
        lines: [
          'stator design run model.ts --load 10 --cleanup',
          'stator design run model.ts --endpoint aws --tables shop=shop-load --load 1 --seconds 60 --cleanup',
          'stator design run model.ts --fill --record calls.jsonl',
          'stator design run model.ts --traffic calls.jsonl --speed 2',
          'stator design run --traffic monday.jsonl            # requests of stator record need no model',
        ],
      },
    ],
  },
});
