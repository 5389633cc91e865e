import type { JsonSchema, SchemaDocument } from '../../model/json/json-schema.ts';
import { modelFormat } from '../ir.ts';

/** The JSON Schema of models. It is the reader's own rule book: `readModel` judges by it, so the two cannot drift. */

const text: JsonSchema = { type: 'string' };
const name: JsonSchema = { type: 'string', minLength: 1 };
const names: JsonSchema = { type: 'array', items: name };
const share: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
const amount: JsonSchema = { type: 'number', minimum: 0 };
const count: JsonSchema = { type: 'integer', minimum: 1 };
const flag: JsonSchema = { type: 'boolean' };
const always: JsonSchema = { const: true };
const scalar: JsonSchema = { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };

function object(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((one) => !optional.includes(one));
  return { type: 'object', properties, required, additionalProperties: false };
}

function kind(
  value: string,
  properties: Readonly<Record<string, JsonSchema>> = {},
  optional: readonly string[] = [],
): JsonSchema {
  return object({ kind: { const: value }, ...properties }, optional);
}

function ref(definition: string): JsonSchema {
  return { $ref: `#/$defs/${definition}` };
}

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

const step = { entity: name, count };
const addressed = { ...step, given: names };

/** The JSON Schema of models as JSON. */
export const modelSchema: SchemaDocument = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:stator:model:1',
  title: 'A Stator model: entities and access patterns',
  ...object(
    {
      format: { const: modelFormat },
      name,
      description: text,
      entities: { type: 'array', items: ref('entity'), minItems: 1 },
      reads: list(ref('read')),
      writes: list(ref('write')),
      environment: ref('environment'),
    },
    ['description'],
  ),
  $defs: {
    bytes: object({ mean: amount, max: amount }),
    type: {
      oneOf: [
        kind('id', { bytes: ref('bytes') }),
        kind('text', { bytes: ref('bytes'), plain: flag }),
        kind('path', { bytes: ref('bytes') }),
        kind('number', { digits: count, decimals: { type: 'integer', minimum: 0 }, signed: flag }),
        kind('time'),
        kind('date'),
        kind('epoch'),
        kind('flag'),
        kind('choice', {
          values: { type: 'array', items: object({ value: name, share }), minItems: 1 },
          ordered: flag,
        }),
        kind('binary', { bytes: ref('bytes') }),
        kind('map', { bytes: ref('bytes') }),
        kind('list', { elementBytes: amount, count: amount, countMax: amount }, ['countMax']),
      ],
    },
    attribute: object(
      {
        name,
        description: text,
        type: ref('type'),
        optional: always,
        distinct: { type: 'number', minimum: 1 },
        refersTo: object({ entity: name, attribute: name }),
        copyOf: object({
          entity: name,
          attribute: name,
          refreshedBy: { enum: ['stream', 'transaction', 'never'] },
        }),
      },
      ['description', 'optional', 'distinct', 'refersTo', 'copyOf'],
    ),
    population: {
      oneOf: [
        kind('count', { count: amount, growthPerDay: amount }),
        kind('per', { entity: name, mean: amount, max: amount }),
      ],
    },
    piece: {
      oneOf: [
        kind('constant', { text: name }),
        kind('attribute', { attribute: name, inverted: always }, ['inverted']),
        kind('bucket', { attribute: name, unit: { enum: ['year', 'month', 'day', 'hour'] } }),
        kind('shard', { of: names, count }),
      ],
    },
    predicate: {
      oneOf: [
        kind('equals', { attribute: name, value: scalar }),
        kind('among', { attribute: name, values: { type: 'array', items: text, minItems: 1 } }),
        kind('compare', {
          left: name,
          operator: { enum: ['<', '<=', '>', '>='] },
          right: { oneOf: [object({ attribute: name }), object({ value: { type: 'number' } })] },
          share,
        }),
        kind('exists', { attribute: name, share }),
      ],
    },
    entity: object(
      {
        name: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]*$' },
        description: text,
        attributes: { type: 'array', items: ref('attribute'), minItems: 1 },
        identity: { type: 'array', items: name, minItems: 1 },
        fixed: names,
        population: ref('population'),
        ttl: name,
        keepDays: { type: 'number', exclusiveMinimum: 0 },
        version: name,
        schemaVersion: { type: 'integer', minimum: 0 },
        states: object({
          attribute: name,
          transitions: { type: 'object', additionalProperties: list(text) },
        }),
        mayEmbed: name,
        table: name,
        keys: list(
          object({
            slot: name,
            partition: { type: 'array', items: ref('piece'), minItems: 1 },
            sort: list(ref('piece')),
            when: list(ref('predicate')),
          }),
        ),
      },
      ['description', 'ttl', 'keepDays', 'version', 'schemaVersion', 'states', 'mayEmbed', 'table', 'keys'],
    ),
    rate: object({ peak: amount, mean: amount }),
    frequency: object({
      calls: amount,
      per: { enum: ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] },
    }),
    skew: object({
      attribute: name,
      skew: {
        oneOf: [kind('uniform'), kind('zipf', { exponent: amount }), kind('hot', { keys: count, share })],
      },
    }),
    read: object(
      {
        name,
        description: text,
        actor: text,
        entities: { type: 'array', items: name, minItems: 1 },
        result: { enum: ['one', 'list'] },
        by: names,
        where: list(ref('predicate')),
        range: object({ attribute: name, kind: { enum: ['between', 'prefix'] } }),
        order: list(object({ attribute: name, direction: { enum: ['asc', 'desc'] } })),
        page: { oneOf: [count, { const: 'all' }] },
        returns: amount,
        consistency: { enum: ['eventual', 'strong'] },
        freshnessMs: amount,
        latencyMs: amount,
        rate: ref('rate'),
        frequency: ref('frequency'),
        skew: list(ref('skew')),
        needs: names,
        mayDiscard: share,
        mayFetch: flag,
      },
      ['description', 'actor', 'range', 'returns', 'freshnessMs', 'latencyMs', 'frequency', 'needs'],
    ),
    value: object({ attribute: name, value: scalar }),
    step: {
      oneOf: [
        kind('create', { ...step, once: flag, unique: names, values: list(ref('value')) }),
        kind('change', {
          ...addressed,
          sets: list(object({ attribute: name, value: scalar, removed: always }, ['value', 'removed'])),
          when: list(ref('predicate')),
          checksVersion: flag,
        }),
        kind('remove', { ...addressed, when: list(ref('predicate')) }),
        kind('count', { ...addressed, attribute: name, spread: { enum: ['never', 'shards'] } }),
        kind('require', { ...addressed, when: list(ref('predicate')) }),
      ],
    },
    write: object(
      {
        name,
        description: text,
        actor: text,
        steps: { type: 'array', items: ref('step'), minItems: 1 },
        atomic: flag,
        idempotency: {
          oneOf: [kind('token'), kind('record', { by: name, keepDays: amount, bytes: amount })],
        },
        rate: ref('rate'),
        frequency: ref('frequency'),
        skew: list(ref('skew')),
        latencyMs: amount,
      },
      ['description', 'actor', 'idempotency', 'frequency', 'latencyMs'],
    ),
    environment: object(
      {
        capacity: { enum: ['on-demand', 'provisioned'] },
        tenancy: object({ attribute: name, except: names }),
        streams: list(
          object({
            name,
            entities: names,
            view: { enum: ['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'] },
          }),
        ),
        headroom: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
        shardsMax: count,
        indexes: list(
          object({
            name,
            kind: { enum: ['global', 'local'] },
            projection: object({ type: { enum: ['ALL', 'KEYS_ONLY', 'INCLUDE'] }, names }, ['names']),
          }),
        ),
      },
      ['tenancy', 'indexes'],
    ),
  },
};
