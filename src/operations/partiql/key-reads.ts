import { type KeyCondition, keyCondition, type QueriedKey } from '../../expressions/key-condition.ts';
import type { Condition } from '../../expressions/tree.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import type { KeyAttribute } from '../../model/tables/table-schema.ts';
import { equalValues, typeOf } from '../../model/values/attribute-value.ts';
import { inLeaves, type KeyLeaf, keyLeaf } from './key-leaves.ts';
import { type BranchRead, isLoose, withoutOverlaps } from './overlapping-reads.ts';

/** One read of a partition that a statement comes down to. */
export interface KeyRead {
  readonly condition: KeyCondition;
  /** What else the items have to meet. */
  readonly filter: Condition | undefined;
}

/** The service stops at fifty (observed: public captures, September 2026). */
const readsMax = 50;

/**
 * The reads that a WHERE clause comes down to, or `scan` where it does not say which partitions are meant. Equality
 * and IN name a partition; ORs of such conditions, and of conditions on the RANGE attributes, become several reads,
 * which must not overlap. All of it is the service's (observed: floci's captures, September 2026).
 */
export function keyReads(
  where: Condition | undefined,
  key: QueriedKey,
  isIndex: boolean,
): readonly KeyRead[] | 'scan' | DynamoError {
  if (where === undefined || !key.hash.every(({ name }) => pins(where, name))) return 'scan';
  const names = new Set([...key.hash, ...key.range].map(({ name }) => name));
  const branches = expanded(where, names);
  if (branches === undefined) {
    return validationError('Too many decomposed read operations for a given query.');
  }
  const reads: BranchRead[] = [];
  for (const branch of branches) {
    const read = keyRead(branch, key);
    // Of two values for one partition key there is no partition; the whole is looked through instead.
    if (read === 'scan' || read instanceof DynamoError) return read;
    reads.push({ branch, isLoose: isLoose(branch, read, key), ...read });
  }
  return withoutOverlaps(reads, isIndex);
}

/** Whether a condition is only met by items with one of the values that it names for an attribute. */
function pins(condition: Condition, name: string): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.some((part) => pins(part, name));
    case 'or':
      return condition.conditions.length > 0 && condition.conditions.every((part) => pins(part, name));
    case 'in':
      return inLeaves(condition)?.every((leaf) => pins(leaf, name)) ?? false;
    default: {
      const leaf = keyLeaf(condition);
      return leaf?.operator === '=' && leaf.name === name;
    }
  }
}

/** The alternatives of a condition, each a list of what it asks for; undefined when there are too many. */
function expanded(
  condition: Condition,
  names: ReadonlySet<string>,
): readonly (readonly Condition[])[] | undefined {
  if (!hasKeyLeaf(condition, names)) return [[condition]];
  switch (condition.kind) {
    case 'and': {
      let branches: readonly (readonly Condition[])[] = [[]];
      // What all alternatives have in common is put into each of them once, at the end.
      const common: Condition[] = [];
      for (const part of condition.conditions) {
        const alternatives = expanded(part, names);
        if (alternatives === undefined || branches.length * alternatives.length > readsMax) return undefined;
        if (alternatives.length === 1) common.push(...alternatives[0]!);
        else branches = branches.flatMap((branch) => alternatives.map((each) => [...branch, ...each]));
      }
      return branches.map((branch) => [...branch, ...common]);
    }
    case 'or':
    case 'in': {
      const parts = condition.kind === 'or' ? condition.conditions : (inLeaves(condition) ?? []);
      const branches: (readonly Condition[])[] = [];
      for (const part of parts) {
        const alternatives = expanded(part, names);
        if (alternatives === undefined || branches.length + alternatives.length > readsMax) return undefined;
        branches.push(...alternatives);
      }
      return branches;
    }
    default:
      return [[condition]];
  }
}

/** ORs of other attributes only are for the filter and stay whole, and so does whatever stands under NOT. */
function hasKeyLeaf(condition: Condition, names: ReadonlySet<string>): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.some((part) => hasKeyLeaf(part, names));
    case 'in':
      return inLeaves(condition)?.some((leaf) => hasKeyLeaf(leaf, names)) ?? false;
    default: {
      const leaf = keyLeaf(condition);
      return leaf !== undefined && names.has(leaf.name);
    }
  }
}

