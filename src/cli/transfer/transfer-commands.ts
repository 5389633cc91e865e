import { type Command, command } from '../command.ts';
import { exportOptions, importOptions } from './transfer-options.ts';

const exitCodes = {
  title: 'Exit codes',
  lines: ['0  done', '1  failed, or rows were refused', '2  the command itself is wrong'],
};

/** The commands that carry tables from one place to another. */
export const transferCommands: Readonly<Record<'export' | 'import', Command>> = {
  export: command({
    summary: 'export a table, or its changes, to a bucket',
    options: exportOptions,
    operand: '<table>',
    load: async () => (await import('./export.ts')).exportTable,
    help: {
      usage: 'stator export <table> --bucket <bucket> [options]',
      about:
        'Exports a table with point-in-time recovery as it was at a moment, or with --from its changes in a window, in the layout of AWS, and waits until it is done. With a server, Stator or AWS, the server writes to its bucket; with --data-dir the command does. An export that was begun before and is not done is waited for.',
      sections: [
        exitCodes,
        {
          title: 'Examples',
          lines: [
            'stator export Orders --bucket data',
            'stator export Orders --bucket data --prefix nightly --at 2026-11-18T00:00:00Z',
            'stator export Orders --bucket data --from 2026-11-18T00:00:00Z --to 2026-11-18T12:00:00Z',
            'stator export Orders --bucket data --data-dir ./.stator --s3-dir ./buckets',
          ],
        },
      ],
    },
  }),
  import: command({
    summary: 'import a table from another table, an export or files, anonymised if wanted',
    options: importOptions,
    operand: '<table>',
    load: async () => (await import('./import.ts')).importTable,
    help: {
      usage: 'stator import <table> --source <place> | --source-table <table> | --bucket <bucket> [options]',
      about:
        'Fills a table with the items of a table of AWS or of any endpoint, of an export, or of files. Rules replace what must not leave production, so that keys still join, and a report says what was changed. The same command goes on after it was stopped or killed. With --bucket the server imports by itself (ImportTable), into a new table.',
      sections: [
        exitCodes,
        {
          title: 'Examples',
          lines: [
            'stator import Orders --source-table Orders --source-endpoint aws --source-region eu-west-1 --rules rules.json',
            'stator import Orders --source ./buckets/data/AWSDynamoDB/01700000000000-abcdef01 --create orders.json',
            'stator import Orders --source s3://data/AWSDynamoDB/01700000000000-abcdef01 --s3-endpoint aws --create orders.json',
            'stator import Orders --source orders.csv --create orders.json --data-dir ./.stator',
            'stator import Orders --source ./incremental-export --merge',
            'stator import Orders --bucket data --prefix orders/ --format csv --create orders.json',
          ],
        },
      ],
    },
  }),
};
