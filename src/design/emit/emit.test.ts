import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import cases from '../../../examples/models/cases/model.ts';
import ecommerce from '../../../examples/models/ecommerce/model.ts';
import feed from '../../../examples/models/feed/model.ts';
import orders from '../../../examples/models/orders/model.ts';
import parcels from '../../../examples/models/parcels/model.ts';
import saas from '../../../examples/models/saas/model.ts';
import { compile } from '../compile/compile.ts';
import type { Values } from '../compile/values.ts';
import { conditionalWrites } from '../document/conditional-writes.ts';
import {
  change,
  count,
  create,
  derive,
  type EmitFormat,
  emit,
  emitFormats,
  entity,
  epoch,
  get,
  iamPolicies,
  id,
  list,
  ModelError,
  model,
  modelDocument,
  text,
  write,
} from '../index.ts';
import { dynamoJson, sampleInstances, sampleRows } from './sample-items.ts';
import { writeYaml } from './yaml.ts';

const formats = Object.keys(emitFormats) as EmitFormat[];

describe.each([cases, ecommerce, feed, orders, parcels, saas].map((one) => [one.name, one] as const))(
  'the generated files of %s',
  (name, given) => {
    const design = derive(given);
    const folder = new URL(`../../../examples/models/${name}/generated/`, import.meta.url);

    it.each(formats)('are current: %s (npm run generate)', (format) => {
      expect(readFileSync(new URL(emitFormats[format].file, folder), 'utf8')).toBe(
        emit(format, given, design),
      );
    });

    const pages = modelDocument(given, design);

    it('are current: the document (npm run generate)', () => {
      for (const [file, content] of pages) expect(readFileSync(new URL(file, folder), 'utf8')).toBe(content);
    });

    it('show sample items that the compiler would write', () => {
      const compiled = compile(given, design);
      const instances = sampleInstances(given, design);
      for (const table of design.tables) {
        const rows = sampleRows(given, table, instances).filter(({ copy }) => copy === undefined);
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows) {
          const values = Object.fromEntries(
            given.entities
              .find((one) => one.name === row.entity)!
              .attributes.flatMap(({ name: attribute }) =>
                row.item[attribute] === undefined ? [] : [[attribute, row.item[attribute]]],
              ),
          ) as Values;
          const entityOf = given.entities.find((one) => one.name === row.entity)!;
          expect(dynamoJson(entityOf, row)).toEqual(compiled.item(row.entity, values).item);
        }
      }
    });

    it('show the conditions of every write that has one', () => {
      const shown = new Map<string, string[]>();
      for (const { pattern, condition } of conditionalWrites(given, derive(given)))
        shown.set(pattern, [...(shown.get(pattern) ?? []), condition]);
      for (const { name: pattern, steps } of given.writes) {
        const texts = (shown.get(pattern) ?? []).join('\n');
        const conditional = steps.filter(
          (step) => step.kind === 'change' || (step.kind === 'create' && step.once),
        );
        if (conditional.length > 0) expect(texts, pattern).toMatch(/attribute_(not_)?exists\(PK\)/);
        for (const step of steps)
          for (const one of step.kind === 'change' ? step.when : [])
            expect(texts, pattern).toContain('attribute' in one ? one.attribute : one.left);
        if (texts !== '') expect(pages.get('model.md')).toContain(texts.split('\n')[0]);
      }
    });

    it('are all there is in the folder', () => {
      const known = [...formats.map((format): string => emitFormats[format].file), ...pages.keys()];
      expect(readdirSync(folder).filter((file) => !known.includes(file))).toEqual([]);
    });
  },
);

