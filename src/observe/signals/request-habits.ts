import { expressionTemplate } from '../patterns/request-template.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** The attributes that an update appends to. */
export function appendedAttributes(input: unknown): readonly string[] {
  const { UpdateExpression: update, ExpressionAttributeNames: names } = (input ?? {}) as Parameters;
  if (typeof update !== 'string' || !/list_append/i.test(update)) return [];
  const plain = expressionTemplate(update, names).replaceAll(/if_not_exists\s*\(/gi, '');
  const found = [...plain.matchAll(/list_append\s*\(([^)]*)\)/gi)].flatMap(
    ([, operands]) => operands!.match(/[A-Za-z_][\w.[\]-]*/g) ?? [],
  );
  return [...new Set(found)].slice(0, 3);
}

/** The attributes that a read asks for, sorted; undefined if it asks for all. */
export function askedAttributes(input: unknown): string | undefined {
  const {
    ProjectionExpression: projection,
    AttributesToGet: legacy,
    Select: select,
    ExpressionAttributeNames: names,
  } = (input ?? {}) as Parameters;
  if (select === 'COUNT') return '';
  if (Array.isArray(legacy)) return legacy.map(String).sort().join(', ').slice(0, 400);
  if (typeof projection !== 'string') return undefined;
  return expressionTemplate(projection, names)
    .split(',')
    .map((path) => path.trim().replace(/[.[].*$/, ''))
    .sort()
    .join(', ');
}

const valueShown = 60;

/** The key condition of a Query with its values, if it has a condition on the sort key. */
export function rangeBounds(input: unknown): string | undefined {
  const {
    KeyConditionExpression: condition,
    ExpressionAttributeValues: values,
    ExpressionAttributeNames: names,
  } = (input ?? {}) as Parameters;
  if (typeof condition !== 'string' || !/between|begins_with|[<>]/i.test(condition)) return undefined;
  const resolved = condition.replaceAll(/#[A-Za-z0-9_]+/g, (name) => {
    const known = (names as Parameters | undefined)?.[name];
    return typeof known === 'string' ? known : name;
  });
  return resolved
    .replaceAll(/:[A-Za-z0-9_]+/g, (name) => shown((values as Parameters | undefined)?.[name]))
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300);
}

/** Texts in quotes, numbers without. */
function shown(value: unknown): string {
  const { S, N } = (value ?? {}) as Parameters;
  if (typeof N === 'string') return N.slice(0, valueShown);
  return typeof S === 'string' ? JSON.stringify(S.slice(0, valueShown)) : '?';
}
