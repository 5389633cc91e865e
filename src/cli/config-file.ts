import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { codeOf, Failure, messageOf, UsageError } from './failure.ts';
import { importFile } from './import-file.ts';
import type { ConfigValues } from './settings.ts';

const extensions = ['.ts', '.js', '.mjs', '.json'];

/** The config file named, else the one in the working directory, if there is one. */
export async function readConfigFile(
  named: string | undefined,
  directory: string,
): Promise<ConfigValues | undefined> {
  const path = named ?? findConfigFile(directory);
  if (path === undefined) return undefined;
  const values = extname(path) === '.json' ? readJson(path) : await importConfig(path);
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new UsageError(`The config file ${path} must hold an object.`);
  return { path, directory: dirname(path), values: { ...values } };
}

function findConfigFile(directory: string): string | undefined {
  const found = extensions
    .map((extension) => join(directory, `stator.config${extension}`))
    .filter(existsSync);
  if (found.length > 1)
    throw new UsageError(
      `There are several config files: ${found.join(', ')}.`,
      'Keep one of them, or name one with --config.',
    );
  return found[0];
}

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw cannotRead(path, error);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The config file ${path} is not valid JSON: ${messageOf(error)}`, undefined, error);
  }
}

function importConfig(path: string): Promise<unknown> {
  if (!extensions.includes(extname(path)))
    throw new UsageError(`The config file ${path} must end in ${extensions.join(', ')}.`);
  if (!existsSync(path)) throw new Failure(`The config file ${path} does not exist.`);
  return importFile(path, 'config file');
}

function cannotRead(path: string, error: unknown): Failure {
  const why = codeOf(error) === 'ENOENT' ? 'does not exist' : `cannot be read: ${messageOf(error)}`;
  return new Failure(`The config file ${path} ${why}.`, undefined, error);
}
