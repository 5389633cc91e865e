import { type Command, command } from '../command.ts';
import { outputOptions, tailOptions } from '../flags.ts';
import { choice, onOff, text, wholeNumber } from '../option.ts';

const once = { group: 'Behaviour', flagOnly: true } as const;

export const placeOptions = {
  endpoint: tailOptions.endpoint,
  region: tailOptions.region,
  table: text({
    ...once,
    takes: '<names>',
    help: 'Only these tables, separated by commas; all of the Region unless said otherwise.',
  }),
};

export const doctorOptions = {
  ...placeOptions,
  minutes: wholeNumber({
    ...once,
    ...{ least: 1, most: 1_440, fallback: 60 },
    help: 'How far back metrics go.',
  }),
  budget: wholeNumber({
    ...once,
    ...{ least: 0, most: 100_000, fallback: 25 },
    help: 'Read units that the sample of one table may use. 0 reads no items.',
  }),
  failOn: choice(['error', 'warning', 'note', 'never'], {
    ...once,
    fallback: 'error',
    help: 'The mildest finding that makes the command fail.',
  }),
  watch: onOff({
    ...once,
    help: 'Look again every --seconds and print what has come and what has gone, until Ctrl-C.',
  }),
  seconds: wholeNumber({
    ...once,
    ...{ least: 1, most: 86_400, fallback: 30 },
    help: 'The time between two looks of --watch.',
  }),
  format: choice(['text', 'sarif'], {
    group: 'Output',
    flagOnly: true,
    fallback: 'text',
    help: 'Print text for people (or, with --json, one JSON object), or SARIF 2.1.0 for code hosts.',
  }),
  ...outputOptions,
};

export const doctorCommand: Command = command({
  summary: 'find out what is wrong with tables, why, and what helps',
  options: doctorOptions,
  load: async () => (await import('./doctor.ts')).doctor,
  help: {
    usage: 'stator doctor [options]',
    about:
      'Examines tables: throttles, refusals, reads that cost more than they bring, keys and indexes that do not scale, items that grow, settings that are missing. Each finding tells its symptom, the cause, what was seen, the command that confirms it and what helps. It only reads: definitions, metrics, and a sample of items within --budget. A running Stator also tells access patterns and keys; on AWS the doctor uses DescribeTable, CloudWatch and a sampled Scan, and lists what it may not see.',
    sections: [
      {
        title: 'Exit codes',
        lines: [
          '0  no finding is as bad as --fail-on says',
          '1  one is, or the tables could not be examined',
          '2  the command itself is wrong',
        ],
      },
      {
        title: 'Examples',
        lines: [
          'stator doctor',
          'stator doctor --table Orders,Stock --minutes 180',
          'stator doctor --endpoint aws --region eu-west-1 --budget 100 --fail-on warning',
          'stator doctor --format sarif > doctor.sarif',
          'stator doctor --watch --seconds 60',
        ],
      },
    ],
  },
});
