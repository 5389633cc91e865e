import { type Command, command } from '../command.ts';
import { modelFileSection } from '../design/help-sections.ts';
import { outputOptions } from '../flags.ts';
import { downOptions, planOptions, statusOptions, upOptions } from './migrate-options.ts';

const exitCodes = {
  title: 'Exit codes',
  lines: [
    '0  done, as far as was asked, or waiting for --writers-ready',
    '1  stopped: refused, denied or interrupted; the same command goes on',
    '2  the command itself is wrong',
  ],
};

const verbs: Readonly<Record<string, Command>> = {
  plan: command({
    summary: 'plan a migration between two models, with the real tables in view',
    options: planOptions,
    operand: '<old> <new>',
    operandsMax: 2,
    load: async () => (await import('./plan.ts')).plan,
    help: {
      usage: 'stator migrate plan <old> <new> --out <plan> [options]',
      about:
        'Does what stator design diff does, looks at the tables, and writes the plan into a file, which the other verbs and the typed client take. Changes nothing.',
      sections: [
        modelFileSection,
        exitCodes,
        { title: 'Examples', lines: ['stator migrate plan model-v1.ts model-v2.ts --out migration.json'] },
      ],
    },
  }),
  up: command({
    summary: 'run a migration, or go on with it',
    options: upOptions,
    operand: '<plan>',
    load: async () => (await import('./run.ts')).up,
    help: {
      usage: 'stator migrate up <plan> [options]',
      about:
        'Creates indexes one at a time, has programs write both keys, fills what is missing in parallel segments within the rate that you allow, reconciles, and has readers change over. It can be stopped or killed anywhere: progress, history and a lock stand in the table, and the same command goes on. It uses the public API, so that it works with a running Stator and with AWS.',
      sections: [
        exitCodes,
        {
          title: 'Examples',
          lines: [
            'stator migrate up migration.json                                   up to the point where writers must be ready',
            'stator migrate up migration.json --writers-ready --write-rate 500  backfill, reconcile, change readers over',
            'stator migrate up migration.json --until done                      take the old keys away',
            'stator migrate up migration.json --endpoint aws --region eu-west-1 --tables shop=shop-prod',
          ],
        },
      ],
    },
  }),
  status: command({
    summary: 'tell how far a migration has come, and its history',
    options: statusOptions,
    operand: '<plan>',
    load: async () => (await import('./run.ts')).status,
    help: {
      usage: 'stator migrate status <plan> [options]',
      about:
        'Reads the state of a migration from its table: the phase, the steps, who runs it, and its history.',
      sections: [exitCodes],
    },
  }),
  down: command({
    summary: 'take a migration back to its last rollback point',
    options: downOptions,
    operand: '<plan>',
    load: async () => (await import('./run.ts')).down,
    help: {
      usage: 'stator migrate down <plan> [options]',
      about:
        'After the flip it takes readers back to the old keys, at once and without touching an item. Before the flip, or when asked again, it takes away everything that the migration added. Once the old keys are gone there is no way back.',
      sections: [exitCodes],
    },
  }),
};

const verbLines = Object.entries(verbs).map(([name, { summary }]) => `${name.padEnd(8)}${summary}`);

/** `stator migrate <verb>`. */
export const migrateCommand = command({
  summary: 'change keys and indexes of tables while programs go on',
  options: { help: outputOptions.help },
  verbs,
  load: () => Promise.reject(new Error('The verbs of migrate run, not migrate itself')),
  help: {
    usage: 'stator migrate <verb> <file> [options]',
    about:
      'Runs the plan that leads from one model to another against tables of Stator or AWS. stator help migrate <verb> tells everything about a verb.',
    sections: [{ title: 'Verbs', lines: verbLines }],
  },
});
