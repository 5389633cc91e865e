import { basename, extname } from 'node:path';
import { ImportError, type Imported, importContent, writeModel } from '../../design/index.ts';
import { counted } from '../../model/counted.ts';
import { TablesError } from '../../tables-from/table-definition.ts';
import { tablesFromText } from '../../tables-from/tables-from-text.ts';
import type { Run } from '../command.ts';
import { Failure, messageOf } from '../failure.ts';
import { writeJson } from './derive.ts';
import type { importOptions } from './import-verb.ts';
import { givenFile, readText } from './load-model.ts';
import { paragraph } from './text-grid.ts';

export const importVerb: Run<typeof importOptions> = async (settings, { output, operand, directory }) => {
  const path = givenFile(operand, directory, 'import');
  const { format, keys, out } = settings;
  const imported = importFrom(path, {
    ...(format.value === 'auto' ? {} : { format: format.value }),
    ...(keys.value === undefined ? {} : { keys: keys.value.split(',').map((one) => one.trim()) }),
  });
  const { model, notes, findings } = imported;
  if (out.value === undefined && !output.isJson) {
    output.print(writeModel(model).trimEnd());
    for (const { where, certainty, message } of notes)
      output.log('info', `${where}: ${certainty}: ${message}`);
    return;
  }
  if (out.value !== undefined) writeJson(out.value, model);
  output.result('imported', { format: imported.format, model, notes, findings }, (style) =>
    [
      `${style('bold', model.name)}  ${imported.format}: ${counted(model.entities.length, 'entity')}, ${counted(model.reads.length, 'read')}, ${counted(model.writes.length, 'write')}`,
      ...notes.flatMap(({ where, certainty, message }) =>
        paragraph(`${where}: ${style('dim', certainty)}: ${message}`, 2),
      ),
      ...findings.flatMap(({ check, where, message, fix }) =>
        paragraph(`${style('yellow', check)} ${where}: ${message}. ${fix}`, 2),
      ),
    ].join('\n'),
  );
};

/** Imports a foreign file; whatever is wrong with it is a `Failure` that names the place. */
export function importFrom(path: string, options: Parameters<typeof importContent>[1] = {}): Imported {
  const name = basename(path, extname(path));
  try {
    return importContent(contentOf(path, readText(path)), { name, ...options });
  } catch (error) {
    if (error instanceof ImportError || error instanceof TablesError)
      throw new Failure(`${path}: ${error.message}`, undefined, error);
    throw error;
  }
}

/** JSON, JSON lines, or a template in YAML or JSON whose tables are taken out. */
function contentOf(path: string, text: string): unknown {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    if (/\.ya?ml$/i.test(path)) return tablesFromText(text, basename(path));
    return linesOf(path, text, error);
  }
  const isTemplate = typeof content === 'object' && content !== null && 'Resources' in content;
  return isTemplate ? tablesFromText(text, basename(path)) : content;
}

function linesOf(path: string, text: string, whole: unknown): unknown[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch (error) {
      const why = at === 0 ? messageOf(whole) : `line ${at + 1}: ${messageOf(error)}`;
      throw new Failure(`${path} is neither JSON nor JSON lines: ${why}`);
    }
  });
}
