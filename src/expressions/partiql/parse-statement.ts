import { type DynamoError, validationError } from '../../model/errors.ts';
import { isArn } from '../../model/tables/table-arn.ts';
import type { ParsedAction, ParsedPath } from '../tree.ts';
import type { Expression } from './expression.ts';
import { structKey } from './literal-value.ts';
import { ExpressionParser } from './parse-expression.ts';
import { readWhere } from './read-condition.ts';
import { readAssignment, readTarget } from './read-update.ts';
import { StatementParts } from './statement-parts.ts';
import { StatementReader } from './statement-reader.ts';
import type {
  Column,
  OrderTerm,
  ParsedDelete,
  ParsedInsert,
  ParsedSelect,
  ParsedStatement,
  ParsedUpdateStatement,
  Returning,
  Source,
  StatementCondition,
  StatementValues,
} from './statement-tree.ts';

/**
 * Reads a statement, and judges all of it that needs neither its parameters nor its table. Texts about statements that
 * cannot be read are those of the open parser (inferred: PartiQL parser); the others are DynamoDB's own, many of them
 * recorded (observed: public captures, 2026).
 */
export function parseStatement(text: string): ParsedStatement | DynamoError {
  const reader = new StatementReader(text);
  const statement = new StatementParser(reader).parse();
  if (reader.problem === undefined) return statement;
  return isTypeTest(text) ? validationError('Unsupported operation: IsType') : reader.problem;
}

/**
 * `x IS INT4` and nothing else can be read, and is refused by its kind (observed: public captures, one Region, October
 * 2026).
 */
function isTypeTest(text: string): boolean {
  const reader = new StatementReader(text);
  const expression = new ExpressionParser(reader).parse();
  reader.takeIf(';');
  return reader.problem === undefined && reader.isAtEnd && expression.kind === 'is';
}

class StatementParser {
  readonly #reader: StatementReader;
  readonly #parts: StatementParts;
  readonly #expressions: ExpressionParser;
  #columnProblem: DynamoError | undefined;

  constructor(reader: StatementReader) {
    this.#reader = reader;
    this.#parts = new StatementParts(reader);
    this.#expressions = new ExpressionParser(reader);
  }

  parse(): ParsedStatement {
    const reader = this.#reader;
    const statement = this.#statement();
    reader.takeIf(';');
    if (!reader.isAtEnd) reader.malformed(leftOver);
    return statement;
  }

