/**
 * Templates of requests: what stays the same when an access pattern is called again. Names are resolved, values become
 * `?`, blanks become single.
 */

type Parameters = Readonly<Record<string, unknown>>;

const textMax = 400;

/** A condition, filter or key condition with its names resolved and its values as `?`. */
export function expressionTemplate(expression: string, names: unknown): string {
  const resolved = expression.slice(0, 4_096).replaceAll(/#[A-Za-z0-9_]+/g, (name) => {
    const known = typeof names === 'object' && names !== null ? (names as Parameters)[name] : undefined;
    return typeof known === 'string' ? known : name;
  });
  return oneLine(resolved.replaceAll(/:[A-Za-z0-9_]+/g, '?'));
}

/** A PartiQL statement with its literals as `?`. */
export function statementTemplate(statement: string): string {
  const text = statement
    .slice(0, 8_192)
    .replaceAll(/'(?:[^']|'')*'/g, '?')
    .replaceAll(/(?<![A-Za-z0-9_"#.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, '?');
  // Lists of values differ in length only.
  return oneLine(text).replaceAll(/\?(?:\s*,\s*\?)+/g, '?, …');
}

/** Legacy conditions, such as `KeyConditions`: attribute names and operators. */
export function legacyTemplate(conditions: unknown): string | undefined {
  if (typeof conditions !== 'object' || conditions === null || Array.isArray(conditions)) return undefined;
  const parts = Object.entries(conditions as Parameters).map(([name, condition]) => {
    const operator = (condition as Parameters | null)?.ComparisonOperator;
    return `${name} ${typeof operator === 'string' ? operator : '='} ?`;
  });
  return oneLine(parts.join(' AND '));
}

/** The actions of a transaction or batch: `Put Orders, Update Stock`, with counts left out. */
export function actionsTemplate(
  actions: readonly { readonly kind: string; readonly table: string }[],
): string {
  return oneLine([...new Set(actions.map(({ kind, table }) => `${kind} ${table}`))].sort().join(', '));
}

function oneLine(text: string): string {
  const single = evenBlanks(text).replaceAll(/\s+/g, ' ').trim();
  return single.length > textMax ? `${single.slice(0, textMax)}…` : single;
}

/** Blanks mean nothing around operators, commas and brackets: `PK=?` is `PK = ?`. Quoted names stay as they are. */
function evenBlanks(text: string): string {
  return text.replaceAll(
    /"(?:[^"]|"")*"|\s*(<>|<=|>=|=|<|>)\s*|\s*,\s*|\(\s+|\s+\)/g,
    (found, operator: string | undefined) => {
      if (operator !== undefined) return ` ${operator} `;
      if (found.startsWith('"')) return found;
      return found.includes(',') ? ', ' : found.trim();
    },
  );
}
