import { emitFormats } from '../../design/emit/formats.ts';
import { type Command, command } from '../command.ts';
import { outputOptions } from '../flags.ts';
import { checkCommand } from './check-verb.ts';
import { costCommand } from './cost-verb.ts';
import { diffCommand } from './diff-verb.ts';
import { deriveOptions, documentOptions, emitOptions } from './flags.ts';
import { exitCodeSection, modelFileSection } from './help-sections.ts';
import { importCommand } from './import-verb.ts';
import { proveCommand } from './prove-verb.ts';
import { runVerb } from './run-verb.ts';

const formatLines = [
  ...Object.entries(emitFormats).map(([name, { about }]) => `${name.padEnd(16)}${about}`),
  `${'all'.padEnd(16)}all of them, into the directory --out`,
];

/** `stator design <verb>`. Each verb is a command of its own; its options stand in `flags.ts` beside this file. */
const verbs: Readonly<Record<string, Command>> = {
  derive: command({
    summary: 'derive tables, keys and the fewest indexes from the access patterns of a model',
    options: deriveOptions,
    operand: '<model>',
    load: async () => (await import('./derive.ts')).derive,
    help: {
      usage: 'stator design derive <model> [options]',
      about:
        'Derives the keys of every entity and the fewest indexes that answer each access pattern by one bounded plan, with a reason for every decision and a certificate that fewer indexes cannot do. A model that cannot be served is refused with the pattern, the rule and the smallest change that would help.',
      sections: [
        modelFileSection,
        exitCodeSection,
        {
          title: 'Examples',
          lines: [
            'stator design derive model.ts',
            'stator design derive model.ts --out design.json',
            'stator design derive model.json --create-table > tables.json',
          ],
        },
      ],
    },
  }),
  check: checkCommand,
  import: importCommand,
  prove: proveCommand,
  run: runVerb,
  cost: costCommand,
  diff: diffCommand,
  emit: command({
    summary: 'write a design as CloudFormation, CDK, Terraform, IAM policies and more',
    options: emitOptions,
    operand: '<format> <model>',
    operandsMax: 2,
    load: async () => (await import('./emit.ts')).emit,
    help: {
      usage: 'stator design emit <format> <model> [options]',
      about:
        'Derives the tables of a model, or takes a design, and writes them in a format that other tools read. Templates come with auto scaling, point-in-time recovery, Contributor Insights and alarms; mode, capacity ranges and environment are their parameters. The same model always gives the same text.',
      sections: [
        { title: 'Formats', lines: formatLines },
        modelFileSection,
        exitCodeSection,
        {
          title: 'Examples',
          lines: [
            'stator design emit cloudformation model.ts > template.yaml',
            'stator design emit terraform model.ts --billing provisioned --out main.tf',
            'stator design emit iam model.ts --environment prod --account 123456789012',
            'stator design emit all model.ts --out generated/',
          ],
        },
      ],
    },
  }),
  document: command({
    summary: 'write a document about a design, as a page and as Markdown',
    options: documentOptions,
    operand: '<model>',
    load: async () => (await import('./document.ts')).document,
    help: {
      usage: 'stator design document <model> [options]',
      about:
        'Writes what a team reads about its tables: access patterns with plans and prices, keys, item collections with sample rows, what each index holds, and why. model.html is one file with everything inside; model.md has its pictures beside it. Both follow the light or dark theme of the reader.',
      sections: [
        modelFileSection,
        exitCodeSection,
        {
          title: 'Examples',
          lines: [
            'stator design document model.ts --out docs/tables',
            'stator design document model.ts --format html > tables.html',
          ],
        },
      ],
    },
  }),
};

const verbLines = Object.entries(verbs).map(([name, { summary }]) => `${name.padEnd(10)}${summary}`);

export const designCommand = command({
  summary: 'derive, check and prove tables from a list of access patterns',
  options: { help: outputOptions.help },
  verbs,
  load: () => Promise.reject(new Error('The verbs of design run, not design itself')),
  help: {
    usage: 'stator design <verb> <file> [options]',
    about:
      'Takes a list of access patterns and answers the tables that serve them, or judges tables that exist already. stator help design <verb> tells everything about a verb.',
    sections: [{ title: 'Verbs', lines: verbLines }, modelFileSection],
  },
});
