import type { Condition, Path, SetValue, Update, UpdateOperand } from './expression-trees.ts';
import { batchGet, batchWrite } from './naive-batches.ts';
import { readCapacity, writeCapacity } from './naive-capacity.ts';
import {
  checkConstantTypes,
  checkContents,
  checkKey,
  checkPutItem,
  checkUpdatedItem,
  contentFaults,
  enveloped,
  fitsIndex,
} from './naive-checks.ts';
import { holds } from './naive-conditions.ts';
import { project, valueAt } from './naive-paths.ts';
import { search } from './naive-search.ts';
import { transactGet, transactWrite } from './naive-transactions.ts';
import { updated } from './naive-updates.ts';
import { type Answer, invalid, NotKnown, type Outcome, parameter, Refused } from './outcome.ts';
import type {
  CreateIndexStep,
  DeleteIndexStep,
  DeleteStep,
  GetStep,
  PutStep,
  ReturnWish,
  Step,
  UpdateStep,
} from './steps.ts';
import { indexesOf, keysOf, type TableDefinition } from './table-definition.ts';
import { type Attributes, attributes, canonicalItem, equal, type Value } from './values.ts';

/**
 * A table as its items in an array, searched from end to end for everything. It shares nothing with the engine and
 * never optimises: what it answers should be plain from reading it.
 */
export class NaiveTable {
  definition: TableDefinition;
  readonly name: string;
  items: readonly Attributes[] = [];

  constructor(definition: TableDefinition, name: string) {
    this.definition = definition;
    this.name = name;
  }

  /** Does one step. Throws `NotKnown`, with nothing done, where the service's answer is not on record. */
  run(step: Step): Outcome {
    const { items, definition } = this;
    try {
      return { answer: this.#answer(step) };
    } catch (thrown) {
      this.items = items;
      this.definition = definition;
      if (thrown instanceof Refused) return { refusal: thrown.refusal };
      throw thrown;
    }
  }

  find(key: Attributes): Attributes | undefined {
    return this.items.find((item) => this.#keyText(item) === this.#keyText(key));
  }

  #answer(step: Step): Answer {
    switch (step.kind) {
      case 'put':
        return this.#put(step);
      case 'get':
        return this.#get(step);
      case 'update':
        return this.#update(step);
      case 'delete':
        return this.#delete(step);
      case 'query':
      case 'scan':
        return { found: search(this.definition, this.name, this.items, step) };
      case 'batchGet':
        return batchGet(this, step);
      case 'batchWrite':
        return batchWrite(this, step);
      case 'transactWrite':
        return transactWrite(this, step);
      case 'transactGet':
        return transactGet(this, step);
      case 'createIndex':
        return this.#createIndex(step);
      case 'deleteIndex':
        return this.#deleteIndex(step);
    }
  }

  /** What an index has is always worked out from the items, so that there is nothing to fill. */
  #createIndex({ index }: CreateIndexStep): Answer {
    if (indexesOf(this.definition).some(({ name }) => name === index.name))
      throw invalid('Attempting to create an index which already exists');
    this.definition = { ...this.definition, globals: [...this.definition.globals, index] };
    return {};
  }