describe('emitting', () => {
  it('tells expiry, sparse indexes and capacity in schema.json', () => {
    const { stator } = JSON.parse(emit('aws-schema', saas, derive(saas))) as {
      stator: { tables: { table_name: string; ttl?: unknown; capacity: object; indexes: unknown[] }[] };
    };
    const [app, audit] = stator.tables;
    expect(app).toMatchObject({
      table_name: 'saas',
      ttl: { attribute: 'expires' },
      stream: { view: 'NEW_AND_OLD_IMAGES', consumers: ['audit'] },
      indexes: expect.arrayContaining([
        expect.objectContaining({
          holds: expect.arrayContaining([{ entity: 'Notification', sparse: ['unread exists'] }]),
        }),
      ]),
    });
    expect(audit).toMatchObject({
      ttl: { attribute: 'expires', entities: ['AuditLog'] },
      capacity: { peak: { write_units_per_second: 600 } },
    });
  });

  const session = entity('Session', {
    identity: { sessionId: id(10) },
    fixed: { expires: epoch() },
    ttl: 'expires',
    population: count(1_000),
  });

  it('refuses a table with two TTL attributes and says what to do', () => {
    const draft = entity('Draft', {
      identity: { draftId: id(10) },
      fixed: { goneAt: epoch() },
      ttl: 'goneAt',
      population: count(1_000),
    });
    const two = model('two', {
      entities: [session, draft],
      reads: {
        A: get(session, { does: 'a session', by: 'sessionId', peak: 1 }),
        B: get(draft, { does: 'a draft', by: 'draftId', peak: 1 }),
      },
      writes: {},
    });
    expect(() => emit('cloudformation', two, derive(two))).toThrow(ModelError);
    expect(() => emit('cloudformation', two, derive(two))).toThrow(
      /one attribute.*Session by "expires" and Draft by "goneAt"/,
    );
  });

  it('binds the keys of a tenant to the tag of the caller, and updates to the attributes they name', () => {
    const tenant = entity('Tenant', { identity: { tenantId: id(8) }, population: count(100) });
    const note = entity('Note', {
      identity: { tenantId: id(8), noteId: id(8) },
      changing: { title: text(20), body: text(100) },
      population: count(10_000),
    });
    const notes = model('notes', {
      entities: [tenant, note],
      tenancy: { attribute: 'tenantId' },
      reads: {
        A: list(note, {
          does: 'notes',
          by: 'tenantId',
          actor: 'reader',
          page: 10,
          needs: ['title'],
          peak: 1,
        }),
        B: get(tenant, { does: 'a tenant', by: 'tenantId', peak: 1 }),
      },
      writes: {
        C: write({ does: 'write a note', steps: [create(note)], actor: 'writer', peak: 1 }),
        D: write({
          does: 'rename a note',
          steps: [change(note, { given: ['tenantId', 'noteId'], sets: ['title'] })],
          actor: 'writer',
          peak: 1,
        }),
      },
    });
    const policies = iamPolicies(notes, derive(notes), { environment: 'prod', account: '123456789012' });
    expect(Object.keys(policies)).toEqual(['application', 'reader', 'writer', 'administrator']);
    const [query, never] = policies.reader!.Statement;
    expect(query).toMatchObject({
      Action: ['dynamodb:Query'],
      Resource: ['arn:aws:dynamodb:*:123456789012:table/notes-prod'],
      Condition: {
        'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['PK', 'SK', '_type', 'title'] },
        StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
      },
    });
    const keys = query!.Condition!['ForAllValues:StringLike']!['dynamodb:LeadingKeys']![0];
    expect(keys).toContain(`\${aws:PrincipalTag/tenantId}`);
    expect(keys).not.toContain('*');
    expect(never).toMatchObject({ Effect: 'Deny' });
    expect(never!.Action).toContain('dynamodb:Scan');
    const update = policies.writer!.Statement.find(({ Action }) => Action.includes('dynamodb:UpdateItem'))!;
    const attributes = update.Condition!['ForAllValues:StringEquals']!['dynamodb:Attributes'];
    expect(attributes).toContain('title');
    expect(attributes).not.toContain('body');
  });

  it('shows texts of the model in pages as texts', () => {
    const odd = model('odd', {
      description: '<script>alert(1)</script> | & "quoted"',
      entities: [session],
      reads: { A: get(session, { does: '<b>bold</b> | x', by: 'sessionId', peak: 1 }) },
      writes: {},
    });
    const files = modelDocument(odd, derive(odd));
    expect(files.get('model.html')).not.toMatch(/<script|<b>bold/);
    expect(files.get('model.html')).toContain('&lt;b&gt;bold&lt;/b&gt; | x');
    expect(files.get('model.md')).toContain('<b>bold</b> \\| x');
    for (const [file, content] of files)
      if (file.endsWith('.html')) expect(content).not.toMatch(/https?:\/\//);
  });

  it('quotes what YAML would take for something else than text', () => {
    expect(
      writeYaml({ a: 'yes', b: '1', c: "it's", d: 'a: b', e: 'AWS::DynamoDB::Table', f: '', g: ['No'] }),
    ).toBe(
      "a: 'yes'\n\nb: '1'\n\nc: 'it''s'\n\nd: 'a: b'\n\ne: AWS::DynamoDB::Table\n\nf: ''\n\ng: ['No']\n",
    );
  });
});
