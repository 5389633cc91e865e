import type {
  Condition,
  Operand,
  SetValue,
  Update,
  UpdateAction,
  UpdateOperand,
} from './expression-trees.ts';
import type { SearchStep } from './search-steps.ts';
import type {
  BatchGetStep,
  BatchWriteStep,
  Script,
  Step,
  TransactAction,
  TransactWriteStep,
} from './steps.ts';
import type { IndexDefinition, TableDefinition } from './table-definition.ts';
import { type Attributes, attributes, typeOf, type Value } from './values.ts';

/**
 * A script that still fails and is as short as greed makes it: first without most of its steps, then with every step,
 * expression, item and index cut down for as long as the failure stays. `fails` may be asked at most `tries` times.
 */
export async function shrink(
  script: Script,
  fails: (script: Script) => Promise<boolean>,
  tries = 3_000,
): Promise<Script> {
  let smallest = script;
  let left = tries;
  const take = async (candidate: Script): Promise<boolean> => {
    if (left <= 0) return false;
    left--;
    if (!(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  for (
    let size = Math.ceil(script.steps.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let end = smallest.steps.length; end > 0; end -= size) {
      const steps = smallest.steps.filter((_, i) => i < end - size || i >= end);
      await take({ ...smallest, steps });
    }
  }
  // From the front again after every success, until nothing smaller fails.
  search: while (left > 0) {
    for (const candidate of smallerScripts(smallest)) if (await take(candidate)) continue search;
    break;
  }
  return smallest;
}

function* smallerScripts(script: Script): Generator<Script> {
  for (const i of script.steps.keys()) {
    yield { ...script, steps: script.steps.filter((_, other) => other !== i) };
  }
  for (const table of smallerTables(script.table)) yield { ...script, table };
  for (const [i, step] of script.steps.entries()) {
    for (const smaller of smallerSteps(step)) yield { ...script, steps: script.steps.with(i, smaller) };
  }
}

function* smallerTables(table: TableDefinition): Generator<TableDefinition> {
  for (const locals of withoutOne(table.locals)) yield { ...table, locals };
  for (const globals of withoutOne(table.globals)) yield { ...table, globals };
  for (const [i, index] of table.locals.entries()) {
    if (index.projection !== 'KEYS_ONLY')
      yield { ...table, locals: table.locals.with(i, { ...index, projection: 'KEYS_ONLY' }) };
  }
  for (const [i, index] of table.globals.entries()) {
    for (const smaller of smallerIndexes(index)) yield { ...table, globals: table.globals.with(i, smaller) };
  }
}

function* smallerIndexes(index: IndexDefinition): Generator<IndexDefinition> {
  for (const range of withoutOne(index.range)) yield { ...index, range };
  for (const hash of withoutOne(index.hash)) if (hash.length > 0) yield { ...index, hash };
  if (index.projection !== 'KEYS_ONLY') yield { ...index, projection: 'KEYS_ONLY' };
}

function* smallerSteps(step: Step): Generator<Step> {
  const optional = [
    'capacity',
    'condition',
    'returnValues',
    'onFailure',
    'projection',
    'consistent',
    'update',
    ...['index', 'filter', 'select', 'limit', 'forward', 'startKey', 'segments'],
  ];
  for (const member of optional) {
    // The index that a step adds is no option of it.
    if (step.kind === 'createIndex' && member === 'index') continue;
    if ((step as unknown as Record<string, unknown>)[member] !== undefined)
      yield { ...step, [member]: undefined };
  }
  if (step.spelling !== 0) yield { ...step, spelling: 0 };
  if (step.kind === 'query' || step.kind === 'scan') {
    yield* smallerSearches(step);
    return;
  }
  if (step.kind === 'batchGet' || step.kind === 'batchWrite') {
    yield* smallerBatches(step);
    return;
  }
  if (step.kind === 'transactGet') {
    for (const gets of withoutOne(step.gets)) if (gets.length > 0) yield { ...step, gets };
    return;
  }
  if (step.kind === 'transactWrite') {
    yield* smallerTransactions(step);
    return;
  }
  if (step.kind === 'deleteIndex') return;
  if (step.kind === 'createIndex') {
    for (const index of smallerIndexes(step.index)) yield { ...step, index };
    return;
  }
  if (step.kind === 'put') for (const item of smallerMaps(step.item)) yield { ...step, item };
  else for (const key of smallerMaps(step.key)) yield { ...step, key };
  if (step.kind === 'get' && step.projection !== undefined) {
    for (const projection of withoutOne(step.projection)) {
      if (projection.length > 0) yield { ...step, projection };
    }
  }
  if (step.kind !== 'get' && step.condition !== undefined) {
    for (const condition of smallerConditions(step.condition)) yield { ...step, condition };
  }
  if (step.kind === 'update' && step.update !== undefined) {
    for (const update of smallerUpdates(step.update)) yield { ...step, update };
  }
}

/** Fewer actions, and each of them as a step by itself is made smaller. */
function* smallerTransactions(step: TransactWriteStep): Generator<Step> {
  for (const actions of withoutOne(step.actions)) if (actions.length > 0) yield { ...step, actions };
  for (const [i, action] of step.actions.entries()) {
    if (action.kind === 'check') continue;
    for (const smaller of smallerSteps(action)) {
      const isWhole = smaller.kind !== 'update' || smaller.update !== undefined;
      if (isWhole) yield { ...step, actions: step.actions.with(i, smaller as TransactAction) };
    }
  }
}

function* smallerSearches(step: SearchStep): Generator<Step> {
  if (step.kind === 'query') {
    for (const clauses of withoutOne(step.clauses)) if (clauses.length > 0) yield { ...step, clauses };
    if (step.startKey !== undefined)
      for (const startKey of smallerMaps(step.startKey)) yield { ...step, startKey };
  }
  if (step.filter !== undefined)
    for (const filter of smallerConditions(step.filter)) yield { ...step, filter };
  if (step.projection !== undefined) {
    for (const projection of withoutOne(step.projection)) {
      if (projection.length > 0) yield { ...step, projection };
    }
  }
}

function* smallerBatches(step: BatchGetStep | BatchWriteStep): Generator<Step> {
  if (step.kind === 'batchGet') {
    for (const keys of withoutOne(step.keys)) if (keys.length > 0) yield { ...step, keys };
    for (const [i, key] of step.keys.entries())
      for (const smaller of smallerMaps(key)) yield { ...step, keys: step.keys.with(i, smaller) };
    return;
  }
  for (const writes of withoutOne(step.writes)) if (writes.length > 0) yield { ...step, writes };
  for (const [i, write] of step.writes.entries()) {
    for (const smaller of smallerMaps('put' in write ? write.put : write.delete)) {
      const smallerWrite = 'put' in write ? { put: smaller } : { delete: smaller };
      yield { ...step, writes: step.writes.with(i, smallerWrite) };
    }
  }
}

function* smallerMaps(map: Attributes): Generator<Attributes> {
  const entries = Object.entries(map);
  for (const fewer of withoutOne(entries)) yield attributes(fewer);
  for (const [i, [name, value]] of entries.entries()) {
    for (const smaller of smallerValues(value)) yield attributes(entries.with(i, [name, smaller]));
  }
}

/** Simpler values of the same type, since another type would often be another failure. */
function* smallerValues(value: Value): Generator<Value> {
  if ('L' in value) {
    for (const L of withoutOne(value.L)) yield { L };
    for (const [i, element] of value.L.entries()) {
      for (const smaller of smallerValues(element)) yield { L: value.L.with(i, smaller) };
    }
  } else if ('M' in value) {
    for (const M of smallerMaps(value.M)) yield { M };
  } else if ('SS' in value) {
    for (const SS of withoutOne(value.SS)) if (SS.length > 0) yield { SS };
  } else if ('NS' in value) {
    for (const NS of withoutOne(value.NS)) if (NS.length > 0) yield { NS };
  } else if ('BS' in value) {
    for (const BS of withoutOne(value.BS)) if (BS.length > 0) yield { BS };
  } else if ('S' in value && value.S.length > 1) {
    yield { S: 'a' };
    yield { S: value.S.slice(0, value.S.length >> 1) };
    yield { S: value.S.slice(0, -1) };
  } else if ('N' in value && value.N.length > 1) {
    yield { N: '1' };
  }
}

function* smallerConditions(condition: Condition): Generator<Condition> {
  switch (condition.kind) {
    case 'and':
    case 'or':
      yield* condition.parts;
      for (const parts of withoutOne(condition.parts)) if (parts.length > 1) yield { ...condition, parts };
      for (const [i, part] of condition.parts.entries()) {
        for (const smaller of smallerConditions(part))
          yield { ...condition, parts: condition.parts.with(i, smaller) };
      }
      return;
    case 'not':
      yield condition.part;
      for (const part of smallerConditions(condition.part)) yield { ...condition, part };
      return;
    case 'in':
      for (const list of withoutOne(condition.list)) if (list.length > 0) yield { ...condition, list };
      return;
    case 'between':
      for (const operand of smallerOperands(condition.operand)) yield { ...condition, operand };
      for (const low of smallerOperands(condition.low)) yield { ...condition, low };
      for (const high of smallerOperands(condition.high)) yield { ...condition, high };
      return;
    case 'compare':
      for (const left of smallerOperands(condition.left)) yield { ...condition, left };
      for (const right of smallerOperands(condition.right)) yield { ...condition, right };
      return;
    case 'contains':
      for (const whole of smallerOperands(condition.whole)) yield { ...condition, whole };
      for (const part of smallerOperands(condition.part)) yield { ...condition, part };
      return;
    case 'beginsWith':
      for (const whole of smallerOperands(condition.whole)) yield { ...condition, whole };
      for (const start of smallerOperands(condition.start)) yield { ...condition, start };
      return;
    default:
      return;
  }
}

function* smallerOperands(operand: Operand): Generator<Operand> {
  if (operand.kind !== 'value') return;
  for (const value of smallerValues(operand.value)) yield { kind: 'value', value };
}

function* smallerUpdates(update: Update): Generator<Update> {
  for (const fewer of withoutOne(update)) if (fewer.length > 0) yield fewer;
  for (const [i, action] of update.entries()) {
    for (const smaller of smallerActions(action)) yield update.with(i, smaller);
  }
}

function* smallerActions(action: UpdateAction): Generator<UpdateAction> {
  if (action.kind === 'set') {
    for (const value of smallerSetValues(action.value)) yield { ...action, value };
  } else if (action.kind !== 'remove') {
    for (const value of smallerValues(action.value)) {
      if (typeOf(value) === typeOf(action.value)) yield { ...action, value };
    }
  }
}

function* smallerSetValues(value: SetValue): Generator<SetValue> {
  switch (value.kind) {
    case 'path':
      return;
    case 'value':
      for (const smaller of smallerValues(value.value)) yield { ...value, value: smaller };
      return;
    case 'arithmetic':
      yield value.left;
      yield value.right;
      for (const left of smallerSetValues(value.left)) yield { ...value, left: left as UpdateOperand };
      for (const right of smallerSetValues(value.right)) yield { ...value, right: right as UpdateOperand };
      return;
    case 'ifNotExists':
      yield value.otherwise;
      for (const otherwise of smallerSetValues(value.otherwise))
        yield { ...value, otherwise: otherwise as UpdateOperand };
      return;
    case 'listAppend':
      yield value.first;
      yield value.second;
      for (const first of smallerSetValues(value.first)) yield { ...value, first: first as UpdateOperand };
      for (const second of smallerSetValues(value.second))
        yield { ...value, second: second as UpdateOperand };
      return;
  }
}

function* withoutOne<T>(values: readonly T[]): Generator<readonly T[]> {
  for (const i of values.keys()) yield values.filter((_, other) => other !== i);
}
