import { retryModes } from '../kit/sdk-policies.ts';

/** JSON Schema of scenarios, by which `read-scenario.ts` judges too: docs/lab.schema.json is a copy for editors. */
const positive = { type: 'number', exclusiveMinimum: 0 } as const;
const notNegative = { type: 'number', minimum: 0 } as const;
const whole = { type: 'integer', minimum: 1 } as const;
const share = { type: 'number', minimum: 0, maximum: 1 } as const;
const text = { type: 'string', minLength: 1 } as const;

function closed(properties: Readonly<Record<string, object>>, ...required: readonly string[]) {
  return { type: 'object', properties, required, additionalProperties: false } as const;
}

/** Objects that are told apart by their `kind`. */
function kinds(forms: Readonly<Record<string, object & { readonly properties: object }>>) {
  return {
    type: 'object',
    oneOf: Object.entries(forms).map(([kind, form]) => ({
      ...form,
      properties: { kind: { const: kind }, ...form.properties },
    })),
  } as const;
}

const units = closed({ read: notNegative, write: notNegative });
const provisioned = closed({ read: whole, write: whole });
const tracking = closed(
  { min: whole, max: whole, target: { type: 'number', minimum: 20, maximum: 90 } },
  ...['min', 'max', 'target'],
);
const arm = {
  name: { type: 'string', minLength: 3 },
  partitionKey: text,
  sortKey: text,
  warm: units,
  provisioned,
  autoScaling: closed({ read: tracking, write: tracking }),
};

const index = closed(
  {
    ...arm,
    project: { anyOf: [{ enum: ['ALL', 'KEYS_ONLY'] }, { type: 'array', items: text, minItems: 1 }] },
  },
  ...['name', 'partitionKey'],
);

const table = closed(
  {
    ...arm,
    mode: { enum: ['on-demand', 'provisioned'] },
    indexes: { type: 'array', items: index, maxItems: 20 },
  },
  ...['name', 'partitionKey'],
);

const size = {
  anyOf: [
    whole,
    closed({ min: whole, max: whole }, 'min', 'max'),
    { type: 'array', minItems: 1, items: closed({ bytes: whole, share: notNegative }, 'bytes', 'share') },
  ],
};

const value = {
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    closed({ bytes: size }, 'bytes'),
    closed({ number: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 } }, 'number'),
    closed({ choice: { type: 'object', additionalProperties: notNegative } }, 'choice'),
    closed({ list: closed({ count: notNegative, bytes: whole }, 'count', 'bytes') }, 'list'),
    closed({ text: { type: 'string' }, share }, 'text', 'share'),
  ],
};
const values = { type: 'object', additionalProperties: value };

const curve = kinds({
  constant: closed({ factor: notNegative }),
  ramp: closed({ from: notNegative, to: notNegative, seconds: positive }, 'from', 'to', 'seconds'),
  diurnal: closed({ low: notNegative, high: notNegative, period: positive }, 'low', 'high'),
  spike: closed(
    { base: notNegative, factor: notNegative, at: notNegative, seconds: positive },
    ...['factor', 'at', 'seconds'],
  ),
  steps: closed(
    {
      steps: {
        type: 'array',
        minItems: 1,
        items: closed({ factor: notNegative, seconds: positive }, 'factor', 'seconds'),
      },
    },
    'steps',
  ),
  trace: closed({
    points: {
      type: 'array',
      minItems: 1,
      items: closed({ at: notNegative, factor: notNegative }, 'at', 'factor'),
    },
    file: text,
  }),
});

const draw = kinds({
  uniform: closed({}),
  zipf: closed({ exponent: { type: 'number', exclusiveMinimum: 0, maximum: 5 } }, 'exponent'),
  hot: closed({ keys: whole, share }, 'keys', 'share'),
  latest: closed({ window: whole, share }, 'window', 'share'),
  tenants: closed(
    { keys: whole, share, exponent: { type: 'number', exclusiveMinimum: 0, maximum: 5 } },
    ...['keys', 'share', 'exponent'],
  ),
  sequence: closed({}),
});

const action = {
  put: text,
  get: text,
  delete: text,
  update: text,
  query: text,
  scan: text,
  condition: text,
  set: values,
  add: { type: 'object', additionalProperties: { type: 'number' } },
  append: values,
  remove: { type: 'array', items: text, minItems: 1 },
  consistent: { type: 'boolean' },
  index: text,
  limit: whole,
  newestFirst: { type: 'boolean' },
  shards: { type: 'integer', minimum: 2, maximum: 100 },
};

const pattern = closed({
  does: text,
  rate: { type: 'number', minimum: 0, maximum: 1_000_000 },
  curve,
  keys: { type: 'object', additionalProperties: draw },
  times: whole,
  after: closed({ pattern: text, delayMs: notNegative, perSecond: positive }, 'pattern'),
  ...action,
  transact: { type: 'array', minItems: 1, maxItems: 100, items: closed(action) },
});

const common = {
  description: text,
  startAt: { type: 'string', minLength: 20 },
  seconds: { type: 'number', exclusiveMinimum: 0, maximum: 604_800 },
  seed: { type: 'integer', minimum: 0, maximum: 2_147_483_647 },
  clients: { type: 'integer', minimum: 1, maximum: 100_000 },
  retry: { enum: [...retryModes] },
  attempts: { type: 'integer', minimum: 1, maximum: 20 },
  tables: { type: 'array', minItems: 1, maxItems: 100, items: table },
  keys: {
    type: 'object',
    additionalProperties: closed(
      { count: { type: 'integer', minimum: 1, maximum: 100_000_000 }, as: text },
      'count',
    ),
  },
  entities: {
    type: 'object',
    additionalProperties: closed(
      {
        table: text,
        key: { type: 'object', additionalProperties: text },
        attributes: values,
        load: closed({ each: text, times: whole }, 'each'),
      },
      ...['table', 'key'],
    ),
  },
  patterns: { type: 'object', additionalProperties: { anyOf: [pattern, { type: 'null' }] } },
};

export const scenarioSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A scenario of stator lab',
  ...closed(
    {
      $schema: { type: 'string' },
      format: { const: 'stator-lab/1' },
      name: text,
      ...common,
      variants: {
        type: 'object',
        additionalProperties: closed({ change: text, ...common }),
      },
    },
    ...['format', 'name', 'seconds', 'tables', 'patterns'],
  ),
} as const;

/** A scenario that takes its tables and patterns from a model, or its requests from a traffic file. */
export const trafficSchema = {
  ...closed(
    {
      $schema: { type: 'string' },
      format: { const: 'stator-lab/1' },
      name: text,
      description: text,
      startAt: common.startAt,
      seconds: common.seconds,
      seed: common.seed,
      clients: common.clients,
      retry: common.retry,
      attempts: common.attempts,
      model: text,
      design: text,
      recorded: text,
      tables: common.tables,
      traffic: closed({
        load: { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000 },
        curve,
        instances: { type: 'integer', minimum: 1, maximum: 5_000_000 },
        patterns: {
          type: 'object',
          additionalProperties: closed({
            rate: { type: 'number', minimum: 0, maximum: 1_000_000 },
            curve,
            keys: { type: 'object', additionalProperties: draw },
          }),
        },
      }),
    },
    ...['format'],
  ),
} as const;
