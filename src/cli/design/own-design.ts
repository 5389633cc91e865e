import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

let registered = false;

/**
 * Lets model files import `stator/design` wherever they lie. The copy that Node finds from the file wins; where it finds
 * none, as in a folder without node_modules or in this repository before a build, this Stator's own copy is taken.
 */
export function findOwnDesign(): void {
  if (registered) return;
  registered = true;
  const own = ownDesignUrl();
  const { registerHooks } = nodeModule as { registerHooks?: (hooks: object) => void };
  if (registerHooks !== undefined) {
    registerHooks({
      resolve(specifier: string, context: object, next: (specifier: string, context: object) => object) {
        if (specifier !== 'stator/design') return next(specifier, context);
        try {
          return next(specifier, context);
        } catch {
          return { url: own, shortCircuit: true };
        }
      },
    });
    return;
  }
  const hooks = `export async function resolve(specifier, context, next) {
    if (specifier !== 'stator/design') return next(specifier, context);
    try {
      return await next(specifier, context);
    } catch {
      return next(${JSON.stringify(own)}, context);
    }
  }`;
  nodeModule.register(`data:text/javascript,${encodeURIComponent(hooks)}`);
  findOwnDesignInRequire(fileURLToPath(own).replace(/\.mjs$/, '.js'));
}

/** Without synchronous hooks, `require` (which tsx makes of imports in CommonJS projects) is asked in its own way. */
function findOwnDesignInRequire(own: string): void {
  const loader = nodeModule.default as unknown as {
    _resolveFilename(request: string, ...rest: unknown[]): string;
  };
  const resolveFilename = loader._resolveFilename;
  loader._resolveFilename = function resolveOwn(request, ...rest) {
    try {
      return resolveFilename.call(this, request, ...rest);
    } catch (error) {
      if (request !== 'stator/design') throw error;
      return own;
    }
  };
}

/** The entry of the library: two levels up in the build, and in `src` when the command runs from its sources. */
function ownDesignUrl(): string {
  const here = import.meta.url;
  const inSources = here.endsWith('.ts');
  return new URL(inSources ? '../../design/index.ts' : '../design/index.mjs', here).href;
}
