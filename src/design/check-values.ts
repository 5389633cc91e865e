import { decimalOf } from './exact-number.ts';
import type { Attribute, Entity, Frequency, Predicate, Rate, WriteStep } from './ir.ts';
import { freeCharacters, sortedCharacters, sortedCharactersInWords } from './key-characters.ts';
import { delimiter } from './key-pieces.ts';
import { secondsPer } from './language/traffic.ts';
import { keyable } from './sort-order.ts';

type Value = string | number | boolean;
type Report = (rule: string, message: string, fix?: string) => void;

/** The digits of a number of the service. */
const digitsMax = 38;
/** Keys hold a level's rank in two digits. */
const levelsMax = 100;

const timeText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;
const dateText = /^\d{4}-\d\d-\d\d$/;

/** What an attribute can hold, if that is not what the value is; undefined if it fits. */
function whatFits({ type }: Attribute, value: Value): string | undefined {
  const isText = typeof value === 'string';
  switch (type.kind) {
    case 'choice': {
      const known = type.values.map((one) => one.value);
      return isText && known.includes(value) ? undefined : `holds ${known.join(', ')}`;
    }
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'holds true or false';
    case 'number': {
      const decimal = typeof value === 'number' ? decimalOf(value) : undefined;
      if (decimal === undefined) return 'holds numbers';
      if (decimal.decimals > type.decimals) return `holds numbers of at most ${type.decimals} decimals`;
      const limit = 10n ** BigInt(type.digits + decimal.decimals);
      return decimal.units < limit && -decimal.units < limit
        ? undefined
        : `holds numbers of at most ${type.digits} digits`;
    }
    case 'epoch':
      return typeof value === 'number' ? undefined : 'holds numbers';
    case 'time':
      return isText && timeText.test(value) ? undefined : 'holds times such as 2026-01-31T12:00:00.000Z';
    case 'date':
      return isText && dateText.test(value) ? undefined : 'holds dates such as 2026-01-31';
    case 'id':
    case 'text':
    case 'path':
      if (!isText) return 'holds text';
      if (type.kind === 'text' && !type.plain) return undefined;
      return sortedCharacters.test(value) ? undefined : `is ${sortedCharactersInWords}`;
    default:
      return `is a ${type.kind} and equals no single value`;
  }
}

function valueTroubles({ name, attributes }: Entity, attribute: string, value: Value, report: Report) {
  const known = attributes.find((one) => one.name === attribute);
  const wanted = known && whatFits(known, value);
  if (wanted !== undefined)
    report('values', `"${attribute}" of ${name} ${wanted}, so it is never ${JSON.stringify(value)}`);
}

/** Values and comparisons that no instance can ever have. */
export function predicateTroubles(entity: Entity, where: readonly Predicate[], report: Report): void {
  const typeOf = (name: string) => entity.attributes.find((one) => one.name === name)?.type.kind;
  for (const one of where) {
    if (one.kind === 'equals') valueTroubles(entity, one.attribute, one.value, report);
    if (one.kind === 'among')
      for (const value of one.values) valueTroubles(entity, one.attribute, value, report);
    if (one.kind !== 'compare') continue;
    const left = typeOf(one.left);
    const right = 'attribute' in one.right ? typeOf(one.right.attribute) : undefined;
    const isNumber = left === 'number' || left === 'epoch';
    if (left !== undefined && 'value' in one.right && !isNumber)
      report('values', `"${one.left}" of ${entity.name} is a ${left} and does not compare with a number`);
    if (left !== undefined && right !== undefined && left !== right)
      report('types', `"${one.left}" is a ${left} and does not compare with a ${right}`);
  }
}

/** What a step does to attributes that cannot take it. */
export function stepValueTroubles(entity: Entity, step: WriteStep, report: Report): void {
  const attributeOf = (name: string) => entity.attributes.find((one) => one.name === name);
  if (step.kind === 'create') {
    for (const { attribute, value } of step.values) valueTroubles(entity, attribute, value, report);
    for (const name of step.unique) {
      const attribute = attributeOf(name);
      if (attribute !== undefined && !keyable(attribute))
        report('keys', `"${name}" is a ${attribute.type.kind}, and no key can guard that it is unique`);
    }
    return;
  }
  if (step.kind === 'count') {
    const { attribute, spread } = step;
    const kind = attributeOf(attribute)?.type.kind;
    if (kind !== undefined && kind !== 'number')
      report('values', `it adds to "${attribute}" of ${entity.name}, which is a ${kind}`);
    if (entity.identity.includes(attribute) || entity.fixed.includes(attribute))
      report('contradiction', `it adds to "${attribute}", which ${entity.name} says never changes`);
    if (spread === 'shards' && entity.version === attribute)
      report('contradiction', `it spreads "${attribute}" over several items, and the version is one number`);
    return;
  }
  predicateTroubles(entity, step.when, report);
  if (step.kind !== 'change') return;
  for (const { attribute, value, removed } of step.sets) {
    if (value !== undefined) valueTroubles(entity, attribute, value, report);
    const known = attributeOf(attribute);
    if (removed && known !== undefined && known.optional !== true)
      report(
        'contradiction',
        `it removes "${attribute}", which every ${entity.name} has`,
        `Declare "${attribute}" with optional(), or set another value.`,
      );
  }
}

/** Sizes, and a version, that contradict themselves. */
export function typeTroubles(entity: Entity, report: Report): void {
  for (const { name, type } of entity.attributes) {
    if (type.kind === 'number' && (type.digits < 1 || type.digits + type.decimals > digitsMax))
      report(
        'sizes',
        `"${name}" has ${type.digits} digits and ${type.decimals} decimals, and numbers have 1 to ${digitsMax}`,
      );
    if (type.kind === 'choice') {
      for (const { value } of type.values)
        if (value.includes(delimiter) || !freeCharacters.test(value))
          report(
            'values',
            `"${name}" may be ${JSON.stringify(value)}, and no part of a key is empty or holds "${delimiter}"`,
          );
      if (type.ordered && type.values.length > levelsMax)
        report('values', `"${name}" has ${type.values.length} levels, and keys count ${levelsMax}`);
    }
    if ('bytes' in type && type.bytes.max < type.bytes.mean)
      report('sizes', `"${name}" has at most ${type.bytes.max} bytes, but ${type.bytes.mean} on average`);
    if (type.kind === 'list' && type.countMax !== undefined && type.countMax < type.count)
      report('sizes', `"${name}" has at most ${type.countMax} elements, but ${type.count} on average`);
  }
  const version = entity.attributes.find(({ name }) => name === entity.version);
  if (version === undefined) return;
  const fix = 'Declare it with number() among the changing attributes.';
  if (version.type.kind !== 'number' || version.type.decimals > 0)
    report('version', `its version "${version.name}" is no whole number that counts up`, fix);
  else if (entity.identity.includes(version.name) || entity.fixed.includes(version.name))
    report('version', `its version "${version.name}" never changes`, fix);
}

export function rateTroubles({ peak, mean }: Rate, frequency: Frequency | undefined, report: Report): void {
  if (!(peak >= 0 && mean >= 0)) report('rate', 'a rate cannot be negative');
  else if (mean > peak)
    report('rate', `it is called ${mean} times a second on average, but at most ${peak} times at the peak`);
  if (frequency === undefined) return;
  const calls = mean * secondsPer[frequency.per];
  if (Math.abs(calls - frequency.calls) > frequency.calls * 0.01)
    report(
      'rate',
      `its mean of ${mean} a second makes ${Number(calls.toPrecision(4))} calls per ${frequency.per}, but its frequency says ${frequency.calls}`,
    );
}
