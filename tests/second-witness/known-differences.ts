/** What one side answered to a request: the members of the answer, or the error. */
export interface Outcome {
  readonly error?: string;
  readonly message?: string;
  readonly answer?: unknown;
}

export interface Difference {
  readonly request: Readonly<Record<string, unknown>>;
  readonly local: Outcome;
  readonly stator: Outcome;
  /** Whether both have the same item afterwards. */
  readonly isSameAfter: boolean;
}

interface KnownDifference {
  readonly reason: string;
  matches(difference: Difference, local: string, stator: string): boolean;
}

const keyFaults = /^One or more parameter values were invalid: |^Key attributes must be scalars/;
const operandFaults =
  /^Invalid UpdateExpression: (?:Incorrect operand type|Incorrect number of operands|Operator or function requires|The first operand must be distinct)/;
const bufferText = /java\.nio\.HeapByteBuffer\[[^\]]*\]/;
const itemFaults =
  /^(?:The document path provided in the update expression is invalid|The provided expression refers to an attribute|An operand in the update expression has an incorrect data type)/;

/**
 * Where DynamoDB Local 3.3 is known to answer otherwise than the service, or where only the order of several faults
 * differs and the service's order is known from elsewhere or not at all.
 */
export const knownDifferences: readonly KnownDifference[] = [
  {
    reason:
      'Of overlapping paths Local names a path that overlaps with none; the service names the two (moto issues 5429 and 8297, ExtendDB pull request 173).',
    matches: (_, local, stator) => /Two document paths/.test(local) && /Two document paths/.test(stator),
  },
  {
    reason:
      "The error about BETWEEN's bounds shows binary values as java.nio.HeapByteBuffer in Local, where the service shows the value.",
    matches: (_, local, stator) => bufferText.test(local) && /BETWEEN/.test(local) && /BETWEEN/.test(stator),
  },
  {
    reason:
      'Local checks the operand types of ADD and DELETE before it looks for undefined values; the service names the undefined value first (observed before 2024).',
    matches: ({ request: { UpdateExpression } }, local, stator) =>
      /\b(?:ADD|DELETE)\b/.test(String(UpdateExpression)) &&
      /Incorrect operand type/.test(local) &&
      /attribute value used in expression is not defined/.test(stator),
  },
  {
    reason:
      'Local says ALLOWED_FOR_DELETE_OPERAND and BOOLEAN; the service says ALLOWED_FOR_ADD_OPERAND and BOOL (floci, eu-west-2, September 2026). Of several faulty operands Local reports another one than the first.',
    matches: (_, local, stator) => operandFaults.test(local) && operandFaults.test(stator),
  },
  {
    reason:
      'Of several faults that only the item shows, Local reports the first action that has one; the service evaluates all values before it looks at the targets (dynalite, made by comparison with it).',
    matches: (_, local, stator) => itemFaults.test(local) && itemFaults.test(stator),
  },
  {
    reason: 'UPDATED_OLD and UPDATED_NEW show the whole attribute; the service only the paths (Alternator).',
    matches: ({ request, isSameAfter }, local, stator) =>
      /^UPDATED_/.test(String(request.ReturnValues)) && isSameAfter && local === '' && stator === '',
  },
  {
    reason:
      'Local evaluates the condition, and the values of the item, before it checks the targets and the types of index keys; the service checks those first (dynalite).',
    matches: (_, local, stator) =>
      (/^The conditional request failed/.test(local) || itemFaults.test(local)) && keyFaults.test(stator),
  },
  {
    reason:
      'Local does not say which index key has the wrong type, takes a value of the item for a constant, and does not see the type of the second operand of if_not_exists (dynalite).',
    matches: ({ local: { answer } }, local, stator) =>
      (/Type mismatch for Index Key$|^Invalid attribute value type|empty string value/.test(local) ||
        answer !== undefined) &&
      /Type mismatch for Index Key x|secondary index key to unsupported type/.test(stator),
  },
  {
    reason:
      'Local looks at overlapping paths before undefined placeholders; the service after them (observed before 2024).',
    matches: (_, local, stator) => /Two document paths/.test(local) && /is not defined/.test(stator),
  },
  {
    reason:
      'On an absent item Local refuses to remove below an attribute, which the service ignores (Alternator). A mere DELETE creates the item in Local; what it does on the service was not recorded.',
    matches: ({ request: { UpdateExpression }, stator: { error } }, local) =>
      error === undefined &&
      /\b(?:REMOVE|DELETE)\b/.test(String(UpdateExpression)) &&
      (/document path provided/.test(local) || !/\b(?:SET|ADD)\b/.test(String(UpdateExpression))),
  },
  {
    reason:
      'Local wants the second operand of if_not_exists to be there even where the first is. dynalite, made by comparison with the service, takes it as Stator does; no capture is known.',
    matches: ({ request: { UpdateExpression }, stator: { error } }, local) =>
      error === undefined && itemFaults.test(local) && /if_not_exists/.test(String(UpdateExpression)),
  },
  {
    reason:
      'A filter of a Query that enters a key attribute: the service first says that filters name no key of the query (dynalite).',
    matches: (_, local, stator) =>
      /^Key attributes must be scalars/.test(local) && /^Filter Expression can only contain/.test(stator),
  },
  {
    reason:
      'Of a broken text Local sometimes names a token behind the first wrong one, where its parser recovered. Which the service names there was not recorded.',
    matches: (_, local, stator) => /: Syntax error; /.test(local) && /: Syntax error; /.test(stator),
  },
  {
    reason:
      'A text with redundant parentheses that is broken behind them: the service reports syntax first (observed before 2024).',
    matches: (_, local, stator) => /redundant parentheses/.test(local) && /Syntax error/.test(stator),
  },
];

export function isKnown(difference: Difference): boolean {
  const { local, stator } = difference;
  return knownDifferences.some((known) =>
    known.matches(difference, local.message ?? '', stator.message ?? ''),
  );
}
