import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { allIndexes, descriptions, tableNames } from '../../data/tables.ts';
import { functions, keywords } from '../../parts/partiql-words.ts';
import { parametersOf } from './operations.ts';

/** What completion knows beside tables and their keys. */
export interface KnownNames {
  readonly operation: string;
  /** Attributes that were seen in results. */
  readonly attributes: readonly string[];
}

/** Completes tables, indexes, attributes, keys and functions, in statements and in JSON. */
export function complete(
  context: CompletionContext,
  isStatement: boolean,
  known: KnownNames,
): CompletionResult | null {
  return isStatement ? completeStatement(context, known) : completeJson(context, known);
}

function completeStatement(context: CompletionContext, known: KnownNames): CompletionResult | null {
  const word = context.matchBefore(/["\w.$-]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const before = context.state.sliceDoc(Math.max(0, word.from - 40), word.from);
  const isQuoted = word.text.startsWith('"');
  if (/\b(FROM|INTO|UPDATE)\s+$/i.test(before))
    return { from: word.from, options: tablesAndIndexes(), validFor: /^["\w.-]*$/ };
  const options: Completion[] = [
    ...attributeOptions(known).map((option) =>
      isQuoted ? { ...option, apply: `"${option.label}"` } : option,
    ),
    ...(isQuoted
      ? []
      : functions.map(
          ([label, detail]): Completion => ({ label, detail, apply: `${label}(`, type: 'function' }),
        )),
    ...(isQuoted ? [] : keywords.map((label): Completion => ({ label, type: 'keyword', boost: -1 }))),
  ];
  return {
    from: word.from,
    options: isQuoted ? options.map((one) => ({ ...one, label: `"${one.label}"` })) : options,
    validFor: /^["\w.$-]*$/,
  };
}

function tablesAndIndexes(): Completion[] {
  return (tableNames.value ?? []).flatMap((name) => {
    const table = descriptions.value.get(name);
    return [
      { label: `"${name}"`, detail: 'table', type: 'class' },
      ...(table === undefined ? [] : allIndexes(table)).map(({ IndexName }) => ({
        label: `"${name}"."${IndexName}"`,
        detail: 'index',
        type: 'class',
      })),
    ];
  });
}

function attributeOptions({ attributes }: KnownNames): Completion[] {
  const keys = new Map<string, string>();
  for (const table of descriptions.value.values()) {
    for (const { AttributeName } of table.KeySchema) keys.set(AttributeName, 'key');
    for (const { KeySchema, IndexName } of allIndexes(table))
      for (const { AttributeName } of KeySchema)
        if (!keys.has(AttributeName)) keys.set(AttributeName, `key of ${IndexName}`);
  }
  return [
    ...[...keys].map(([label, detail]): Completion => ({ label, detail, type: 'property', boost: 2 })),
    ...attributes
      .filter((name) => !keys.has(name))
      .map((label): Completion => ({ label, detail: 'attribute', type: 'property', boost: 1 })),
  ];
}

/** In JSON: names of parameters for members, names of tables and indexes for their values, attributes in expressions. */
function completeJson(context: CompletionContext, known: KnownNames): CompletionResult | null {
  const word = context.matchBefore(/[\w#:.$-]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, word.from - line.from);
  const member = /"(\w+)"\s*:\s*"[^"]*$/.exec(before)?.[1];
  if (member === undefined) {
    const isQuoted = before.endsWith('"');
    const options = parametersOf(known.operation).map(
      (label): Completion => ({
        label,
        type: 'property',
        apply: isQuoted ? label : `"${label}": `,
      }),
    );
    return { from: word.from, options };
  }
  if (member === 'TableName')
    return {
      from: word.from,
      options: (tableNames.value ?? []).map((label) => ({ label, detail: 'table' })),
    };
  if (member === 'IndexName')
    return {
      from: word.from,
      options: [...descriptions.value.values()].flatMap((table) =>
        allIndexes(table).map(({ IndexName }) => ({ label: IndexName, detail: table.TableName })),
      ),
    };
  if (member === 'ReturnConsumedCapacity')
    return { from: word.from, options: ['NONE', 'TOTAL', 'INDEXES'].map((label) => ({ label })) };
  return {
    from: word.from,
    options: [
      ...attributeOptions(known),
      ...functions.map(
        ([label, detail]): Completion => ({ label, detail, apply: `${label}(`, type: 'function' }),
      ),
    ],
  };
}