  #deleteIndex({ name }: DeleteIndexStep): Answer {
    const globals = this.definition.globals.filter((index) => index.name !== name);
    if (globals.length === this.definition.globals.length)
      throw new NotKnown('in what words an index that is to be deleted is said not to be there');
    this.definition = { ...this.definition, globals };
    return {};
  }

  #put(step: PutStep): Answer {
    checkContents(step.item, true);
    checkReturnValues(step.returnValues);
    checkPutItem(this.definition, step.item);
    const before = this.find(step.item);
    this.#checkCondition(step, before);
    this.#replace(step.item, step.item);
    return this.#written(step, before, step.item, step.returnValues === 'ALL_OLD' ? before : undefined);
  }

  #get(step: GetStep): Answer {
    checkContents(step.key, false);
    checkKey(this.definition, step.key);
    const item = this.find(step.key);
    const capacity = readCapacity(step.capacity, this.name, item, step.consistent === true);
    return {
      ...(item && { Item: step.projection ? project(item, step.projection) : item }),
      ...(capacity && { ConsumedCapacity: capacity }),
    };
  }

  #delete(step: DeleteStep): Answer {
    checkContents(step.key, true);
    checkReturnValues(step.returnValues);
    checkKey(this.definition, step.key);
    const before = this.find(step.key);
    this.#checkCondition(step, before);
    this.#replace(step.key, undefined);
    return this.#written(step, before, undefined, step.returnValues === 'ALL_OLD' ? before : undefined);
  }

  #update(step: UpdateStep): Answer {
    checkContents(step.key, true);
    for (const value of valuesOf(step.update ?? [])) {
      if (contentFaults(value).length > 0) throw new NotKnown('how faults of expression values are wrapped');
    }
    this.#refuseTwoFaults(step);
    checkKey(this.definition, step.key);
    this.#checkTargets(step.update ?? []);
    checkConstantTypes(this.definition, step.update ?? []);
    const before = this.find(step.key);
    this.#checkCondition(step, before);
    const after = this.#updated(step, before);
    this.#refuseToJudgeViolation(before, after);
    if (after !== undefined) checkUpdatedItem(this.definition, after);
    this.#replace(step.key, after);
    return this.#written(step, before, after, this.#returned(step, before, after));
  }

  /** A key that does not fit and a key attribute that is updated: which is told first is not known. */
  #refuseTwoFaults(step: UpdateStep): void {
    const faults = [
      () => checkKey(this.definition, step.key),
      () => this.#checkTargets(step.update ?? []),
      () => checkConstantTypes(this.definition, step.update ?? []),
    ].filter((check) => {
      try {
        check();
        return false;
      } catch {
        return true;
      }
    });
    if (faults.length > 1) throw new NotKnown('whether the key or the update is judged first');
  }

  /** An index that came later may not have an item for what it holds under a key; such an item cannot be put again. */
  #refuseToJudgeViolation(before: Attributes | undefined, after: Attributes | undefined): void {
    for (const index of indexesOf(this.definition)) {
      const kept = [...index.hash, ...index.range].filter(({ name }) => {
        const [was, is] = [before?.[name], after?.[name]];
        return was !== undefined && is !== undefined && equal(was, is);
      });
      const alone = { ...index, hash: index.hash.filter((key) => kept.includes(key)), range: [] };
      const rest = { ...index, hash: [], range: index.range.filter((key) => kept.includes(key)) };
      if (![alone, rest].every((part) => fitsIndex(part, after ?? attributes())))
        throw new NotKnown('whether an item that an index could not take may be updated');
    }
  }

  #updated(step: UpdateStep, before: Attributes | undefined): Attributes | undefined {
    const update = step.update ?? [];
    if (before === undefined) {
      const kinds = new Set(update.map(({ kind }) => kind));
      if (kinds.has('delete') && !kinds.has('set') && !kinds.has('add'))
        throw new NotKnown('whether a mere DELETE creates the item');
      // Removing from what is not there creates nothing, whereas an update without any expression does.
      if (kinds.size > 0 && [...kinds].every((kind) => kind === 'remove')) return undefined;
    }
    const after = updated(update, before, step.key);
    return before === undefined ? attributes([...Object.entries(step.key), ...Object.entries(after)]) : after;
  }

  #checkTargets(update: Update): void {
    const keyNames = keysOf(this.definition).map(({ name }) => name);
    const hit = update.map(({ path }) => path[0]).filter((name) => keyNames.includes(name));
    if (hit.length === 0) return;
    throw invalid(
      ...hit.map((name) => parameter(`Cannot update attribute ${name}. This attribute is part of the key`)),
    );
  }

  #checkCondition(
    step: { readonly condition?: Condition | undefined; readonly onFailure?: string | undefined },
    before: Attributes | undefined,
  ): void {
    if (step.condition === undefined || holds(step.condition, before ?? attributes())) return;
    throw new Refused({
      error: 'ConditionalCheckFailedException',
      messages: ['The conditional request failed'],
      ...(step.onFailure === 'ALL_OLD' && before && { item: before }),
    });
  }

  /** What an update returns of the item before and after. */
  #returned(
    step: UpdateStep,
    before: Attributes | undefined,
    after: Attributes | undefined,
  ): Attributes | undefined {
    const touched = (step.update ?? []).map(({ path }) => path);
    switch (step.returnValues) {
      case undefined:
      case 'NONE':
        return undefined;
      case 'ALL_OLD':
        return before;
      case 'ALL_NEW':
        if (after === undefined) throw new NotKnown('what ALL_NEW returns of an item that was not created');
        return after;
      case 'UPDATED_OLD':
        return fragment(before, touched);
      case 'UPDATED_NEW':
        refuseToGuessAppended(step.update ?? [], before, after);
        return fragment(after, touched);
    }
  }

  #written(
    step: PutStep | UpdateStep | DeleteStep,
    before: Attributes | undefined,
    after: Attributes | undefined,
    returned: Attributes | undefined,
  ): Answer {
    const capacity = writeCapacity(step.capacity, this.name, this.definition, before, after);
    return {
      ...(returned && { Attributes: returned }),
      ...(capacity && { ConsumedCapacity: capacity }),
    };
  }

  #replace(key: Attributes, item: Attributes | undefined): void {
    const others = this.items.filter((other) => this.#keyText(other) !== this.#keyText(key));
    this.items = item === undefined ? others : [...others, item];
  }

  #keyText(item: Attributes): string {
    return canonicalItem(
      project(
        item,
        keysOf(this.definition).map(({ name }) => [name] as const),
      ),
    );
  }
}

