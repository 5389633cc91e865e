import { type Command, command } from '../command.ts';
import { backupOptions, diffOptions, restoreOptions } from './past-options.ts';

const exitCodes = {
  title: 'Exit codes',
  lines: ['0  done', '1  failed', '2  the command itself is wrong'],
};

/** The commands about the past of tables. */
export const pastCommands: Readonly<Record<'backup' | 'restore' | 'diff', Command>> = {
  backup: command({
    summary: 'back up a table, list or delete backups',
    options: backupOptions,
    operand: '<table>',
    load: async () => (await import('./backup.ts')).backup,
    help: {
      usage: 'stator backup <table> [options]',
      about:
        'Makes a backup of a table as it is at this moment, and waits until it is done. Writers do not wait for it. The backup lies beside the data and outlives the table. With a server, Stator or AWS, it goes by the public API; with --data-dir straight on the data.',
      sections: [
        exitCodes,
        {
          title: 'Examples',
          lines: [
            'stator backup Orders',
            'stator backup Orders --name before-migration --json',
            'stator backup --list',
            'stator backup Orders --data-dir ./.stator',
          ],
        },
      ],
    },
  }),
  restore: command({
    summary: 'restore a backup, or a table at a time, into a new table',
    options: restoreOptions,
    operand: '<backup or table>',
    load: async () => (await import('./restore.ts')).restore,
    help: {
      usage: 'stator restore <backup ARN or table> --to <new table> [options]',
      about:
        'Restores a backup, or a table with point-in-time recovery as it was at a time, into a new table, and waits until it can be used.',
      sections: [
        exitCodes,
        {
          title: 'Examples',
          lines: [
            'stator restore arn:aws:dynamodb:us-east-1:000000000000:table/Orders/backup/… --to Orders-2',
            'stator restore Orders --at 2026-11-18T09:00:00Z --to Orders-at-nine',
          ],
        },
      ],
    },
  }),
  diff: command({
    summary: 'print what changed in a table between two times',
    options: diffOptions,
    operand: '<table>',
    load: async () => (await import('./diff.ts')).diff,
    help: {
      usage: 'stator diff <table> --from <time> [--to <time>] [options]',
      about:
        'Prints the items of a table with point-in-time recovery that differ between two times, with the difference. Items that came and went in between are left out. It needs a Stator, running or as a data directory.',
      sections: [
        exitCodes,
        {
          title: 'Examples',
          lines: [
            'stator diff Orders --from 2026-11-18T09:00:00Z',
            'stator diff Orders --from 2026-11-18T09:00:00Z --to 2026-11-18T10:00:00Z --json',
          ],
        },
      ],
    },
  }),
};
