/** Paragraphs that the help of several verbs shares. */

const modelFiles = [
  '.json         the JSON form of a model (docs/design/model.schema.json)',
  '.mjs .js      a module that exports the model, by default or as its only model',
  '.ts           the same in TypeScript: Node 22.18 or later reads it itself, Node 20 through tsx if that is installed',
  "In a module, import { … } from 'stator/design' finds this Stator even where none is installed.",
];

export const modelFileSection = { title: 'Model files', lines: modelFiles };

export const exitCodeSection = {
  title: 'Exit codes',
  lines: ['0  done', '1  the model is refused, or something else failed', '2  the command itself is wrong'],
};