function checkReturnValues(wish: ReturnWish | undefined): void {
  if (wish === undefined || wish === 'NONE' || wish === 'ALL_OLD') return;
  throw invalid(enveloped('ReturnValues can only be ALL_OLD or NONE'));
}

/** The touched paths of an item; nothing at all, where none of them is there. */
function fragment(item: Attributes | undefined, touched: readonly Path[]): Attributes | undefined {
  if (item === undefined || touched.length === 0) return undefined;
  const part = project(item, touched);
  return Object.keys(part).length === 0 ? undefined : part;
}

/** An element set beyond the end of a list is not reported, but one that lands exactly where it was set may be. */
function refuseToGuessAppended(
  update: Update,
  before: Attributes | undefined,
  after: Attributes | undefined,
): void {
  for (const { kind, path } of update) {
    if (kind !== 'set' || typeof path.at(-1) !== 'number') continue;
    const appended = before === undefined || valueAt(before, path) === undefined;
    if (appended && after !== undefined && valueAt(after, path) !== undefined)
      throw new NotKnown('whether UPDATED_NEW shows an element appended at its own index');
  }
}

function valuesOf(update: Update): Value[] {
  return update.flatMap((action) =>
    action.kind === 'remove' ? [] : action.kind === 'set' ? setValues(action.value) : [action.value],
  );
}

function setValues(value: SetValue): Value[] {
  return operandsOf(value).flatMap((operand) => (operand.kind === 'value' ? [operand.value] : []));
}

/** An operand and all those inside it. */
function operandsOf(value: SetValue): UpdateOperand[] {
  switch (value.kind) {
    case 'arithmetic':
      return [...operandsOf(value.left), ...operandsOf(value.right)];
    case 'listAppend':
      return [value, ...operandsOf(value.first), ...operandsOf(value.second)];
    case 'ifNotExists':
      return [value, ...operandsOf(value.otherwise)];
    default:
      return [value];
  }
}