/** A condition of a branch, and what it says of a key attribute. */
interface Conjunct {
  readonly condition: Condition;
  readonly leaf: KeyLeaf | undefined;
}

function keyRead(branch: readonly Condition[], key: QueriedKey): KeyRead | 'scan' | DynamoError {
  const conjuncts = branch.map((condition): Conjunct => ({ condition, leaf: keyLeaf(condition) }));
  const wrong = mistyped(conjuncts, key);
  if (wrong !== undefined) return wrong;
  const clauses: KeyLeaf[] = [];
  const used = new Set<Conjunct>();
  for (const { name } of key.hash) {
    const equals = conjuncts.filter(({ leaf }) => leaf?.name === name && leaf.operator === '=');
    const [first] = equals;
    if (first === undefined) return 'scan';
    for (const each of equals) {
      if (!equalValues(each.leaf!.values[0]!, first.leaf!.values[0]!)) return 'scan';
      used.add(each);
    }
    clauses.push(first.leaf!);
  }
  for (const { name } of key.range) {
    const clause = rangeClause(conjuncts, name, used);
    if (clause === undefined) break;
    clauses.push(clause);
    if (clause.operator !== '=') break;
  }
  const condition = keyCondition(clauses, key);
  if (condition instanceof DynamoError) return condition;
  const left = conjuncts.filter((each) => !used.has(each)).map((each) => each.condition);
  return { condition, filter: left.length > 1 ? { kind: 'and', conditions: left } : left[0] };
}

function mistyped(conjuncts: readonly Conjunct[], key: QueriedKey): DynamoError | undefined {
  const attributes = new Map([...key.hash, ...key.range].map((attribute) => [attribute.name, attribute]));
  for (const { leaf } of conjuncts) {
    const attribute = leaf && attributes.get(leaf.name);
    if (attribute !== undefined && leaf!.values.some((value) => typeOf(value) !== attribute.type)) {
      return keyTypeMismatch(attribute);
    }
  }
  return undefined;
}

const wrongKeyType = "Key attribute's data type should match its data type in table's schema: Key";

export function keyTypeMismatch({ name }: KeyAttribute): DynamoError {
  return validationError(`${wrongKeyType} ${name}`);
}

export function isKeyTypeMismatch({ message }: DynamoError): boolean {
  return message?.startsWith(wrongKeyType) ?? false;
}

/**
 * The one condition on a RANGE attribute that a key can be looked up by. A lower and an upper bound are one BETWEEN,
 * which includes them; where they are meant to be left out, they stay in the filter. All others stay there too.
 */
function rangeClause(conjuncts: readonly Conjunct[], name: string, used: Set<Conjunct>): KeyLeaf | undefined {
  const of = (...operators: KeyLeaf['operator'][]) =>
    conjuncts.find(({ leaf }) => leaf?.name === name && operators.includes(leaf.operator));
  const only = of('=') ?? of('BETWEEN') ?? of('begins_with');
  if (only !== undefined) {
    for (const each of conjuncts) if (each.leaf && sameLeaf(each.leaf, only.leaf!)) used.add(each);
    return only.leaf;
  }
  const [low, high] = [of('>', '>='), of('<', '<=')];
  if (low === undefined || high === undefined) {
    const open = low ?? high;
    if (open !== undefined) used.add(open);
    return open?.leaf;
  }
  for (const bound of [low, high]) if (bound.leaf!.operator.endsWith('=')) used.add(bound);
  return { name, operator: 'BETWEEN', values: [low.leaf!.values[0]!, high.leaf!.values[0]!] };
}

/** To say a thing twice is to say it once. */
function sameLeaf(a: KeyLeaf, b: KeyLeaf): boolean {
  return (
    a.name === b.name &&
    a.operator === b.operator &&
    a.values.every((value, i) => equalValues(value, b.values[i]!))
  );
}
