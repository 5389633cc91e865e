import { StreamLanguage } from '@codemirror/language';
import { keywords } from './partiql-words.ts';

/**
 * The two languages of the editor, word by word. Colours are all that the studio needs of a language: completion knows
 * tables and keys, which no grammar does. Full grammars would be a tenth of the whole page.
 */

const words = new Set(keywords);

export const partiQl = StreamLanguage.define({
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^--.*/)) return 'comment';
    if (stream.match(/^'(?:[^']|'')*'?/)) return 'string';
    if (stream.match(/^"(?:[^"]|"")*"?/)) return 'propertyName';
    if (stream.match(/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/)) return 'number';
    const word = stream.match(/^[A-Za-z_]\w*/);
    if (!word) {
      stream.next();
      return null;
    }
    const text = stream.current().toUpperCase();
    if (/^(TRUE|FALSE|NULL|MISSING)$/.test(text)) return 'bool';
    return words.has(text) ? 'keyword' : null;
  },
  languageData: { closeBrackets: { brackets: ['(', '[', '{', "'", '"'] }, commentTokens: { line: '--' } },
});

/** How many brackets are open, which is how far a line of JSON is indented. */
interface JsonState {
  depth: number;
}

export const json = StreamLanguage.define<JsonState>({
  startState: () => ({ depth: 0 }),
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return stream.match(/^\s*:/, false) ? 'propertyName' : 'string';
    if (stream.match(/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/)) return 'number';
    if (stream.match(/^(?:true|false|null)\b/)) return 'bool';
    const next = stream.next();
    if (next === '{' || next === '[') state.depth++;
    if (next === '}' || next === ']') state.depth = Math.max(0, state.depth - 1);
    return null;
  },
  indent: ({ depth }, textAfter, { unit }) =>
    Math.max(0, /^\s*[}\]]/.test(textAfter) ? depth - 1 : depth) * unit,
  languageData: { closeBrackets: { brackets: ['[', '{', '"'] }, indentOnInput: /^\s*[}\]]$/ },
});
