import { describe, expect, it } from 'vitest';
import { DynamoError } from '../../model/errors.ts';
import { parseStatement } from './parse-statement.ts';
import { printCondition, printUpdate } from './print-condition.ts';
import { resolveStatement } from './resolve-statement.ts';

const malformed = "Statement wasn't well formed, can't be processed: ";

/** What is wrong with a statement without parameters; undefined when nothing is. */
function problemOf(text: string): string | undefined {
  const parsed = parseStatement(text);
  const resolved = parsed instanceof DynamoError ? parsed : resolveStatement(parsed, []);
  return resolved instanceof DynamoError ? resolved.message : undefined;
}

function where(text: string): string {
  const parsed = parseStatement(`SELECT * FROM tab WHERE ${text}`);
  if (parsed instanceof DynamoError) throw new Error(parsed.message);
  const resolved = resolveStatement(parsed, []);
  if (resolved instanceof DynamoError) throw new Error(resolved.message);
  if (resolved.kind !== 'select') throw new Error('not a SELECT');
  return printCondition(resolved.where!);
}

describe('a condition', () => {
  it.each([
    ['a = 1 OR b = 2 AND c = 3', '"a" = 1 OR ("b" = 2 AND "c" = 3)'],
    ['(a = 1 OR b = 2) AND c = 3', '("a" = 1 OR "b" = 2) AND "c" = 3'],
    ['NOT a = 1 AND b = 2', '(NOT "a" = 1) AND "b" = 2'],
    ['NOT (a = 1 AND b = 2)', 'NOT ("a" = 1 AND "b" = 2)'],
    ['a BETWEEN 1 AND 2 AND b = 3', '("a" BETWEEN 1 AND 2) AND "b" = 3'],
    ['a NOT BETWEEN 1 AND 2', 'NOT ("a" BETWEEN 1 AND 2)'],
    ['a IN (1)', '"a" IN [1]'],
    ['a NOT IN [1, b]', 'NOT "a" IN [1, "b"]'],
    ['\'x\' = a.b[0]."c.d"', '\'x\' = "a"."b"[0]."c.d"'],
    ['a is missing and b is not null', '("a" IS MISSING) AND (NOT attribute_type("b", \'NULL\'))'],
    ['a IS STRUCT', 'attribute_type("a", \'M\')'],
    ['Size(a) > 3', 'size("a") > 3'],
    ['attribute_exists(a) = true', '(attribute_exists("a")) = true'],
    ['a = b < 3', '"a" = ("b" < 3)'],
    ["a = {'k': [1, <<1.50, 2>>]}", '"a" = {\'k\': [1, <<1.5, 2>>]}'],
    ["a = 'it''s' -- comment", "\"a\" = 'it''s'"],
    ['a = -1.5e1 AND b = + 2 AND c = - - 3', '"a" = -15 AND "b" = 2 AND "c" = 3'],
    ['"a""b" = 1', '"a""b" = 1'],
    ['$a_1 = .5', '"$a_1" = 0.5'],
  ])('%s', (text, printed) => {
    expect(where(text)).toBe(printed);
    // What is printed means the same.
    expect(where(printed)).toBe(printed);
  });
});

describe('an update', () => {
  it('is printed as it is written', () => {
    const text =
      "UPDATE tab SET a = a + 1 - (b + 2), c.d[1] = list_append(c, [1]) REMOVE e SET s = set_add(s, <<'x'>>) SET s2 = set_delete(s2, <<1>>) WHERE pk = 1";
    const parsed = parseStatement(text);
    if (parsed instanceof DynamoError) throw new Error(parsed.message);
    const resolved = resolveStatement(parsed, []);
    if (resolved instanceof DynamoError || resolved.kind !== 'update') throw new Error('not an UPDATE');
    expect(printUpdate(resolved.update)).toBe(
      'SET "a" = ("a" + 1) - ("b" + 2) SET "c"."d"[1] = list_append("c", [1]) REMOVE "e" SET "s" = set_add("s", <<\'x\'>>) SET "s2" = set_delete("s2", <<1>>)',
    );
  });
});

describe('a statement that cannot be read', () => {
  it.each([
    ['', 'Expected data manipulation'],
    ['DROP TABLE tab', 'Expected data manipulation'],
    ['SELECT', 'Unexpected term'],
    ['SELECT a', 'Expected FROM after SELECT list'],
    ['SELECT a, FROM tab', 'Unexpected keyword'],
    ['SELECT * FROM', 'Unexpected term'],
    ['SELECT * FROM tab WHERE a = 1 AND', 'Missing right-hand side expression of infix operator'],
    ['SELECT * FROM tab WHERE (a = 1', 'Expected RIGHT_PAREN'],
    ['SELECT * FROM tab WHERE a IN [1', 'Expected RIGHT_BRACKET'],
    ['SELECT * FROM tab WHERE a = <<1', 'Expected RIGHT_DOUBLE_ANGLE_BRACKET'],
    ["SELECT * FROM tab WHERE a = {'b' 1}", 'Expected COLON'],
    ['SELECT * FROM tab WHERE ()', 'Expression group cannot be empty'],
    ['SELECT * FROM tab WHERE value = 1', 'Unexpected keyword'],
    ['SELECT * FROM tab WHERE a BETWEEN 1 OR 2', 'Expected AND'],
    ['SELECT * FROM tab WHERE a IS 1', 'Expected type name'],
    ['SELECT * FROM tab WHERE a. = 1', 'Invalid path dot component'],
    ['SELECT * FROM tab WHERE * = 1', 'Unexpected operator'],
    [
      'SELECT *, a FROM tab',
      "Other expressions may not be present in the select list when '*' is used without dot notation.",
    ],
    ['UPDATE tab', 'Expected data manipulation'],
    ['UPDATE tab SET', 'Expected identifier for simple path'],
    ['UPDATE tab SET a', "Expected '='"],
    ['UPDATE tab REMOVE a, b WHERE pk = 1', 'Unexpected token after expression'],
    ['DELETE tab', 'Expected FROM after DELETE'],
    ["INSERT tab VALUE {'a': 1}", 'Unexpected keyword'],
    [
      'DELETE FROM tab WHERE a = 1 RETURNING ALL OLD',
      "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause",
    ],
    ['SELECT * FROM tab; SELECT * FROM tab', 'Unexpected token after expression'],
    ['SELECT * FROM tab WHERE a = 1é', ''],
    ['SELECT * FROM tab WHERE a = 1x', ''],
    ['SELECT * FROM tab WHERE a = 1e', ''],
    ['SELECT * FROM tab WHERE a # 1', ''],
  ])('%s', (text, detail) => {
    expect(problemOf(text)).toBe(malformed + detail);
  });
});

