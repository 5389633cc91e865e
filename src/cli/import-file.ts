import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeOf, Failure, messageOf } from './failure.ts';

/** The default export of a module that the user wrote: a config file or an init script. */
export async function importFile(path: string, what: string): Promise<unknown> {
  let module: { readonly default?: unknown };
  try {
    module = await importModule(path);
  } catch (error) {
    if (codeOf(error) === 'ERR_UNKNOWN_FILE_EXTENSION' && extname(path) === '.ts')
      throw new Failure(
        `The ${what} ${path} is TypeScript, which Node ${process.versions.node} cannot import by itself.`,
        'Use Node 22.18 or later, start Stator with NODE_OPTIONS="--import tsx", or write the file as .mjs.',
        error,
      );
    throw new Failure(`The ${what} ${path} cannot be loaded: ${messageOf(error)}`, undefined, error);
  }
  if (module.default === undefined)
    throw new Failure(`The ${what} ${path} has no default export.`, 'Write export default …');
  return module.default;
}

/** All exports of a module that the user wrote. Node keeps a module that it has loaded; another `version` loads it anew. */
export async function importModule(
  path: string,
  version?: number,
): Promise<Readonly<Record<string, unknown>>> {
  const plainUrl = pathToFileURL(path).href;
  const fileUrl = version === undefined ? plainUrl : `${plainUrl}?version=${version}`;
  return (await import(fileUrl)) as Readonly<Record<string, unknown>>;
}
