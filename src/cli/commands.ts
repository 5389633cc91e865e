import { alarmsCommand } from './alarms/alarms-command.ts';
import { type Command, command } from './command.ts';
import { designCommand } from './design/verbs.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import {
  checkOptions,
  compactOptions,
  explainOptions,
  physicsOptions,
  recordOptions,
  startOptions,
  tailOptions,
} from './flags.ts';
import { briefOptions } from './help.ts';
import { labCommand } from './lab/lab-command.ts';
import { learnCommand } from './learn/learn-command.ts';
import { migrateCommand } from './migrate/migrate-command.ts';
import { pastCommands } from './past/past-commands.ts';
import { capacityOptions, scanOptions, tableDesignOptions } from './tool-flags.ts';
import { topCommand } from './top/top-command.ts';
import { transferCommands } from './transfer/transfer-commands.ts';

const exitCodeLines = ['0  done, or stopped by a signal', '1  failed', '2  the command itself is wrong'];

/** Every command, in the order of help. The first is the one that is meant when none is named. */
export const commands: Readonly<Record<string, Command>> = {
  start: command({
    summary: 'serve DynamoDB on this machine (also without the word start)',
    options: startOptions,
    load: async () => (await import('./start.ts')).start,
    help: {
      usage: 'stator [start] [options]',
      about:
        "Serves a DynamoDB-compatible database. Point any AWS SDK, the AWS CLI or another tool at its address; any credentials will do unless --auth says otherwise. Every option can also be a variable (in brackets) or stand in a config file; DynamoDB Local's spellings (in brackets, with a dash) are accepted with one dash and with two. --no-… turns a switch off.",
      sections: [
        {
          title: 'Where options come from',
          lines: [
            'A flag wins over a variable, a variable over the config file, the config file over the default.',
            'The config file is stator.config.ts, .js, .mjs or .json in the working directory, or --config <file>.',
            'It holds (or exports by default) an object with the flags in camel case:',
            '',
            '  { "port": 8001, "dataDir": "./data", "init": "./tables.json" }',
            '',
            'Paths in it are relative to the file. STATOR_DEBUG=1 adds stack traces to errors.',
          ],
        },
        {
          title: 'What --init takes',
          lines: [
            '.json         CreateTable requests (one, or an array), the output of describe-table, or',
            '              { "tables": [CreateTable …], "items": { "<table>": [item …] } }, items in DynamoDB JSON,',
            '              or { "RequestItems": { … } } as for BatchWriteItem',
            '.json .yaml   a CloudFormation template: its DynamoDB tables',
            '.js .mjs .ts  export default async ({ client, db }) => { … }, where client is a DynamoDBClient of the',
            '              AWS SDK and db the open database; run at every start',
            'A table that exists already is left alone, and so are its items. Items for a table that the file does',
            'not define are put at every start. When an item is refused, the tables just created are removed again.',
          ],
        },
        { title: 'Exit codes', lines: exitCodeLines },
        {
          title: 'Examples',
          lines: [
            'stator                                    data in ./.stator, http://127.0.0.1:8000',
            'stator --in-memory --port 0               a throw-away database on a free port',
            'stator --init ./template.yaml             with the tables of a CloudFormation template',
            'stator --store postgres://db/stator       on a PostgreSQL-compatible cluster',
            'stator -inMemory -sharedDb                as DynamoDB Local is started',
          ],
        },
      ],
    },
  }),
  compact: command({
    summary: 'give free space in a data directory back to the disk',
    options: compactOptions,
    load: async () => (await import('./compact.ts')).compact,
    help: {
      usage: 'stator compact [options]',
      about:
        'Rewrites the data file without the space that deleted data has left behind. No process may have the directory open, and the disk needs room for a second copy. The old file stays until the new one is complete.',
      sections: [{ title: 'Exit codes', lines: exitCodeLines }],
    },
  }),
  check: command({
    summary: 'check that everything in a database fits together',
    options: checkOptions,
    load: async () => (await import('./check.ts')).check,
    help: {
      usage: 'stator check [options]',
      about:
        'Reads every table, item, index entry and counter and reports what does not fit together; nothing is changed. No process may have a data directory open, unless all say --shared; a PostgreSQL database may be in use. A running server checks itself with POST /_stator/check.',
      sections: [
        {
          title: 'Exit codes',
          lines: [
            '0  nothing is wrong',
            '1  something is wrong: see the report',
            '2  the command itself is wrong',
            '3  the check could not be made',
          ],
        },
      ],
    },
  }),
  explain: command({
    summary: 'tell what a PartiQL statement comes down to, and what it costs',
    options: explainOptions,
    operand: '<statement>',
    load: async () => (await import('./explain.ts')).explain,
    help: {
      usage: 'stator explain <statement> [options]',
      about:
        'Asks a running server which operation a PartiQL statement becomes, by which key and on which index, and what it will cost in capacity units. The statement is not run. A statement that the server would refuse is refused with the same text.',
      sections: [
        { title: 'Exit codes', lines: exitCodeLines },
        {
          title: 'Examples',
          lines: [
            `stator explain 'SELECT * FROM "Orders" WHERE id = ?'`,
            `stator explain 'DELETE FROM "Orders" WHERE id = ?' --parameters '[{"S":"a1"}]' --json`,
          ],
        },
      ],
    },
  }),
  physics: command({
    summary: 'tell what AWS would have throttled, and what it would have cost',
    options: physicsOptions,
    operand: '<table>',
    load: async () => (await import('./physics.ts')).physics,
    help: {
      usage: 'stator physics [<table>] [options]',
      about:
        "Asks a running server how AWS's hardware would have taken the load of a table: its partitions, the load of each over the last hour, which requests were or would have been throttled and why, and what each minute would have cost. Without a table it lists the tables in use.",
      sections: [
        { title: 'Exit codes', lines: exitCodeLines },
        {
          title: 'Examples',
          lines: [
            'stator physics',
            'stator physics Orders',
            'stator physics Orders --prices prices.json --json',
          ],
        },
      ],
    },
  }),
  top: topCommand,
  doctor: doctorCommand,
  alarms: alarmsCommand,
  design: designCommand,
  migrate: migrateCommand,
  lab: labCommand,
  learn: learnCommand,
  ...pastCommands,
  ...transferCommands,
  record: command({
    summary: 'write the requests of a running server into a traffic file',
    options: recordOptions,
    load: async () => (await import('./record.ts')).record,
    help: {
      usage: 'stator record [options]',
      about:
        'Records the requests that a running server gets, until Ctrl-C or for --seconds, as a file of JSON lines (docs/design/traffic.md) that the workload runner and the importer of designs read. Digests stand in the place of values, so that the file shows how hot keys and how large items are, and nothing else of them.',
      sections: [
        { title: 'Exit codes', lines: exitCodeLines },
        {
          title: 'Examples',
          lines: ['stator record --out monday.jsonl --seconds 600', 'stator record --tables Orders --plain'],
        },
      ],
    },
  }),
  tail: command({
    summary: 'print the changes of a table as they happen',
    options: tailOptions,
    operand: '<table>',
    load: async () => (await import('./tail.ts')).tail,
    help: {
      usage: 'stator tail <table> [options]',
      about:
        "Prints what happens to the items of a table, with the difference between before and after, until it is stopped with Ctrl-C. It reads the table's stream over the public API, so that it works with a running Stator and with AWS. A table without a stream needs one: --enable switches it on.",
      sections: [
        { title: 'Exit codes', lines: exitCodeLines },
        {
          title: 'Examples',
          lines: [
            'stator tail Orders --enable',
            'stator tail Orders --from oldest --event INSERT,REMOVE',
            `stator tail Orders --key a1 --where "status = 'open'" --json`,
            'stator tail Orders --endpoint aws --region eu-west-1 --from 2026-11-15T12:00:00Z',
          ],
        },
      ],
    },
  }),
  'table-design': command({
    summary: 'scaffold a table as CloudFormation, CDK or Terraform, by questions or by flags',
    options: tableDesignOptions,
    load: async () => (await import('./table-design.ts')).tableDesign,
    help: {
      usage: 'stator table-design [options]',
      about:
        'Asks for the name, keys, mode, indexes, expiry, stream and recovery of a table and writes it as a template with auto scaling of the table and its indexes, and alarms for throttles and server errors. Flags answer questions in advance. To derive keys and indexes from access patterns instead, see stator design.',
      sections: [
        { title: 'Exit codes', lines: exitCodeLines },
        {
          title: 'Examples',
          lines: [
            'stator table-design',
            'stator table-design --output cdk',
            'stator table-design --non-interactive --table app --output terraform --out main.tf',
            'stator table-design --non-interactive --table app --gsi "ByMail(email) KEYS_ONLY" --ttl none',
          ],
        },
      ],
    },
  }),
  capacity: command({
    summary: 'tell the capacity units of a workload, and its price in both modes',
    options: capacityOptions,
    load: async () => (await import('./capacity.ts')).capacity,
    help: {
      usage: 'stator capacity --item-size <KB> [options]',
      about:
        'Tells how many read and write units a workload uses, on the table and on its global indexes, and what a month of it costs: on demand, provisioned, and with reserved units. Nothing is asked over the network; the prices are a dated table.',
      sections: [
        { title: 'Exit codes', lines: exitCodeLines },
        {
          title: 'Examples',
          lines: [
            'stator capacity --item-size 2.5 --reads 500 --writes 200 --consistency eventual',
            'stator capacity --item-size 4 --reads 1000 --writes 100 --gsi-count 3',
            'stator capacity --item-size 1 --writes 100 --items 25000000 --recovery --backups 7 --exports 4 --currency INR=88.5',
            'stator capacity --item-size 1 --writes 3000 --mean-load 20 --items 50000000 --region eu-west-1',
          ],
        },
      ],
    },
  }),
  scan: command({
    summary: 'read a whole table in parallel, at a rate of your choice',
    options: scanOptions,
    load: async () => (await import('./scan/scan.ts')).scan,
    help: {
      usage: 'stator scan --table <table> [options]',
      about:
        'Reads all items of a table or index in parallel segments and writes them as lines of DynamoDB JSON. --rate holds the read units a second of all segments together. With --output a scan that was stopped, killed or throttled goes on where it was; the file appears under its name only when it is complete. It uses the public API, so that it works with a running Stator and with AWS.',
      sections: [
        { title: 'Exit codes', lines: exitCodeLines },
        {
          title: 'Examples',
          lines: [
            'stator scan --table MyTable --segments 10 --output results.json',
            `stator scan --table MyTable --filter "status = :s" --values '{":s":{"S":"active"}}'`,
            'stator scan --table MyTable --projection "id, total" --rate 50 --endpoint aws --region eu-west-1',
          ],
        },
      ],
    },
  }),
};

