import { type CompiledDesign, compile } from '../compile/compile.ts';
import { type Answer, isDone, PatternError, type Request } from '../compile/requests.ts';
import type { Value, Values } from '../compile/values.ts';
import type { Argument, Arguments } from '../compile/write-actions.ts';
import { labelsOf, type WriteArguments } from '../compile/write-plan.ts';
import type { Design } from '../design.ts';
import { type SampleInstance, sampleInstances } from '../emit/sample-items.ts';
import type { ChangeStep, Entity, Model, WritePattern, WriteStep } from '../ir.ts';

/** One action of a write with the condition that it is sent with. */
export interface ConditionalAction {
  readonly pattern: string;
  readonly does: string;
  /** `PutItem`, or `TransactWriteItems: Put`. */
  readonly operation: string;
  readonly key: string;
  readonly update: string;
  readonly condition: string;
}

const moment = Date.UTC(2026, 5, 1, 9, 0, 0);

/**
 * The conditions of all writes, taken from the requests that the compiler makes for sample instances. A step that
 * touches several items shows the first; actions without a condition are left out.
 */
export function conditionalWrites(model: Model, design: Design): ConditionalAction[] {
  const compiled = compile(model, design);
  const samples = sampleInstances(model, apart(design));
  return model.writes.flatMap((pattern) =>
    sampleRequests(compiled, pattern, samples).flatMap((request) =>
      actionsOf(request).flatMap(({ kind, members }): ConditionalAction[] => {
        const condition = members.ConditionExpression;
        if (condition === undefined) return [];
        const table = design.tables.find(({ name }) => name === members.TableName)!;
        const key = (members.Key ?? members.Item)!;
        return [
          {
            pattern: pattern.name,
            does: pattern.description ?? '',
            operation: kind,
            key: [table.partitionKey, table.sortKey].map((name) => plain(key[name])).join(' / '),
            update: members.UpdateExpression === undefined ? '' : readable(members.UpdateExpression, members),
            condition: readable(condition, members),
          },
        ];
      }),
    ),
  );
}

/** The design as if nothing lay inside of other items, so that every entity has samples. */
function apart(design: Design): Design {
  return { ...design, tables: design.tables.map(({ embedded: _, ...table }) => table) };
}

interface Members {
  readonly TableName?: string;
  readonly Key?: Readonly<Record<string, unknown>>;
  readonly Item?: Readonly<Record<string, unknown>>;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

function actionsOf({ operation, input }: Request): { readonly kind: string; readonly members: Members }[] {
  if (operation !== 'TransactWriteItems') return [{ kind: operation, members: input as Members }];
  const actions = input.TransactItems as readonly Readonly<Record<string, Members>>[];
  return actions.flatMap((action) =>
    Object.entries(action).map(([kind, members]) => ({ kind: `TransactWriteItems: ${kind}`, members })),
  );
}

/** A pattern that refuses its sample values has no requests to show. */
function sampleRequests(...given: Parameters<typeof requestsOf>): readonly Request[] {
  try {
    return requestsOf(...given);
  } catch (error) {
    if (error instanceof PatternError) return [];
    throw error;
  }
}

/** The requests that write, behind those that only read what the keys are made of. */
function requestsOf(
  compiled: CompiledDesign,
  pattern: WritePattern,
  samples: ReadonlyMap<string, readonly SampleInstance[]>,
): readonly Request[] {
  const labels = labelsOf(pattern);
  const given: WriteArguments = Object.fromEntries(
    pattern.steps.map((step, at) => {
      const entity = compiled.model.entities.find(({ name }) => name === step.entity)!;
      return [labels[at]!, argumentsOf(entity, step, valuesOf(entity, samples))];
    }),
  );
  const { idempotency } = pattern;
  const options = {
    ...(idempotency?.kind === 'token' ? { token: 'token-1' } : {}),
    ...(idempotency?.kind === 'record' ? { command: 'command-1', nowMs: moment } : {}),
  };
  let round = compiled.write(pattern.name, given, options);
  while (!isDone(round)) {
    const { requests } = round;
    if (requests.some(({ operation }) => operation !== 'GetItem')) return requests;
    round = round.next(requests.map((request) => storedItem(compiled, pattern, request, samples)));
  }
  return [];
}

/** The sample item at the key that a write reads first. */
function storedItem(
  compiled: CompiledDesign,
  pattern: WritePattern,
  request: Request,
  samples: ReadonlyMap<string, readonly SampleInstance[]>,
): Answer {
  const key = Object.entries(request.input.Key as Readonly<Record<string, unknown>>).map(
    ([name, value]) => [name, JSON.stringify(value)] as const,
  );
  for (const entity of compiled.entities.values()) {
    const one = valuesOf(entity.entity, samples);
    const { item } = compiled.item(entity.entity.name, one);
    if (key.every(([name, text]) => JSON.stringify(item[name]) === text)) return { Item: item };
  }
  throw new PatternError(pattern.name, 'no sample lies at the key that it reads');
}

/** The first sample instance, with every attribute. */
function valuesOf(entity: Entity, samples: ReadonlyMap<string, readonly SampleInstance[]>): Values {
  const first = samples.get(entity.name)?.[0] ?? {};
  return Object.fromEntries(
    Object.entries(first).map(([name, value]) => {
      const type = entity.attributes.find((one) => one.name === name)?.type.kind;
      return [name, type === 'binary' ? new TextEncoder().encode(String(value)) : (value as Value)];
    }),
  );
}

function argumentsOf(entity: Entity, step: WriteStep, values: Values): Arguments {
  if (step.kind === 'create') {
    const fixed = new Set(step.values.map(({ attribute }) => attribute));
    return Object.fromEntries(Object.entries(values).filter(([name]) => !fixed.has(name)));
  }
  const given: Record<string, Argument> = {};
  for (const name of step.given) given[name] = values[name];
  if (step.kind === 'change') {
    for (const { attribute, value, removed } of step.sets)
      if (value === undefined && removed !== true)
        given[attribute] = newValue(entity, step, attribute, values);
    if (step.checksVersion && entity.version !== undefined) given[entity.version] = values[entity.version];
  }
  return given;
}

/** The new value where the pattern leaves it to the caller: a state that may follow, one less of a number that is
 * compared, or the sample's value. */
function newValue(entity: Entity, step: ChangeStep, attribute: string, values: Values): Argument {
  if (step.when.some((one) => one.kind === 'compare' && one.left === attribute)) return { add: -1 };
  if (entity.states?.attribute !== attribute) return values[attribute];
  const { transitions } = entity.states;
  const from = step.when.flatMap((one) => {
    if (one.kind === 'equals' && one.attribute === attribute) return [String(one.value)];
    return one.kind === 'among' && one.attribute === attribute ? one.values : [];
  });
  const followers = (from.length > 0 ? from : Object.keys(transitions)).flatMap(
    (state) => transitions[state] ?? [],
  );
  return followers[0] ?? values[attribute];
}

/** An expression with names and values in place of their placeholders. */
function readable(expression: string, members: Members): string {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = members;
  return expression
    .replaceAll(/#\w+/g, (alias) => names[alias] ?? alias)
    .replaceAll(/:\w+/g, (alias) => (alias in values ? plain(values[alias], true) : alias));
}

/** A value of DynamoDB's JSON as a person would write it. */
function plain(value: unknown, quotes = false): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const [kind, content] = Object.entries(value)[0] ?? [];
  if (kind === 'S') return quotes ? `"${content}"` : String(content);
  return kind === 'N' || kind === 'BOOL' ? String(content) : (JSON.stringify(content) ?? '');
}
