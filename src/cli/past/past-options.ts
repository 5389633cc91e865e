import { checkOptions, outputOptions, tailOptions } from '../flags.ts';
import { onOff, text } from '../option.ts';

/** Where the tables are: with a running server, or in a data directory that no server has open. */
export const placeOptions = {
  endpoint: tailOptions.endpoint,
  region: tailOptions.region,
  dataDir: {
    ...checkOptions.dataDir,
    flagOnly: true,
    help: 'Work on the data in this directory, without a server. No server may have it open.',
  },
};

export const time = (help: string) =>
  text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<time>',
    check: (given) =>
      Number.isNaN(timeOf(given)) ? 'must be a time such as 2026-11-18T09:00:00Z' : undefined,
    help,
  });

/** A time on the command line: a text, or milliseconds since 1970. */
export function timeOf(given: string): number {
  return /^\d{10,}$/.test(given) ? Number(given) : Date.parse(given);
}

export const backupOptions = {
  ...placeOptions,
  name: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<name>',
    check: (given) =>
      /^[a-zA-Z0-9_.-]{3,255}$/.test(given)
        ? undefined
        : 'must have 3 to 255 letters, digits, dots, dashes and underscores',
    help: 'The name of the backup; the table and the time unless said otherwise.',
  }),
  list: onOff({
    group: 'Behaviour',
    flagOnly: true,
    help: 'List the backups of the table, or of all tables, instead of making one.',
  }),
  delete: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<arn>',
    help: 'Delete the backup with this ARN instead of making one.',
  }),
  ...outputOptions,
};

export const restoreOptions = {
  ...placeOptions,
  to: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<table>',
    help: 'The name of the new table.',
  }),
  at: time(
    'The moment to restore a table with point-in-time recovery to; the latest possible unless said otherwise.',
  ),
  ...outputOptions,
};

export const diffOptions = {
  ...placeOptions,
  from: time('The earlier of the two moments.'),
  to: time('The later of the two moments; now unless said otherwise.'),
  ...outputOptions,
};
