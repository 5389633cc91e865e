import { createRequire } from 'node:module';
import type { CollectionTag, ScalarTag } from 'yaml';
import { TablesError } from './table-definition.ts';

const require = createRequire(import.meta.url);

/** Reads JSON or YAML, with CloudFormation's short forms (`!Ref x`) written out (`{"Ref": "x"}`). */
export function parseText(text: string, fileName: string): unknown {
  const content = text.replace(/^\uFEFF/, '');
  if (/^\s*[{[]/.test(content)) {
    try {
      return JSON.parse(content);
    } catch (error) {
      // YAML may begin with a bracket too; but who names the file .json means JSON.
      if (/\.json$/i.test(fileName)) {
        throw new TablesError(`${fileName} is not JSON: ${messageOf(error)}`, { cause: error });
      }
    }
  }
  // The reader of YAML is loaded only where there is YAML to read.
  const { parse } = require('yaml') as typeof import('yaml');
  try {
    return parse(content, { customTags: shortForms, logLevel: 'error' });
  } catch (error) {
    throw new TablesError(`${fileName} is neither JSON nor YAML: ${messageOf(error)}`, { cause: error });
  }
}

const functions = [
  ...['And', 'Base64', 'Cidr', 'Equals', 'FindInMap', 'GetAZs', 'If', 'ImportValue', 'Join', 'Length'],
  ...['Not', 'Or', 'Select', 'Split', 'Sub', 'ToJsonString', 'Transform'],
];

const shortForms: (ScalarTag | CollectionTag)[] = [
  scalar('Ref', (text) => ({ Ref: text })),
  scalar('Condition', (text) => ({ Condition: text })),
  scalar('GetAtt', (text) => ({ 'Fn::GetAtt': text.split('.') })),
  ...collections('GetAtt'),
  ...functions.flatMap((name) => [scalar(name, (text) => ({ [`Fn::${name}`]: text })), ...collections(name)]),
];

function scalar(name: string, resolve: (text: string) => unknown): ScalarTag {
  return { tag: `!${name}`, resolve };
}

function collections(name: string): CollectionTag[] {
  const resolve: NonNullable<CollectionTag['resolve']> = (node) => ({ [`Fn::${name}`]: node.toJSON() });
  return [
    { tag: `!${name}`, collection: 'seq', resolve },
    { tag: `!${name}`, collection: 'map', resolve },
  ];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
