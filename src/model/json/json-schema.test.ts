import { expect, it } from 'vitest';
import { type JsonSchema, pointerOf, type SchemaDocument, schemaFaults } from './json-schema.ts';

const document: SchemaDocument = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'a shop',
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, pattern: '^[a-z]' },
    shelves: { type: 'array', items: { $ref: '#/$defs/shelf' }, minItems: 1 },
  },
  required: ['name'],
  additionalProperties: false,
  $defs: {
    shelf: {
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'open' }, slots: { type: 'integer', maximum: 2_000 } },
        },
        { type: 'object', properties: { kind: { const: 'shut' } } },
      ],
    },
  },
};
const faults = (schema: JsonSchema | SchemaDocument, value: unknown) =>
  [...schemaFaults(schema, value)].map((fault) => `${pointerOf(fault)} ${fault.problem}`);

it('finds every fault, with its place and the nearest valid word', () => {
  expect(faults(document, { name: 'a', shelves: [{ kind: 'open', slots: 3 }, { kind: 'shut' }] })).toEqual(
    [],
  );
  expect(
    faults(document, {
      shelfs: [],
      shelves: [{ kind: 'opne' }, { kind: 'open', slots: 2_001 }, {}, 5],
      'a/b': 1,
    }),
  ).toEqual([
    '/shelfs is not known here; did you mean "shelves"?',
    '/shelves/0/kind must be one of open, shut, not "opne"; did you mean "open"?',
    '/shelves/1/slots must be a whole number of 2,000 or less, not 2001',
    '/shelves/2 needs a "kind": open, shut',
    '/shelves/3 must be an object, not 5',
    '/a~1b is not known here; there are name, shelves',
    '/ needs "name"',
  ]);
  expect(faults(document, [])).toEqual(['/ must be an object, not []']);
  expect(faults(document, { name: 'A' })).toEqual(['/name must match ^[a-z]']);
});

it('names the form that a value without a kind comes nearest to', () => {
  const schema: JsonSchema = {
    anyOf: [
      { type: 'integer' },
      {
        type: 'object',
        properties: { min: { type: 'integer' } },
        required: ['min'],
        additionalProperties: false,
      },
    ],
  };
  expect(faults(schema, { min: 'x' })).toEqual(['/min must be a whole number, not "x"']);
  expect(faults(schema, 'x')).toEqual(['/ must be a whole number, not "x"']);
});