/** Words that are answered without a command of their own. */
export const otherWords = ['version', 'help'];

/** The commands by what their users want to do. A test sees that none is missing. */
const commandGroups: Readonly<Record<string, readonly string[]>> = {
  'Run a database': ['start', 'check', 'compact'],
  'See what happens': ['top', 'doctor', 'alarms', 'tail', 'explain', 'physics', 'record'],
  'Design tables': ['design', 'table-design', 'capacity', 'lab', 'migrate'],
  'Move and keep data': ['scan', 'export', 'import', 'backup', 'restore', 'diff'],
  Learn: ['learn', 'help', 'version'],
};

const otherSummaries: Readonly<Record<string, string>> = {
  version: 'print the version',
  help: 'print everything about a command, or a page of the handbook: stator help indexes',
};

function commandList(): string {
  return Object.entries(commandGroups)
    .map(([title, names]) => {
      const lines = names.map(
        (name) => `  ${name.padEnd(14)}${commands[name]?.summary ?? otherSummaries[name]}`,
      );
      return [`${title}:`, ...lines].join('\n');
    })
    .join('\n');
}

/** Every word of the list, for the test of it. */
export const listedCommands: readonly string[] = Object.values(commandGroups).flat();

/** A page for newcomers: the commands by goal, and the options of the first one that most people use. */
export function shortHelp(): string {
  return [
    'Usage: stator [start] [options]      serve DynamoDB on this machine',
    '       stator <command> [options]',
    '',
    commandList(),
    '',
    'Options of start, the usual ones:',
    briefOptions(startOptions),
    '',
    'More: stator help start (all options, variables, the config file), stator help <command>,',
    'stator help topics (pages of the handbook)',
  ].join('\n');
}

/** Every topic with its title. */
export function topicList(topics: readonly { readonly name: string; readonly title: string }[]): string {
  const width = Math.max(...topics.map(({ name }) => name.length)) + 2;
  const lines = topics.map(({ name, title }) => `  ${name.padEnd(width)}${title}`);
  return ['Topics of the handbook (stator help <topic>):', ...lines].join('\n');
}
