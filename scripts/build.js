// Builds the package from `src/`: JavaScript in a few files, so that a command starts with few of them to read, and the
// types of what the package exports. Kept a script so that a stale file of an earlier build can never reach the
// published package.
//
// The one implementation is CommonJS, which every runner loads; ES modules get wrappers of a few lines (decision 0018).
//
//   node scripts/build.js [directory] [--no-types]      into `dist/` unless said otherwise
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { buildStudio } from './build-studio.js';
import { licenceText, packagesOf } from './licences.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const dir = resolve(words.find((word) => !word.startsWith('--')) ?? `${root}dist`);
rmSync(dir, { recursive: true, force: true });

const libraries = ['index', 'client/index', 'design/index', 'migrate/index', 'testing/index'];

if (!words.includes('--no-types')) {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  const options = ['-p', `${root}tsconfig.build.json`, '--outDir', dir];
  execFileSync(process.execPath, [tsc, ...options], { stdio: 'inherit' });
  removeUnreachableTypes(libraries.map((name) => join(dir, `${name}.d.ts`)));
  // The types say what the wrappers do: ES modules see the very types that CommonJS sees.
  for (const name of libraries) writeFileSync(join(dir, `${name}.d.mts`), "export * from './index.js';\n");
}

const bundle = await rolldown({
  cwd: root,
  input: {
    index: 'src/index.ts',
    'cli/main': 'src/cli/main.ts',
    'client/index': 'src/client/index.ts',
    'design/index': 'src/design/index.ts',
    'migrate/index': 'src/migrate/index.ts',
    'testing/index': 'src/testing/index.ts',
  },
  platform: 'node',
  // Packages are loaded as they are installed, and most of them only when they are needed.
  external: (id) => !/^[./]/.test(id) && !id.startsWith(root),
  plugins: [keepImportOfUserFiles()],
});
const { output } = await bundle.write({
  dir,
  format: 'cjs',
  strict: true,
  // No default export, hence nothing for bundlers to mistake: `import stator from './index.js'` is all of it.
  esModule: false,
  // Exports never change, so that they need no getters.
  externalLiveBindings: false,
  // Jest runs CommonJS where `import()` does not work; `require` loads chunks and packages as late.
  dynamicImportInCjs: false,
  // What is loaded on demand stays in files of its own, one level below, as `src/cli/version.ts` expects.
  chunkFileNames: 'chunks/[name]-[hash].js',
});
// The command runs when it is loaded, so that nothing may load it for a part of its code.
for (const { fileName, imports = [], dynamicImports = [] } of output)
  if ([...imports, ...dynamicImports].includes('cli/main.js'))
    throw new Error(`${fileName} loads the command line`);
for (const name of libraries) {
  const { exports } = output.find((chunk) => chunk.fileName === `${name}.js`);
  const wrapper = `import stator from './index.js';\n\nexport const { ${exports.join(', ')} } = stator;\n`;
  writeFileSync(join(dir, `${name}.mjs`), wrapper);
}
writeFileSync(join(dir, 'package.json'), '{ "type": "commonjs" }\n');
chmodSync(join(dir, 'cli/main.js'), 0o755);
if (packagesOf(output.flatMap(({ modules = {} }) => Object.keys(modules))).length > 0)
  throw new Error('The build contains code of a package: it belongs to the dependencies');
const bundled = await buildStudio(join(dir, 'studio'));
writeFileSync(join(dir, 'THIRD-PARTY-LICENSES.txt'), licenceText(bundled));

/** Config files and init scripts may be ES modules, which Node's `require` does not load from a URL. */
function keepImportOfUserFiles() {
  let kept = 0;
  return {
    name: 'keep-import-of-user-files',
    transform(code, id) {
      return id.endsWith('/cli/import-file.ts')
        ? code.replace('import(fileUrl)', 'importUserFile(fileUrl)')
        : null;
    },
    renderChunk(code) {
      if (!code.includes('importUserFile(fileUrl)')) return null;
      kept++;
      return code.replace('importUserFile(fileUrl)', 'import(fileUrl)');
    },
    writeBundle() {
      if (kept !== 1)
        throw new Error(`import(fileUrl) of src/cli/import-file.ts is in ${kept} chunks instead of one`);
    },
  };
}

/** Deletes the types of modules that no exported type mentions, such as those of the command line. */
function removeUnreachableTypes(entries) {
  const reached = new Set(entries);
  for (const file of reached) {
    const text = readFileSync(file, 'utf8');
    for (const [, path] of text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.ts['"]/g))
      reached.add(resolve(dirname(file), `${path}.d.ts`));
  }
  for (const name of readdirSync(dir, { recursive: true })) {
    const file = join(dir, name);
    if (name.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
}
