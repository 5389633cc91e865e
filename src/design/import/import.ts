import { checkModel } from '../check-model.ts';
import { ModelError } from '../model-error.ts';
import { fromAgentToolkit, fromMcpSchema, fromMcpValidation } from './aws-files.ts';
import type { Imported, ImportFormat } from './draft.ts';
import { ImportError, Place } from './place.ts';
import { fromItems, fromOneTable, fromTables, fromTraffic, fromWorkbench } from './tool-files.ts';

/** All formats that can be imported. */
export const importFormats: readonly ImportFormat[] = [
  ...(['aws-agent-toolkit', 'aws-mcp-validation', 'aws-mcp-schema', 'workbench', 'onetable'] as const),
  ...(['tables', 'items', 'traffic'] as const),
];

/** Options of an import: the format, if it cannot be recognised, and a name. */
export interface ImportOptions {
  /** The format; found by the shape of the file if absent. */
  readonly format?: ImportFormat;
  /** The name of the model, where the file has none. */
  readonly name?: string;
  /** Key attributes of a sample of items, partition key first. */
  readonly keys?: readonly string[];
}

/**
 * Makes a model of the parsed content of a foreign file; JSON lines come as a list of their values. Refuses with the place
 * what is not what it claims to be.
 */
export function importContent(content: unknown, options: ImportOptions = {}): Imported {
  const format = options.format ?? formatOf(content);
  const file = new Place(content);
  const name = options.name ?? 'Imported';
  const imported = byFormat(format, file, name, options.keys ?? []);
  // A file that names tables without saying what is in them would give a model of nothing.
  if (imported.model.entities.length === 0) throw new ImportError('', 'describes no entity');
  try {
    checkModel(imported.model);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new ImportError('', `the design in it cannot be a model.\n${error.message}`);
  }
  return imported;
}

function byFormat(format: ImportFormat, file: Place, name: string, keys: readonly string[]): Imported {
  switch (format) {
    case 'aws-agent-toolkit':
      return fromAgentToolkit(file, name);
    case 'aws-mcp-validation':
      return fromMcpValidation(file, name);
    case 'aws-mcp-schema':
      return fromMcpSchema(file, name);
    case 'workbench':
      return fromWorkbench(file, name);
    case 'onetable':
      return fromOneTable(file, name);
    case 'tables':
      return fromTables(tablesIn(file), name);
    case 'items':
    case 'traffic': {
      const lines = file.list();
      if (lines.length === 0) file.fail('is empty');
      return format === 'items' ? fromItems(lines, name, keys) : fromTraffic(lines, name);
    }
  }
}

function tablesIn(file: Place): Place[] {
  const all = Array.isArray(file.value) ? file.list() : [file];
  return all.flatMap((one) => {
    const inner = one.anyOf('Table', 'TableDescription');
    return inner.exists ? [inner] : [one];
  });
}

/** Files of one name have different shapes: `tables[].table_name`, `tables[].TableName` and `tables[].table_config`. */
function formatOf(content: unknown): ImportFormat {
  const first = (Array.isArray(content) ? content[0] : content) as
    | Readonly<Record<string, unknown>>
    | null
    | undefined;
  if (Array.isArray(content) && content.length === 0)
    throw new ImportError('', 'holds neither tables nor items');
  if (typeof first !== 'object' || first === null)
    throw new ImportError('', 'is neither an object nor lines of objects');
  const has = (name: string) => Object.hasOwn(first, name);
  if (has('format') && String(first.format).startsWith('stator-traffic/')) return 'traffic';
  if (has('DataModel')) return 'workbench';
  if (has('indexes') && has('models')) return 'onetable';
  if (has('KeySchema') || has('Table') || has('TableDescription')) return 'tables';
  if (has('tables')) {
    const table = ((Array.isArray(first.tables) ? first.tables[0] : undefined) ?? undefined) as
      | Readonly<Record<string, unknown>>
      | undefined;
    if (table !== undefined && Object.hasOwn(table, 'table_name')) return 'aws-agent-toolkit';
    if (table !== undefined && Object.hasOwn(table, 'TableName')) return 'aws-mcp-validation';
    if (table !== undefined && Object.hasOwn(table, 'table_config')) return 'aws-mcp-schema';
    throw new ImportError(
      'tables',
      'has none of table_name, TableName and table_config, so that its format is unknown',
    );
  }
  if (Array.isArray(content)) return 'items';
  throw new ImportError(
    '',
    `has the members ${Object.keys(first).slice(0, 6).join(', ')}, which no known format begins with`,
  );
}
