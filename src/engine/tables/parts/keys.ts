import { listOf, object, oneOf, text } from '../../../model/json/fields.ts';
import type { AttributeDefinition, KeySchemaElement } from '../../../model/tables/table-description.ts';
import { keySchemaField } from '../../../model/tables/table-fields.ts';
import { allDescribed, changedIndexes } from './indexes.ts';
import { noMembers, none, type TablePart } from './table-part.ts';

/** The table's key, and the types of all key attributes, those of indexes included. */
export interface KeySettings {
  readonly keySchema: readonly KeySchemaElement[];
  readonly attributeDefinitions: readonly AttributeDefinition[];
}

export const keys: TablePart<KeySettings, object> = {
  settings: {
    keySchema: keySchemaField,
    attributeDefinitions: listOf(
      object<AttributeDefinition>({ AttributeName: text, AttributeType: oneOf('S', 'N', 'B') }),
    ),
  },
  state: noMembers,
  created: ({ keySchema, attributeDefinitions }) => ({ keySchema, attributeDefinitions }),
  /**
   * The definitions of the attributes that key the table or an index, and of no others. They are taken from a request
   * only together with a new index, and an attribute that is defined already keeps its type.
   */
  changed(request, table, { nowMs }) {
    const after = changedIndexes(request, table, nowMs);
    const schemas = [table, ...allDescribed(after).map(({ index }) => index)].map(
      ({ keySchema }) => keySchema,
    );
    const used = new Set(schemas.flat().map(({ AttributeName: name }) => name));
    const known = new Set(table.attributeDefinitions.map(({ AttributeName: name }) => name));
    const sent = (request.attributeDefinitions ?? []).filter(({ AttributeName: name }) => !known.has(name));
    return {
      keySchema: table.keySchema,
      attributeDefinitions: [...table.attributeDefinitions, ...sent].filter(({ AttributeName: name }) =>
        used.has(name),
      ),
    };
  },
  begun: none,
  described: ({ description: { attributeDefinitions, keySchema } }) => ({
    AttributeDefinitions: attributeDefinitions,
    KeySchema: keySchema,
  }),
};
