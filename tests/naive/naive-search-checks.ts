import { decimal, decimalText } from './big-decimal.ts';
import type { Condition } from './expression-trees.ts';
import { checkTexts, enveloped } from './naive-checks.ts';
import { holds } from './naive-conditions.ts';
import { pathsOf } from './naive-paths.ts';
import { invalid, parameter } from './outcome.ts';
import type { QueryStep, SearchStep } from './search-steps.ts';
import {
  type IndexDefinition,
  type KeyDefinition,
  keysOf,
  type TableDefinition,
} from './table-definition.ts';
import { type Attributes, contentOf, typeOf, type Value } from './values.ts';

/** What a Query or Scan reads. */
export interface Target {
  readonly index: IndexDefinition | undefined;
  readonly isLocal: boolean;
  readonly hash: readonly KeyDefinition[];
  readonly range: readonly KeyDefinition[];
  /** Whether it has an attribute of the items in it. */
  readonly holdsName: (name: string) => boolean;
}

export function targetOf(table: TableDefinition, name: string | undefined): Target | undefined {
  if (name === undefined) {
    const range = table.range === undefined ? [] : [table.range];
    return { index: undefined, isLocal: false, hash: [table.hash], range, holdsName: () => true };
  }
  const isLocal = table.locals.some((index) => index.name === name);
  const index = [...table.locals, ...table.globals].find((each) => each.name === name);
  if (index === undefined) return undefined;
  const keys = [...keysOf(table), ...index.hash, ...index.range].map((key) => key.name);
  const more = typeof index.projection === 'string' ? [] : index.projection;
  const holdsName = (held: string) =>
    index.projection === 'ALL' || keys.includes(held) || more.includes(held);
  return { index, isLocal, hash: index.hash, range: index.range, holdsName };
}

export function startKeyNames(table: TableDefinition, { hash, range }: Target): string[] {
  return [...new Set([...keysOf(table), ...hash, ...range].map(({ name }) => name))];
}

/** Everything that is wrong with a request: what the service tells of it may be any. */
export function searchFaults(table: TableDefinition, step: SearchStep): string[] {
  const select = selectFault(step);
  if (select !== undefined) throw invalid(step.kind === 'query' ? enveloped(select) : select);
  const target = targetOf(table, step.index);
  if (target === undefined) throw invalid(`The table does not have the specified index: ${step.index}`);
  const faults: string[] = [];
  const { index, isLocal } = target;
  const isGlobal = index !== undefined && !isLocal;
  if (isGlobal && step.consistent === true)
    faults.push('Consistent reads are not supported on global secondary indexes');
  if (isGlobal && step.select === 'ALL_ATTRIBUTES' && index.projection !== 'ALL') {
    faults.push(
      parameter(
        `Select type ALL_ATTRIBUTES is not supported for global secondary index ${index.name} because its projection type is not ALL`,
      ),
    );
  }
  if (step.kind === 'query') faults.push(...queryFaults(table, target, step));
  const filtered = [...new Set(step.filter === undefined ? [] : pathsOf(step.filter).map(([name]) => name))];
  const lacking = [...new Set((step.projection ?? []).map(([name]) => name))].filter(
    (name) => !target.holdsName(name),
  );
  if (isGlobal && lacking.length > 0) {
    faults.push(parameter(`Global secondary index ${index.name} does not project [${lacking.join(', ')}]`));
  }
  const unfilterable = filtered.filter((name) => !target.holdsName(name));
  if (index !== undefined && unfilterable.length > 0) {
    const names = unfilterable.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    faults.push(
      parameter(
        `Secondary index ${index.name} does not project one or more filter attributes: [${names.join(', ')}]`,
      ),
    );
  }
  return faults;
}

function selectFault({ select, projection, index }: SearchStep): string | undefined {
  if (select === 'SPECIFIC_ATTRIBUTES' && projection === undefined)
    return 'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES';
  if (select !== undefined && select !== 'SPECIFIC_ATTRIBUTES' && projection !== undefined)
    return `Cannot specify the ProjectionExpression when choosing to get ${select === 'COUNT' ? 'only the Count' : select}`;
  return select === 'ALL_PROJECTED_ATTRIBUTES' && index === undefined
    ? 'ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName'
    : undefined;
}

