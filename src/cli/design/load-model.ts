import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Model, ModelError, modelFormat, readModel } from '../../design/index.ts';
import { codeOf, Failure, messageOf, UsageError } from '../failure.ts';
import { importModule } from '../import-file.ts';
import { findOwnDesign } from './own-design.ts';

export interface LoadedModel {
  readonly path: string;
  readonly model: Model;
}

/** Loads the model file that a verb was given. Everything that can be wrong with it is a `Failure`. */
export async function loadModel(
  operand: string | undefined,
  directory: string,
  verb: string,
): Promise<LoadedModel> {
  const path = givenFile(operand, directory, verb);
  if (extname(path) === '.json') return { path, model: modelFromJson(path, readText(path)) };
  return { path, model: modelOfModule(path, await loadModule(path)) };
}

export function givenFile(operand: string | undefined, directory: string, verb: string): string {
  if (operand === undefined)
    throw new UsageError(`design ${verb} needs a file.`, `See stator help design ${verb}.`);
  const path = resolve(directory, operand);
  if (!existsSync(path)) throw new Failure(`There is no file ${path}.`);
  return path;
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${messageOf(error)}.`, undefined, error);
  }
}

export function modelFromJson(path: string, text: string): Model {
  try {
    return readModel(text);
  } catch (error) {
    throw asFailure(error, path);
  }
}

/** Models are refused with a `ModelError`, whose text is meant for their author. */
export function asFailure(error: unknown, path: string): unknown {
  if (error instanceof ModelError) return new ModelRefused(path, error);
  if (error instanceof SyntaxError) return new Failure(`${path} is not valid JSON: ${error.message}`);
  return error;
}

export class ModelRefused extends Failure {
  override readonly name = 'ModelRefused';
  readonly path: string;
  readonly refusal: ModelError;

  constructor(path: string, refusal: ModelError) {
    super(`${path}\n${refusal.message}`, undefined, refusal);
    this.path = path;
    this.refusal = refusal;
  }
}

/** The exports of a module of the user, TypeScript included. */
export async function loadModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const extension = extname(path);
  if (!['.ts', '.mts', '.js', '.mjs'].includes(extension))
    throw new UsageError(
      `A model file ends in .ts, .mjs, .js or .json, not in ${JSON.stringify(extension)}.`,
    );
  findOwnDesign();
  if (/^\.m?ts$/.test(extension) && !readsTypeScript()) return importThroughTsx(path);
  return importOr(path, () => importModule(path));
}

/** Node strips types by itself from 22.18 on, and so does a process that was started through tsx. */
function readsTypeScript(): boolean {
  const { features, execArgv } = process as NodeJS.Process & {
    readonly features: { readonly typescript?: unknown };
  };
  if (features.typescript !== undefined && features.typescript !== false) return true;
  return [...execArgv, process.env.NODE_OPTIONS ?? ''].some((word) => /\btsx\b/.test(word));
}

interface TsxApi {
  tsImport(url: string, parent: string): Promise<Readonly<Record<string, unknown>>>;
}

async function importThroughTsx(path: string): Promise<Readonly<Record<string, unknown>>> {
  const api = await findTsx(path);
  if (api === undefined)
    throw new Failure(
      `${path} is TypeScript, which Node ${process.versions.node} cannot import by itself.`,
      'Install tsx beside it (npm install --save-dev tsx), use Node 22.18 or later, or write the model as .mjs or .json.',
    );
  const url = pathToFileURL(path).href;
  // Errors then name the lines of the file, not those of the JavaScript made of it.
  process.setSourceMapsEnabled(true);
  return importOr(path, () => api.tsImport(url, url));
}

/** tsx of the project that the model is in, or else the one beside Stator. */
async function findTsx(path: string): Promise<TsxApi | undefined> {
  for (const from of [path, fileURLToPath(import.meta.url)]) {
    const require = createRequire(from);
    try {
      // Its CommonJS form looks for the loader in the wrong folder (4.23), so that the module form is taken.
      const description = require.resolve('tsx/package.json');
      const { exports } = require(description) as { readonly exports: TsxExports };
      const api = exports['./esm/api'].import.default;
      return (await importModule(join(dirname(description), api))) as unknown as TsxApi;
    } catch (error) {
      if (!['MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED'].includes(codeOf(error) ?? '')) throw error;
    }
  }
  return undefined;
}

interface TsxExports {
  readonly './esm/api': { readonly import: { readonly default: string } };
}

async function importOr(
  path: string,
  load: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await load();
  } catch (error) {
    if (isModelError(error)) throw asFailure(error, path);
    throw new Failure(`${path} cannot be loaded: ${messageOf(error)}`, placeIn(path, error), error);
  }
}

/** The user's module may have loaded another copy of the library, whose errors are of another class. */
function isModelError(error: unknown): error is ModelError {
  return error instanceof Error && error.name === 'ModelError' && 'troubles' in error;
}

/** Where in the user's own file it went wrong; tsx hides that for modules in folders that say nothing of ES modules. */
function placeIn(path: string, error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const url = pathToFileURL(path).href;
  const place = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && (line.includes(url) || line.includes(path)))
    .map((line) => /:(\d+):(\d+)\)?$/.exec(line.trim()))
    .find((found) => found !== null);
  if (place !== undefined) return `At ${path}:${place![1]}:${place![2]}`;
  return path.endsWith('ts') ? `To see the line: npx tsc --noEmit ${path}` : undefined;
}

function modelOfModule(path: string, module: Readonly<Record<string, unknown>>): Model {
  const values = 'default' in module ? [module.default, ...Object.values(module)] : Object.values(module);
  // CommonJS files arrive as one default export with everything in it.
  const inner = values.flatMap((value) => (isObject(value) && !isModel(value) ? Object.values(value) : []));
  const models = new Set([...values, ...inner].filter(isModel));
  if (isModel(module.default)) return module.default;
  if (models.size === 1) return [...models][0]!;
  throw new Failure(
    models.size === 0 ? `${path} exports no model.` : `${path} exports ${models.size} models.`,
    "Write export default model('name', { … }).",
  );
}

function isModel(value: unknown): value is Model {
  return isObject(value) && value.format === modelFormat;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
