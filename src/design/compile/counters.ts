import { numberText } from '../exact-number.ts';
import type { CountStep } from '../ir.ts';
import { shardOf } from '../key-text.ts';
import { attributeNamed, valueText } from './key-values.ts';
import { type PlacedEntity, typeAttribute } from './placed-entity.ts';
import { type ItemJson, PatternError } from './requests.ts';
import type { Values } from './values.ts';
import { type Action, type Arguments, isAddition } from './write-actions.ts';

/**
 * An addition to one of a counter's items. Which one follows from all values of the call and from what tells calls with
 * the same values apart.
 */
export function counterAction(
  where: string,
  placed: PlacedEntity,
  step: CountStep,
  given: Arguments,
  spreadBy: () => string,
): Action | undefined {
  const counter = placed.counters.find(({ attribute }) => attribute === step.attribute);
  if (step.spread !== 'shards' || counter === undefined) return undefined;
  const by = given[step.attribute];
  const amount = isAddition(by) ? by.add : by === undefined ? 1 : Number(by);
  const shard = shardOf([spreadBy()], counter.shards);
  return {
    kind: 'Update',
    members: {
      Key: counterKeys(where, placed, step.attribute, given as Values)[shard]!,
      UpdateExpression: 'SET #type = :type ADD #count :amount',
      ExpressionAttributeNames: { '#type': typeAttribute, '#count': step.attribute },
      ExpressionAttributeValues: { ':type': { S: 'Counter' }, ':amount': { N: numberText(amount) } },
    },
  };
}

/** The keys of all items over which a counter is spread. */
export function counterKeys(
  where: string,
  placed: PlacedEntity,
  attribute: string,
  given: Values,
): ItemJson[] {
  const counter = placed.counters.find((one) => one.attribute === attribute);
  if (counter === undefined)
    throw new PatternError(where, `"${attribute}" of ${placed.entity.name} is no spread counter`);
  const { entity, table } = placed;
  let text = counter.key.replace(/#?\{shard, \d+\}$/, '');
  for (const name of entity.identity) {
    const value = given[name];
    const part = valueText(where, attributeNamed(entity, name), value);
    if (part === undefined) throw new PatternError(where, `the counter needs "${name}"`);
    text = text.replace(`{${name}}`, () => part);
  }
  return Array.from({ length: counter.shards }, (_, shard) => ({
    [table.partitionKey]: { S: `${text}#${shard}` },
    [table.sortKey]: { S: 'COUNTER' },
  }));
}