function queryFaults(table: TableDefinition, target: Target, step: QueryStep): string[] {
  const faults = keyFaults(target, step.clauses);
  const isSound = faults.length === 0;
  const keyNames = [...target.hash, ...target.range].map(({ name }) => name);
  for (const [name] of step.filter === undefined ? [] : pathsOf(step.filter)) {
    if (keyNames.includes(name))
      faults.push(
        `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`,
      );
  }
  if (step.startKey !== undefined) {
    const wrong = startKeyFaults(table, target, step.startKey);
    faults.push(...wrong);
    if (isSound && wrong.length === 0)
      faults.push(
        ...(isOneItem(target) ? [cannotStart(step.startKey)] : boundsFaults(target, step, step.startKey)),
      );
  }
  return faults;
}

/** A clause as the attribute it is about, its operator and its values. */
function clauseOf(clause: Condition): { name: string; operator: string; values: Value[] } {
  const paths = pathsOf(clause);
  const values: Value[] = [];
  const operands =
    clause.kind === 'compare'
      ? [clause.left, clause.right]
      : clause.kind === 'between'
        ? [clause.low, clause.high]
        : clause.kind === 'beginsWith'
          ? [clause.start]
          : [];
  for (const operand of operands) if (operand.kind === 'value') values.push(operand.value);
  const operator = clause.kind === 'compare' ? clause.comparator : clause.kind;
  return { name: paths[0]![0], operator, values };
}

function keyFaults({ hash, range }: Target, key: readonly Condition[]): string[] {
  const faults: string[] = [];
  const clauses = key.map(clauseOf);
  const of = (name: string) => clauses.find((clause) => clause.name === name);
  if (hash.length > 1 || range.length > 1) {
    const missing = hash.filter(({ name }) => of(name) === undefined);
    const wrong = missing.length > 0 ? missing : hash.filter(({ name }) => of(name)?.operator !== '=');
    const names = wrong.map(({ name }) => name).join(', ');
    if (names !== '')
      return [`HASH key attributes ${names} must have equality conditions specified in the query`];
  }
  for (const { name, type } of hash) {
    const clause = of(name);
    if (clause === undefined) faults.push(`Query condition missed key schema element: ${name}`);
    else if (clause.values.some((value) => typeOf(value) !== type))
      faults.push(parameter('Condition parameter type does not match schema type'));
    else if (clause.operator !== '=') faults.push('Query key condition not supported');
  }
  const open: string[] = [];
  for (const { name } of range) {
    const clause = of(name);
    if (clause !== undefined && open.length > 0) {
      faults.push(
        `RANGE key attributes ${open.join(', ')} must have equality conditions specified in the query because a condition is present on key attribute ${name}`,
      );
      return faults;
    }
    if (clause?.operator !== '=') open.push(name);
  }
  return faults;
}

/** Whether a query can find one item at most, after which there is nothing to go on with. */
export function isOneItem({ index, range }: Target): boolean {
  return index === undefined && range.length === 0;
}

function cannotStart(startKey: Attributes): string {
  const [[name, value]] = Object.entries(startKey) as [[string, Value]];
  const text = 'N' in value ? decimalText(decimal(value.N)) : contentOf(value);
  return `The provided exclusive start key is invalid: ExclusiveStartKey: {${name}=AttributeValue: {${typeOf(value)}:${text}}}`;
}

const invalidStart = 'The provided starting key is invalid';

function startKeyFaults(table: TableDefinition, target: Target, startKey: Attributes): string[] {
  const names = startKeyNames(table, target);
  const faults: string[] = [];
  if (Object.keys(startKey).length !== names.length) return [invalidStart];
  for (const { name, type } of [...target.hash, ...target.range]) {
    const value = startKey[name];
    if (value === undefined) faults.push(invalidStart);
    else if (typeOf(value) !== type) faults.push(checkTexts.keyMismatch);
  }
  for (const { name, type } of keysOf(table)) {
    const value = startKey[name];
    if (value === undefined || typeOf(value) !== type)
      faults.push(`${invalidStart}: ${checkTexts.keyMismatch}`);
  }
  return faults;
}

/** Where the start key is, judged by the clauses of the query. */
function boundsFaults({ hash, range }: Target, { clauses }: QueryStep, startKey: Attributes): string[] {
  const names = hash.map(({ name }) => name);
  const about = (named: readonly string[]) =>
    clauses.filter((clause) => named.includes(clauseOf(clause).name));
  const rangeClauses = about(range.map(({ name }) => name));
  const isInPartition = about(names).every((clause) => holds(clause, startKey));
  if (rangeClauses.length === 0) {
    return isInPartition
      ? []
      : ['The provided starting key is outside query boundaries based on provided conditions'];
  }
  if (!rangeClauses.every((clause) => holds(clause, startKey)))
    return ['The provided starting key does not match the range key predicate'];
  return isInPartition ? [] : ['The query can return at most one row and cannot be restarted'];
}
