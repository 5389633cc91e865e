import { retryModes } from '../../kit/sdk-policies.ts';
import { command } from '../command.ts';
import { outputOptions } from '../flags.ts';
import { choice, decimal, onOff, path, text, wholeNumber } from '../option.ts';

export const labOptions = {
  variant: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<names>',
    help: 'Which variants of the scenario to run, with commas between them; all unless given.',
  }),
  compare: onOff({
    group: 'Behaviour',
    flagOnly: true,
    help: 'Show two runs side by side: two variants of one scenario (stator lab parcels --compare monday sharded) or two scenarios or models (stator lab --compare a.json b.json).',
  }),
  seed: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 0, most: 2_147_483_647 },
    help: "The seed of everything that is drawn; the scenario's own, else 1. The same seed gives the same report, byte for byte.",
  }),
  scale: decimal({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 0.001, most: 10_000, fallback: 1 },
    help: 'Multiplies all rates: 10 sends ten times as much to the same tables and keys.',
  }),
  seconds: decimal({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 0.1, most: 604_800 },
    help: 'How many simulated seconds the traffic lasts, whatever the scenario says.',
  }),
  clients: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 1, most: 100_000 },
    help: 'How many SDK clients calls are spread over, whatever the scenario says.',
  }),
  retry: choice(['scenario', ...retryModes], {
    group: 'Behaviour',
    flagOnly: true,
    fallback: 'scenario',
    help: "How clients try again when they are throttled: as the scenario says, or in one of the SDK's modes.",
  }),
  html: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'Write a report for browsers into this file, with everything inside.',
  }),
  out: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'Write the report as JSON into this file.',
  }),
  ...outputOptions,
};

export const labCommand = command({
  summary: 'run a workload in simulated time against the physics of the service',
  options: labOptions,
  operand: '<scenario>',
  operandsMax: 3,
  load: async () => (await import('./lab.ts')).lab,
  help: {
    usage: 'stator lab [<scenario>] [options]',
    about:
      'Sends the calls of a scenario to tables in memory, on the real engine with enforced physics and a clock that jumps from call to call: hours of traffic in minutes. It tells throttles, hot keys, splits of partitions, lag, conflicts, retries and cost, by pattern and over time. Without a scenario it lists those that come with Stator.',
    sections: [
      {
        title: 'What a scenario is',
        lines: [
          'a name                the scenarios that come with Stator: stator lab lists them',
          '.json .ts .mjs .js    a scenario (docs/lab.md), or a model from stator/design with its traffic',
          '.jsonl                requests that stator record wrote',
        ],
      },
      { title: 'Exit codes', lines: ['0  done', '1  failed', '2  the command itself is wrong'] },
      {
        title: 'Examples',
        lines: [
          'stator lab',
          'stator lab parcels --seed 7 --json',
          'stator lab parcels --compare monday sharded --html parcels.html',
          'stator lab ./my-scenario.json --scale 10',
          'stator lab monday.jsonl --scale 10',
          'stator lab --compare design-a.json design-b.json',
        ],
      },
    ],
  },
});
