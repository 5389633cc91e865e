import { DynamoError } from '../../src/model/errors.ts';
import allOperations from '../../src/operations/all-operations.ts';
import { type Answer, emptyBody, type Operation, RawJson } from '../../src/operations/operation.ts';
import type { Shape } from '../../src/operations/shapes/shape.ts';
import { bodyBytes } from '../../src/wire/reply-body.ts';

/** Makes every operation of this process fail that answers something else than its output shape says. */
export function checkAnswers(): void {
  for (const operations of Object.values(allOperations))
    for (const operation of Object.values<Operation>(operations)) checkAnswersOf(operation);
}

function checkAnswersOf(operation: Operation): void {
  const handle = operation.handle.bind(operation);
  const checked = (answer: Answer): Answer => {
    if (answer instanceof DynamoError) return answer;
    const problems = answerProblems(operation.output.shape, jsonOf(answer));
    if (problems.length > 0) throw new Error(`${operation.name} answered ${problems.join('; ')}`);
    return answer;
  };
  operation.handle = (engine, body, caller) => {
    const answer = handle(engine, body, caller);
    return answer instanceof Promise ? answer.then(checked) : checked(answer);
  };
}

function jsonOf(answer: Exclude<Answer, DynamoError>): unknown {
  if (answer === emptyBody) return {};
  if (!(answer instanceof RawJson)) return JSON.parse(JSON.stringify(answer));
  return JSON.parse(Buffer.from(bodyBytes(answer.chunks)).toString());
}

/** Where a JSON value is not what a shape describes. */
export function answerProblems(shape: Shape, value: unknown, path = 'the answer'): string[] {
  const wrong = (what: string) => [`${path}: ${what} and not ${JSON.stringify(value)}`];
  switch (shape.kind) {
    case 'string':
      if (typeof value !== 'string') return wrong('a string');
      return shape.values === undefined || shape.values.includes(value)
        ? []
        : wrong(`one of ${shape.values.join(', ')}`);
    case 'number':
    case 'timestamp':
      return typeof value === 'number' ? [] : wrong('a number');
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('a boolean');
    case 'blob':
      return typeof value === 'string' ? [] : wrong('base64');
    case 'attribute-value': {
      const types = isObject(value) ? Object.keys(value) : [];
      return types.length === 1 && datatypes.has(types[0]!) ? [] : wrong('an attribute value');
    }
    case 'list':
      if (!Array.isArray(value)) return wrong('a list');
      return value.flatMap((element, i) => answerProblems(shape.member, element, `${path}[${i}]`));
    case 'map':
      if (!isObject(value)) return wrong('a map');
      return Object.entries(value).flatMap(([name, entry]) =>
        answerProblems(shape.value, entry, `${path}.${name}`),
      );
    case 'structure': {
      if (!isObject(value)) return wrong('a structure');
      const unknown = Object.keys(value).filter((name) => !shape.members.has(name));
      const problems = unknown.map((name) => `${path} has no member ${name}`);
      for (const [name, member] of shape.members) {
        if (Object.hasOwn(value, name))
          problems.push(...answerProblems(member.shape, value[name], `${path}.${name}`));
        else if (member.required) problems.push(`${path} lacks ${name}`);
      }
      return problems;
    }
  }
}

const datatypes = new Set(['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M']);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
