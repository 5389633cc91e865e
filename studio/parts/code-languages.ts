import { indentService } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { Decoration, type EditorView, MatchDecorator, ViewPlugin } from '@codemirror/view';
import { keywords } from './partiql-words.ts';

/**
 * The two languages of the editor, word by word. Colours are all that the studio needs of a language: completion knows
 * tables and keys, which no grammar does. Grammars and the parsers under them would be a tenth of the whole page.
 */

/** A word that the pattern of a language finds, by the name of its group. `EditorView.theme` gives each its colour. */
const marks = Object.fromEntries(
  ['comment', 'keyword', 'name', 'number', 'string', 'word'].map((kind) => [
    kind,
    Decoration.mark({ class: `code-${kind}` }),
  ]),
);

/** Colours what is seen of a text by a pattern with one named group for each kind of word. */
function coloured(pattern: RegExp): Extension {
  const decorator = new MatchDecorator({
    regexp: pattern,
    decorate: (add, from, to, { groups = {} }) => {
      const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
      if (kind !== undefined) add(from, to, marks[kind]!);
    },
  });
  return ViewPlugin.define(
    (view: EditorView) => ({
      seen: decorator.createDeco(view),
      update(update) {
        this.seen = decorator.updateDeco(update, this.seen);
      },
    }),
    { decorations: ({ seen }) => seen },
  );
}

const number = String.raw`(?<number>-?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)`;

export const partiQl: Extension = [
  coloured(
    new RegExp(
      [
        ...['(?<comment>--.*)', "(?<string>'(?:[^']|'')*'?)", '(?<name>"(?:[^"]|"")*"?)', number],
        ...['(?<word>\\b(?:TRUE|FALSE|NULL|MISSING)\\b)', `(?<keyword>\\b(?:${keywords.join('|')})\\b)`],
        // Any other word, so that no number is found at its end.
        '[A-Za-z_]\\w*',
      ].join('|'),
      'gi',
    ),
  ),
  EditorState.languageData.of(() => [
    { closeBrackets: { brackets: ['(', '[', '{', "'", '"'] }, commentTokens: { line: '--' } },
  ]),
];

export const json: Extension = [
  coloured(
    new RegExp(
      [
        ...[
          String.raw`(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))`,
          String.raw`(?<string>"(?:[^"\\]|\\.)*"?)`,
          number,
        ],
        '(?<word>\\b(?:true|false|null)\\b)',
      ].join('|'),
      'g',
    ),
  ),
  // A line stands as deep as brackets are open before it.
  indentService.of((context, at) => {
    const before = context.state.sliceDoc(0, at).replaceAll(/"(?:[^"\\\n]|\\.)*"?/g, '');
    const depth = before.split(/[{[]/).length - before.split(/[}\]]/).length;
    return Math.max(0, /^\s*[}\]]/.test(context.textAfterPos(at)) ? depth - 1 : depth) * context.unit;
  }),
  EditorState.languageData.of(() => [
    { closeBrackets: { brackets: ['[', '{', '"'] }, indentOnInput: /^\s*[}\]]$/ },
  ]),
];
