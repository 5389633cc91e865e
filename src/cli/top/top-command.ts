import { type Command, command } from '../command.ts';
import { explainOptions, outputOptions } from '../flags.ts';
import { onOff, wholeNumber } from '../option.ts';

export const topOptions = {
  endpoint: explainOptions.endpoint,
  region: explainOptions.region,
  seconds: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 1, most: 300, fallback: 10 },
    help: 'Over how many of the latest seconds the rates of tables are averaged.',
  }),
  minutes: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 1, most: 180, fallback: 5 },
    help: 'Over how many of the latest minutes access patterns and keys are counted.',
  }),
  rows: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 1, most: 100, fallback: 6 },
    help: 'How many rows each part has.',
  }),
  once: onOff({
    group: 'Behaviour',
    flagOnly: true,
    help: 'Print the state once and end. Also the case where standard output is no terminal, unless there is --json.',
  }),
  ...outputOptions,
};

export const topCommand: Command = command({
  summary: 'watch tables, keys, access patterns, partitions and throttles, live',
  options: topOptions,
  operand: '<table>',
  load: async () => (await import('./top.ts')).top,
  help: {
    usage: 'stator top [<table>] [options]',
    about:
      'Shows what a running server does, anew every second: the rates of its tables, its access patterns, and of the busiest table, or the one that is named, the most accessed keys and the load of the partitions that AWS would have; then what was throttled, or on AWS would have been. q or Ctrl-C ends it. With --json it prints an object every second.',
    sections: [
      { title: 'Exit codes', lines: ['0  done, or stopped', '1  failed', '2  the command itself is wrong'] },
      {
        title: 'Examples',
        lines: ['stator top', 'stator top Orders --rows 12', 'stator top --once', 'stator top --once --json'],
      },
    ],
  },
});