  #statement(): ParsedStatement {
    const reader = this.#reader;
    const { kind, text } = reader.token;
    switch (kind === 'keyword' ? text : '') {
      case 'SELECT':
        return this.#select();
      case 'INSERT':
        return this.#insert();
      case 'UPDATE':
        return this.#update();
      case 'FROM':
        return this.#fromUpdate();
      case 'DELETE':
        return this.#delete();
      case 'EXISTS':
        return this.#exists();
      default:
        reader.malformed('Expected data manipulation');
        return this.#select();
    }
  }

  #exists(): ParsedStatement {
    const reader = this.#reader;
    reader.take();
    reader.expect('(', 'LEFT_PAREN');
    if (!reader.isKeyword('SELECT')) reader.malformed('Unexpected keyword');
    const select = this.#select();
    reader.expect(')', 'RIGHT_PAREN');
    return { kind: 'exists', select };
  }

  #select(): ParsedSelect {
    const reader = this.#reader;
    reader.take();
    if (reader.isKeyword('DISTINCT')) reader.fail('Unsupported clause: DISTINCT', reader.token);
    reader.takeKeywordIf('ALL');
    if (reader.isKeyword('VALUE')) reader.fail("Select projection doesn't support value or pivot keywords");
    const columns = this.#columns();
    if (!reader.takeKeywordIf('FROM')) reader.malformed('Expected FROM after SELECT list');
    const source = this.#source(this.#expressions.parse());
    if (reader.isSymbol(',') || isJoin(reader.token.text)) {
      reader.fail('Only select from a single table or index is supported.');
    }
    this.#refuseAlias();
    const where = this.#where();
    this.#refuseClauses(['GROUP', 'HAVING', 'LET']);
    const order = this.#order();
    this.#refuseClauses(['LIMIT']);
    const columnProblem = this.#columnProblem;
    return { kind: 'select', source, columns, columnProblem, where, order, values: this.#values() };
  }

  /** Undefined for `*`. */
  #columns(): readonly Column[] | undefined {
    const reader = this.#reader;
    const columns: Column[] = [];
    let stars = 0;
    do {
      if (reader.takeIf('*')) stars++;
      else columns.push(this.#column());
    } while (reader.takeIf(','));
    if (stars === 0) return columns;
    if (stars + columns.length > 1) {
      reader.malformed(
        "Other expressions may not be present in the select list when '*' is used without dot notation.",
      );
    }
    return undefined;
  }

  #column(): Column {
    const expression = this.#expressions.parse();
    if (expression.kind !== 'path') {
      const text = 'Unexpected path component';
      // That an index cannot be read is told before this one, which can be seen without it (observed: public
      // captures, two Regions, October 2026).
      if (expression.kind === 'call' && expression.name === 'count' && !this.#isAtAlias)
        this.#columnProblem ??= this.#reader.errorAt(text, expression.token);
      else this.#reader.fail(text, expression.token);
      return { name: '', path: { kind: 'path', elements: [] } };
    }
    this.#refuseAlias();
    const path = this.#parts.path(expression);
    return { name: columnName(path), path };
  }

  /** A table, or an index of it. */
  #source(expression: Expression): Source {
    const reader = this.#reader;
    if (expression.kind !== 'path') {
      reader.fail('Unexpected from source');
      return nowhere;
    }
    const names: string[] = [];
    for (const step of expression.steps) {
      if (step.kind === 'name') names.push(step.name);
      else if (step.kind === 'index') reader.fail('Invalid list expression in source.');
      else reader.fail('Unexpected path component', expression.token);
    }
    if (names.includes('')) reader.fail('Path component cannot be an empty string');
    if (names.length > 2) reader.fail('A path may contain at most 2 components in the FROM clause');
    const [table = '', index] = names;
    if (!isArn(table) && !/^[a-zA-Z0-9_.-]{3,255}$/.test(table)) {
      reader.fail(
        "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'.",
      );
    }
    return { table, index };
  }

  #refuseAlias(): void {
    if (this.#isAtAlias) this.#reader.fail('Aliasing is not supported');
  }

  get #isAtAlias(): boolean {
    const reader = this.#reader;
    return reader.isName || ['AS', 'AT', 'BY'].some((keyword) => reader.isKeyword(keyword));
  }

  /** The place is that of what the clause holds (inferred: DynamoDB Local). */
  #refuseClauses(clauses: readonly string[]): void {
    const reader = this.#reader;
    const found = clauses.find((clause) => reader.isKeyword(clause));
    if (found !== undefined) reader.fail(`Unsupported clause: ${found}`, reader.next);
  }

  #where(): StatementCondition | undefined {
    if (!this.#reader.takeKeywordIf('WHERE')) return undefined;
    const expression = this.#expressions.parse();
    // After a problem the expression is not what the text says.
    return this.#reader.problem === undefined ? readWhere(expression, this.#parts) : undefined;
  }

  #order(): readonly OrderTerm[] {
    const reader = this.#reader;
    const terms: OrderTerm[] = [];
    if (!reader.takeKeywordIf('ORDER')) return terms;
    if (!reader.takeKeywordIf('BY')) reader.malformed('Expected BY');
    do {
      const expression = this.#expressions.parse();
      const attribute = expression.kind === 'path' && expression.steps.length === 1 && expression.steps[0]!;
      if (attribute === false || attribute.kind !== 'name') {
        reader.fail(`Argument to ORDER BY must be of type VariableReference. Type: ${typeName(expression)}`);
        break;
      }
      const descending = reader.takeKeywordIf('DESC');
      if (!descending) reader.takeKeywordIf('ASC');
      terms.push({ attribute: attribute.name, descending });
    } while (reader.takeIf(','));
    return terms;
  }

  #insert(): ParsedInsert {
    const reader = this.#reader;
    reader.take();
    if (!reader.takeKeywordIf('INTO')) reader.malformed('Unexpected keyword');
    const source = this.#source(this.#expressions.parseTarget());
    if (source.index !== undefined) {
      reader.fail('FROM clause may only contain a single table name in data manipulation statements');
    }
    if (!reader.takeKeywordIf('VALUE')) {
      if (!reader.isKeyword('VALUES')) this.#inserted();
      reader.fail(
        'Unsupported operation: Inserting multiple items in a single statement is not supported, use "INSERT INTO tableName VALUE item" instead',
      );
    }
    const item = this.#item(this.#expressions.parse());
    if (reader.isKeyword('AT')) reader.fail('AT is not supported in insert statements.');
    this.#refuseClauses(['ON']);
    if (reader.isKeyword('RETURNING')) reader.fail('RETURNING is not supported in INSERT');
    return { kind: 'insert', source, item, values: this.#values() };
  }

  /**
   * What is inserted without VALUE. A name before VALUE is taken for it, so that VALUE is too much (observed: public
   * captures, October 2026).
   */
  #inserted(): void {
    const reader = this.#reader;
    this.#expressions.parse();
    const isWhole =
      reader.isAtEnd || reader.isSymbol(';') || reader.isKeyword('ON') || reader.isKeyword('RETURNING');
    if (!isWhole) reader.malformed(leftOver);
  }

  #item(expression: Expression): ReadonlyMap<string, string> {
    const item = new Map<string, string>();
    if (expression.kind !== 'struct') {
      this.#reader.fail(
        'Unsupported format in item expression. Please use struct format {...} to express item values for insert statement.',
      );
      return item;
    }
    for (const { name, value } of expression.members) {
      const key = structKey(name, item, 'root');
      if (typeof key === 'string') item.set(key, this.#parts.value(value).reference);
      else this.#reader.fail(key.error.message ?? '', key.token);
    }
    return item;
  }

  #update(): ParsedUpdateStatement {
    this.#reader.take();
    const source = this.#changedSource();
    const actions = this.#actions();
    return this.#updateOf(source, actions, this.#where());
  }

  /**
   * `FROM … WHERE … SET …`, the same with its clauses in another order (observed: public captures, four Regions,
   * October 2026).
   */
  #fromUpdate(): ParsedUpdateStatement {
    this.#reader.take();
    const source = this.#changedSource();
    const where = this.#where();
    return this.#updateOf(source, this.#actions(), where);
  }

  #actions(): readonly ParsedAction[] {
    const reader = this.#reader;
    const actions: ParsedAction[] = [];
    for (;;) {
      if (reader.takeKeywordIf('SET')) {
        do actions.push(this.#assignment());
        while (reader.takeIf(','));
      } else if (reader.takeKeywordIf('REMOVE')) {
        const path = readTarget(this.#expressions.parseTarget(), this.#parts);
        actions.push({ section: 'REMOVE', path, value: undefined });
      } else break;
    }
    if (actions.length === 0) reader.malformed('Expected data manipulation');
    return actions;
  }

  #updateOf(
    source: Source,
    actions: readonly ParsedAction[],
    where: StatementCondition | undefined,
  ): ParsedUpdateStatement {
    return {
      kind: 'update',
      source,
      update: { actions },
      where,
      returning: this.#returning(),
      setArguments: this.#parts.setArguments,
      values: this.#values(),
    };
  }

  #assignment(): ParsedAction {
    const target = this.#expressions.parseTarget();
    if (!this.#reader.takeIf('=')) this.#reader.malformed("Expected '='");
    return readAssignment(target, this.#expressions.parse(), this.#parts);
  }

  #delete(): ParsedDelete {
    const reader = this.#reader;
    reader.take();
    if (!reader.takeKeywordIf('FROM')) reader.malformed('Expected FROM after DELETE');
    const source = this.#changedSource();
    const where = this.#where();
    const returning = this.#returning();
    if (returning !== undefined && returning !== 'ALL OLD') {
      reader.fail(
        `Invalid returning clause: RETURNING ${returning} *. Only RETURNING ALL OLD * is allowed in DELETE statements.`,
      );
    }
    return { kind: 'delete', source, where, returning, values: this.#values() };
  }

  #changedSource(): Source {
    const source = this.#source(this.#expressions.parseTarget());
    if (source.index !== undefined) this.#reader.fail('This operation is not supported on an index');
    this.#refuseAlias();
    return source;
  }

  #returning(): Returning | undefined {
    const reader = this.#reader;
    if (!reader.takeKeywordIf('RETURNING')) return undefined;
    const what = reader.takeKeywordIf('ALL')
      ? 'ALL'
      : reader.takeKeywordIf('MODIFIED')
        ? 'MODIFIED'
        : undefined;
    const when = reader.takeKeywordIf('OLD') ? 'OLD' : reader.takeKeywordIf('NEW') ? 'NEW' : undefined;
    if (what === undefined || when === undefined || !reader.takeIf('*')) {
      reader.malformed("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause");
      return undefined;
    }
    if (reader.isSymbol(',')) {
      reader.fail('Invalid syntax with multiple returning elements in RETURNING clause');
    }
    return `${what} ${when}`;
  }

  #values(): StatementValues {
    return { literals: this.#parts.literals, parameters: this.#expressions.parameters };
  }
}

const leftOver = 'Unexpected token after expression';
const nowhere: Source = { table: '', index: undefined };

function isJoin(word: string): boolean {
  return ['JOIN', 'INNER', 'LEFT', 'RIGHT', 'FULL', 'OUTER', 'CROSS'].includes(word);
}

/** `m.k[0]` is answered as `k[0]`: the last name and what follows it (observed: public captures, September 2026). */
function columnName({ elements }: ParsedPath): string {
  let name = '';
  for (const element of elements) {
    if (element.kind === 'name') name = element.name;
    else if (element.kind === 'index') name += `[${element.index}]`;
  }
  return name;
}

/** By the names of the parser's nodes, as far as they can be told from here. */
function typeName({ kind }: Expression): string {
  return kind === 'path' ? 'Path' : kind === 'call' ? 'NAry' : 'Literal';
}
