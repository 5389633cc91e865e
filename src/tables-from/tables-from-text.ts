import { createTableFromJson } from './create-table-json.ts';
import { parseText } from './parse-text.ts';
import { isObject, type ReadOptions, type TableDefinition, TablesError } from './table-definition.ts';
import { type FromTemplate, fromTemplate, tablesFromTemplate } from './tables-from-template.ts';

/**
 * The tables that a text describes: CreateTable requests or describe-table's output, one or several, or a
 * CloudFormation template; in JSON or YAML. The file's name only tells the reader of an error where it is.
 */
export function tablesFromText(text: string, fileName: string, options: ReadOptions = {}): TableDefinition[] {
  const content = parseText(text, fileName);
  try {
    return tablesFromContent(content, options);
  } catch (error) {
    if (!(error instanceof TablesError)) throw error;
    throw new TablesError(`${fileName}: ${error.message}`, { cause: error });
  }
}

/** The tables of a text together with the alarms and the scaling of templates. */
export function allFromText(text: string, fileName: string, options: ReadOptions = {}): FromTemplate {
  const content = parseText(text, fileName);
  try {
    if (isObject(content) && isObject(content.Resources)) return fromTemplate(content, options);
    const tables = tablesFromContent(content, options);
    return { tables, monitoring: () => ({ alarms: [], targets: [], schedules: [], policies: [] }) };
  } catch (error) {
    if (!(error instanceof TablesError)) throw error;
    throw new TablesError(`${fileName}: ${error.message}`, { cause: error });
  }
}

/** Likewise from what has been parsed already. */
export function tablesFromContent(content: unknown, options: ReadOptions = {}): TableDefinition[] {
  if (Array.isArray(content)) return content.flatMap((each) => tablesFromContent(each, options));
  if (!isObject(content)) throw new TablesError('there is neither a table nor a template in it');
  if (isObject(content.Resources)) return tablesFromTemplate(content, options);
  if (Array.isArray(content.Tables)) return tablesFromContent(content.Tables, options);
  return [createTableFromJson(content)];
}
