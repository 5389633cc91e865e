import type { AttributeJson, ValueMaker } from './item-values.ts';
import { namesIn, valueMaker } from './item-values.ts';
import type { ActionSpec, EntitySpec, Scenario, TableSpec } from './scenario.ts';
import { type CallFacts, Template } from './template.ts';

/** A request of DynamoDB's API, as the plain methods and the SDK take it. */
export interface LabRequest {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type RequestMaker = (facts: CallFacts) => LabRequest[];

interface EntityForms {
  readonly spec: EntitySpec;
  readonly table: TableSpec;
  readonly key: readonly (readonly [string, Template])[];
  readonly attributes: readonly (readonly [string, ValueMaker])[];
}

/** Turns the actions of a scenario into functions that make requests. Its references have been checked. */
export class Actions {
  readonly #entities = new Map<string, EntityForms>();

  constructor({ entities = {}, tables }: Scenario) {
    for (const [name, spec] of Object.entries(entities))
      this.#entities.set(name, {
        spec,
        table: tables.find((table) => table.name === spec.table)!,
        key: Object.entries(spec.key).map(([attribute, text]) => [attribute, new Template(text)]),
        attributes: Object.entries(spec.attributes ?? {}).map(([attribute, value]) => [
          attribute,
          valueMaker(value),
        ]),
      });
  }

  /** The item of an entity. */
  itemOf(entity: string, facts: CallFacts): Record<string, AttributeJson> {
    const { key, attributes } = this.#entities.get(entity)!;
    const item: Record<string, AttributeJson> = {};
    for (const [name, template] of key) item[name] = { S: template.fill(facts) };
    for (const [name, make] of attributes) {
      const value = make(facts);
      if (value !== undefined) item[name] = value;
    }
    return item;
  }

  makerOf(action: ActionSpec): RequestMaker {
    if (action.transact !== undefined) return this.#transaction(action.transact);
    if (action.query !== undefined) return this.#query(action, action.query);
    const { get, put, scan } = action;
    if (put !== undefined) {
      const { table } = this.#entities.get(put)!;
      const condition = conditionOf(action);
      return (facts) => [
        {
          operation: 'PutItem',
          input: { TableName: table.name, Item: this.itemOf(put, facts), ...condition },
        },
      ];
    }
    if (get !== undefined) {
      const { table } = this.#entities.get(get)!;
      const options = action.consistent ? { ConsistentRead: true } : {};
      return (facts) => [
        { operation: 'GetItem', input: { TableName: table.name, Key: this.#keyOf(get, facts), ...options } },
      ];
    }
    if (scan !== undefined) {
      const { table } = this.#entities.get(scan)!;
      const input = { TableName: table.name, ...(action.limit && { Limit: action.limit }) };
      return () => [{ operation: 'Scan', input }];
    }
    if (action.delete !== undefined) {
      const entity = action.delete;
      const { table } = this.#entities.get(entity)!;
      const condition = conditionOf(action);
      return (facts) => [
        {
          operation: 'DeleteItem',
          input: { TableName: table.name, Key: this.#keyOf(entity, facts), ...condition },
        },
      ];
    }
    return this.#update(action, action.update!);
  }

  #keyOf(entity: string, facts: CallFacts): Record<string, AttributeJson> {
    const { key, table } = this.#entities.get(entity)!;
    const made: Record<string, AttributeJson> = {};
    for (const [name, template] of key)
      if (name === table.partitionKey || name === table.sortKey) made[name] = { S: template.fill(facts) };
    return made;
  }

  #update(action: ActionSpec, entity: string): RequestMaker {
    const { table } = this.#entities.get(entity)!;
    const names: Record<string, string> = {};
    const makers: (readonly [string, ValueMaker])[] = [];
    const fixed: Record<string, AttributeJson> = {};
    let number = 0;
    const nameOf = (attribute: string) => {
      const placeholder = `#u${number++}`;
      names[placeholder] = attribute;
      return placeholder;
    };
    const sets: string[] = [];
    for (const [attribute, value] of Object.entries(action.set ?? {})) {
      const name = nameOf(attribute);
      makers.push([`:u${number}`, valueMaker(value)]);
      sets.push(`${name} = :u${number}`);
    }
    for (const [attribute, value] of Object.entries(action.append ?? {})) {
      const name = nameOf(attribute);
      const make = valueMaker(value);
      makers.push([`:u${number}`, (facts) => ({ L: [make(facts) ?? { S: '' }] })]);
      fixed[':none'] = { L: [] };
      sets.push(`${name} = list_append(if_not_exists(${name}, :none), :u${number})`);
    }
    const adds = Object.entries(action.add ?? {}).map(([attribute, by]) => {
      const name = nameOf(attribute);
      fixed[`:u${number}`] = { N: String(by) };
      return `${name} :u${number}`;
    });
    const removes = (action.remove ?? []).map(nameOf);
    const UpdateExpression = [
      sets.length > 0 && `SET ${sets.join(', ')}`,
      adds.length > 0 && `ADD ${adds.join(', ')}`,
      removes.length > 0 && `REMOVE ${removes.join(', ')}`,
    ]
      .filter(Boolean)
      .join(' ');
    const condition = conditionOf(action);
    return (facts) => {
      const values: Record<string, AttributeJson> = { ...fixed };
      for (const [name, make] of makers) values[name] = make(facts) ?? { S: '' };
      return [
        {
          operation: 'UpdateItem',
          input: {
            TableName: table.name,
            Key: this.#keyOf(entity, facts),
            UpdateExpression,
            ...condition,
            ...(number > 0 && { ExpressionAttributeNames: names }),
            ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
          },
        },
      ];
    };
  }

  #query(action: ActionSpec, entity: string): RequestMaker {
    const { table, key, attributes } = this.#entities.get(entity)!;
    const index = table.indexes?.find(({ name }) => name === action.index);
    const attribute = (index ?? table).partitionKey;
    const inKey = key.find(([name]) => name === attribute)?.[1];
    const inItem = attributes.find(([name]) => name === attribute)?.[1];
    const sort = index === undefined ? key.find(([name]) => name === table.sortKey)?.[1] : undefined;
    const prefix = sort === undefined ? undefined : this.#constantPrefix(entity, table.sortKey!);
    const common = {
      TableName: table.name,
      ...(index && { IndexName: index.name }),
      ...(action.limit && { Limit: action.limit }),
      ...(action.newestFirst && { ScanIndexForward: false }),
      ...(action.consistent && { ConsistentRead: true }),
    };
    const one = (facts: CallFacts): LabRequest => ({
      operation: 'Query',
      input: {
        ...common,
        KeyConditionExpression: prefix ? '#p = :p AND begins_with(#s, :s)' : '#p = :p',
        ExpressionAttributeNames: { '#p': attribute, ...(prefix && { '#s': table.sortKey! }) },
        ExpressionAttributeValues: {
          ':p': inKey === undefined ? (inItem?.(facts) ?? { S: '-' }) : { S: inKey.fill(facts) },
          ...(prefix && { ':s': { S: prefix } }),
        },
      },
    });
    const { shards } = action;
    if (shards === undefined) return (facts) => [one(facts)];
    return (facts) => Array.from({ length: shards }, (_, shard) => one({ ...facts, shard }));
  }

  /** `EVENT#` of `EVENT#{time}`: what tells an entity's items from others under the same partition key. */
  #constantPrefix(entity: string, sortKey: string): string | undefined {
    const text = this.#entities.get(entity)!.spec.key[sortKey]!;
    const prefix = text.split('{')[0]!;
    return prefix === '' ? undefined : prefix;
  }

  #transaction(actions: readonly ActionSpec[]): RequestMaker {
    const makers = actions.map((action) => this.makerOf(action));
    return (facts) => [
      {
        operation: 'TransactWriteItems',
        input: {
          TransactItems: makers.flatMap((make) =>
            make(facts).map(({ operation, input }) => ({ [operation.replace('Item', '')]: input })),
          ),
        },
      },
    ];
  }
}

/** Keys that the templates of an action need, of all entities that it touches. */
export function keysNeeded(scenario: Scenario, action: ActionSpec): string[] {
  const { put, get, update, query } = action;
  const names = (action.transact ?? []).flatMap((one) => keysNeeded(scenario, one));
  const entity = put ?? get ?? update ?? query ?? action.delete;
  const spec = entity === undefined ? undefined : scenario.entities?.[entity];
  if (spec !== undefined) {
    for (const text of Object.values(spec.key)) names.push(...new Template(text).names);
    if (put !== undefined || query !== undefined)
      for (const value of Object.values(spec.attributes ?? {})) names.push(...namesIn(value));
  }
  for (const value of [...Object.values(action.set ?? {}), ...Object.values(action.append ?? {})])
    names.push(...namesIn(value));
  return names;
}

function conditionOf({ condition }: ActionSpec): { readonly ConditionExpression?: string } {
  return condition === undefined ? {} : { ConditionExpression: condition };
}