describe('a statement that means nothing here', () => {
  it.each([
    ['SELECT DISTINCT a FROM tab', 'Unsupported clause: DISTINCT at 1:8:8'],
    ['SELECT VALUE a FROM tab', "Select projection doesn't support value or pivot keywords"],
    ['SELECT a AS b FROM tab', 'Aliasing is not supported'],
    ['SELECT a FROM tab AS b', 'Aliasing is not supported'],
    ['SELECT a FROM tab, tab2', 'Only select from a single table or index is supported.'],
    ['SELECT a FROM tab JOIN tab2', 'Only select from a single table or index is supported.'],
    ['SELECT a FROM tab-2', 'Unexpected from source'],
    ['SELECT a FROM tab[0]', 'Invalid list expression in source.'],
    ['SELECT a FROM tab GROUP BY a', 'Unsupported clause: GROUP at 1:25:2'],
    ['SELECT a FROM tab\nLIMIT 5', 'Unsupported clause: LIMIT at 2:7:1'],
    ['SELECT a, m.a FROM tab', 'Duplicate identifiers in select clause: a'],
    ['SELECT a[*] FROM tab', 'Wildcard path component like a[*].b are not supported'],
    ['SELECT a.* FROM tab', 'Unpivot path component like a.*.b are not supported'],
    ["SELECT a['b'] FROM tab", 'Unexpected path component at 1:10:3'],
    [
      'SELECT a FROM "x"',
      "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'.",
    ],
    ['SELECT a FROM tab WHERE a', 'WHERE clause must contain an expression that resolves to a boolean'],
    ['SELECT a FROM tab WHERE a AND b = 1', 'The arguments to AND/OR must be Expressions'],
    ['SELECT a FROM tab WHERE NOT a', 'The argument to NOT must be a Type or Expression'],
    ['SELECT a FROM tab WHERE a = MISSING', 'MISSING must be compared using IS operator'],
    [
      'SELECT a FROM tab WHERE a IS BAG',
      'Unsupported data type for IS operator: BAG. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]',
    ],
    ["SELECT a FROM tab WHERE a LIKE 'x'", 'Unsupported operator in Condition Expression. Operator: like'],
    [
      'SELECT a FROM tab WHERE a IN b',
      'IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with at least one member',
    ],
    [
      'SELECT a FROM tab WHERE a IN []',
      'IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with at least one member',
    ],
    ['SELECT a FROM tab WHERE a = `ion`', 'Ion Literals are not supported: ion under key root at 1:29:5'],
    [
      'SELECT a FROM tab WHERE a = 1e200',
      'Number overflow. Attempting to store a number with magnitude larger than supported range under root',
    ],
    [
      'SELECT a FROM tab WHERE size(a, b) = 1',
      'Incorrect number of operands for operator or function; operator or function: size, number of operands: 2',
    ],
    [
      'SELECT a FROM tab WHERE begins_with(a = 1, a)',
      'Incorrect operand type for operator or function; operator or function: begins_with, operand type: BOOL',
    ],
    [
      'SELECT a FROM tab WHERE a = 1 ORDER BY a.b',
      'Argument to ORDER BY must be of type VariableReference. Type: Path',
    ],
    [
      'INSERT INTO tab <<{}, {}>>',
      'Unsupported operation: Inserting multiple items in a single statement is not supported, use "INSERT INTO tableName VALUE item" instead',
    ],
    [
      'INSERT INTO tab VALUE [1]',
      'Unsupported format in item expression. Please use struct format {...} to express item values for insert statement.',
    ],
    ["INSERT INTO tab VALUE {'a': 1, 'a': 2}", 'Duplicate keys in tuple. Key: a under root'],
    [
      'INSERT INTO tab VALUE {1: 1}',
      'Tuple keys must be of type String. Actual type: Typed under root at 1:24:1',
    ],
    ["INSERT INTO tab VALUE {'a': 1} RETURNING ALL OLD *", 'RETURNING is not supported in INSERT'],
    ["INSERT INTO tab VALUE {'a': b.c}", 'Unsupported data type: Path under key root at 1:29:1'],
    [
      'UPDATE tab SET a = if_not_exists(a, 1) WHERE pk = 1',
      'Unrecognized function: if_not_exists at 1:20:13',
    ],
    ['UPDATE tab SET a = b = c WHERE pk = 1', 'Unsupported operator in Update Expression. Operator: ='],
    [
      'UPDATE tab SET a = 1, a = 2 WHERE pk = 1',
      'Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]',
    ],
  ])('%s', (text, message) => {
    expect(problemOf(text)).toBe(message);
  });
});
