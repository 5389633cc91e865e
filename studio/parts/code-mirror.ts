import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import {
  history,
  historyKeymap,
  indentLess,
  indentMore,
  moveLineDown,
  moveLineUp,
  standardKeymap,
  toggleLineComment,
} from '@codemirror/commands';
import { jsonLanguage } from '@codemirror/lang-json';
import { SQLDialect } from '@codemirror/lang-sql';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { tagHighlighter, tags } from '@lezer/highlight';
import { keywords } from './partiql-words.ts';

/** CodeMirror as the studio uses it. This file is a chunk of its own, loaded with the first editor. */

const partiQl = SQLDialect.define({
  keywords: [...keywords, 'TRUE', 'FALSE', 'NULL'].join(' ').toLowerCase(),
  builtin: 'missing',
  types: '',
  identifierQuotes: '"',
});

/** Classes instead of styles: `look` below gives them their colours. */
const colours = syntaxHighlighting(
  tagHighlighter([
    { tag: [tags.comment], class: 'code-comment' },
    { tag: [tags.keyword], class: 'code-keyword' },
    { tag: [tags.bool, tags.null, tags.standard(tags.name)], class: 'code-word' },
    { tag: [tags.number], class: 'code-number' },
    { tag: [tags.string], class: 'code-string' },
    { tag: [tags.propertyName, tags.special(tags.string)], class: 'code-name' },
  ]),
);

/** Of the commands for programmers, those that requests of a few lines need. */
const lineKeys = [
  { key: 'Alt-ArrowUp', run: moveLineUp },
  { key: 'Alt-ArrowDown', run: moveLineDown },
  { key: 'Mod-[', run: indentLess },
  { key: 'Mod-]', run: indentMore },
  { key: 'Mod-/', run: toggleLineComment },
];

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 16px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection':
    {
      backgroundColor: 'var(--accent-tint)',
    },
  '.cm-matchingBracket': { backgroundColor: 'var(--hover)', outline: '1px solid var(--line-strong)' },
  '.cm-placeholder': { color: 'var(--text-faint)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-mono)',
    fontSize: '12px',
    maxHeight: '240px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-tint)',
    color: 'var(--text)',
  },
  '.code-keyword': { color: 'var(--accent)', fontWeight: '600' },
  '.code-string': { color: 'var(--entity-2)' },
  '.code-number': { color: 'var(--entity-1)' },
  '.code-word': { color: 'var(--entity-3)' },
  '.code-name': { color: 'var(--entity-0)' },
  '.code-comment': { color: 'var(--text-faint)' },
  '.cm-completionDetail': { color: 'var(--text-faint)', fontStyle: 'normal' },
});

/**
 * Types over a selection without the browser: that would write the style of the replaced text into the page, which the
 * page's policy refuses.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const { main, ranges } = view.state.selection;
    if (inputType !== 'insertText' || data === null || main.empty || ranges.length > 1 || view.composing)
      return false;
    event.preventDefault();
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, main.from, main.to, data, insert))) view.dispatch(insert());
    return true;
  },
});

export interface EditorOptions {
  readonly parent: ShadowRoot;
  readonly text: string;
  readonly language: 'partiql' | 'json';
  readonly label: string;
  readonly hint: string;
  readonly complete: CompletionSource;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
}

export function makeEditor(options: EditorOptions): EditorView {
  const { parent, text, language, label, hint, complete, onChange, onRun } = options;
  const run = (view: EditorView) => {
    closeCompletion(view);
    onRun();
    return true;
  };
  return new EditorView({
    root: parent,
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          { key: 'Mod-Enter', run },
          { key: 'Shift-Enter', run },
        ]),
        history(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [complete], icons: false }),
        keymap.of([
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...standardKeymap,
          ...lineKeys,
          ...historyKeymap,
        ]),
        language === 'json' ? jsonLanguage : partiQl.language,
        colours,
        look,
        placeholder(hint),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        typeOverSelection,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
}

/**
 * Puts another text into an editor. Only what differs is replaced, so that the selection stays where it was in what is the
 * same.
 */
export function replaceText(view: EditorView, text: string): void {
  const before = view.state.doc.toString();
  if (before === text) return;
  const shorter = Math.min(before.length, text.length);
  let start = 0;
  while (start < shorter && before[start] === text[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === text[text.length - 1 - end]) end++;
  view.dispatch({
    changes: { from: start, to: before.length - end, insert: text.slice(start, text.length - end) },
  });
}
