import { importFormats } from '../../design/import/import.ts';
import { command } from '../command.ts';
import { outputOptions } from '../flags.ts';
import { choice, path, text } from '../option.ts';
import { exitCodeSection } from './help-sections.ts';

export const importOptions = {
  format: choice(['auto', ...importFormats], {
    group: 'Behaviour',
    flagOnly: true,
    fallback: 'auto',
    help: 'The format of the file; found by its shape unless said.',
  }),
  keys: text({
    group: 'Behaviour',
    flagOnly: true,
    takes: '<names>',
    help: 'The key attributes of a sample of items, partition key first, with a comma between them.',
  }),
  out: path({
    group: 'Output',
    flagOnly: true,
    takes: '<file>',
    help: 'Write the model as JSON into this file.',
  }),
  ...outputOptions,
};

export const importCommand = command({
  summary: 'make a model of a design that another tool wrote, or of items and traffic',
  options: importOptions,
  operand: '<file>',
  load: async () => (await import('./import.ts')).importVerb,
  help: {
    usage: 'stator design import <file> [options]',
    about:
      "Reads both dynamodb_data_model.json formats and schema.json of AWS's agent toolkit and MCP server, NoSQL Workbench, OneTable, CreateTable and DescribeTable JSON, CloudFormation, a sample of items (JSON lines) and recorded traffic. Keys become keys by hand, so that stator design check judges them. What was inferred or guessed is listed.",
    sections: [
      exitCodeSection,
      {
        title: 'Examples',
        lines: [
          'stator design import dynamodb_data_model.json --out model.json',
          'stator design import template.yaml --out model.json && stator design check model.json',
          'stator design import items.jsonl --keys pk,sk',
        ],
      },
    ],
  },
});
