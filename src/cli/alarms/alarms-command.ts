import { type Command, command } from '../command.ts';
import { placeOptions } from '../doctor/doctor-command.ts';
import { outputOptions } from '../flags.ts';
import { onOff, text, wholeNumber } from '../option.ts';

const dryRun = onOff({
  group: 'Behaviour',
  flagOnly: true,
  help: 'Print what would be done, and do nothing.',
});

export const alarmsListOptions = { ...placeOptions, ...outputOptions };
export const alarmsRemoveOptions = { ...placeOptions, dryRun, ...outputOptions };
export const alarmsInstallOptions = {
  ...placeOptions,
  action: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<names>',
    help: 'What an alarm does, separated by commas: ARNs on AWS (an SNS topic), names of --alarm-actions on a Stator. Without it alarms only change their state.',
  }),
  lambda: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<names>',
    help: 'Functions that read the streams, separated by commas. Each gets an alarm on its IteratorAge.',
  }),
  iteratorAge: wholeNumber({
    group: 'Behaviour',
    flagOnly: true,
    ...{ least: 1, most: 86_400, fallback: 60 },
    help: 'How many seconds a function, or on a Stator any reader, may be behind its stream.',
  }),
  dryRun,
  ...outputOptions,
};

const exitCodes = {
  title: 'Exit codes',
  lines: ['0  done', '1  failed', '2  the command itself is wrong'],
};

const verbs: Readonly<Record<string, Command>> = {
  install: command({
    summary: 'create the alarms that every table should have',
    options: alarmsInstallOptions,
    load: async () => (await import('./alarms.ts')).installAlarms,
    help: {
      usage: 'stator alarms install [options]',
      about:
        'Creates alarms through the API of CloudWatch: throttles of the table and of each index, hot keys, more than 80 % of provisioned capacity, throttles below half of it, conditions that fail often or more and more often, readers of streams that are late (of a Stator; on AWS name functions with --lambda), errors of the service. What is there and right is left alone, so that it can be repeated. It works with a Stator and with AWS, where alarms cost money.',
      sections: [
        exitCodes,
        {
          title: 'Examples',
          lines: [
            'stator alarms install --dry-run',
            'stator alarms install --table Orders',
            'stator alarms install --endpoint aws --region eu-west-1 --action arn:aws:sns:eu-west-1:123456789012:page --lambda orders-projection',
          ],
        },
      ],
    },
  }),
  list: command({
    summary: 'list these alarms and their states',
    options: alarmsListOptions,
    load: async () => (await import('./alarms.ts')).listAlarms,
    help: {
      usage: 'stator alarms list [options]',
      about: 'Lists the alarms that stator alarms install has made, with their states.',
      sections: [exitCodes, { title: 'Examples', lines: ['stator alarms list --table Orders'] }],
    },
  }),
  remove: command({
    summary: 'remove these alarms',
    options: alarmsRemoveOptions,
    load: async () => (await import('./alarms.ts')).removeAlarms,
    help: {
      usage: 'stator alarms remove [options]',
      about:
        'Removes the alarms that stator alarms install has made, also those of tables and indexes that are gone. Other alarms are left alone.',
      sections: [exitCodes, { title: 'Examples', lines: ['stator alarms remove --table Orders --dry-run'] }],
    },
  }),
};

export const alarmsCommand: Command = command({
  summary: 'install, list and remove the alarms that tables should have',
  options: { help: outputOptions.help },
  verbs,
  load: () => Promise.reject(new Error('The verbs of alarms run, not alarms itself')),
  help: {
    usage: 'stator alarms <verb> [options]',
    about:
      'Keeps the alarms of tables in CloudWatch, of a Stator or of AWS. stator help alarms <verb> tells everything about a verb.',
    sections: [
      {
        title: 'Verbs',
        lines: Object.entries(verbs).map(([name, { summary }]) => `${name.padEnd(10)}${summary}`),
      },
    ],
  },
});
