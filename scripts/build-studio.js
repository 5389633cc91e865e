// Builds the studio from `studio/` into a directory: one page, one style sheet, one script and the chunks that it loads
// on demand. All names but the page's have a hash of the content in them, so that browsers may keep them for ever.
//
//   node scripts/build-studio.js [directory]      into `dist/studio/` unless said otherwise
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { packageOfFile, packagesOf } from './licences.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'studio');

const chartStyles = join(root, 'node_modules/uplot/dist/uPlot.min.css');

/** The order in which style sheets are joined: the language first, then the frame, then pages in any order. */
const stylesFirst = ['tokens.css', 'base.css', 'parts.css', 'shell.css'];

/** Builds it, and returns the folders of the packages whose code it contains. */
export async function buildStudio(directory) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const bundle = await rolldown({
    cwd: root,
    input: { main: 'studio/main.tsx' },
    // What chunks export is for each other alone.
    preserveEntrySignatures: false,
    platform: 'browser',
    tsconfig: 'studio/tsconfig.json',
    transform: { target: 'es2022', define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await bundle.write({
    dir: directory,
    format: 'esm',
    minify: true,
    comments: { legal: false },
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    // Few large files compress better than many small ones: the checker and the search of designs are one, and so are the
    // small parts that several pages share. What a group's modules import goes along with them.
    codeSplitting: {
      groups: [
        { name: 'design', test: /[\\/]src[\\/]design[\\/]/ },
        { name: 'shared', test: isSmallPart, minShareCount: 2, priority: 1 },
      ],
    },
  });
  await bundle.close();
  refuseCircles(output);
  const entry = output.find((chunk) => chunk.isEntry);
  const css = writeHashed(directory, 'studio', 'css', smaller(styles()));
  const mark = writeHashed(directory, 'mark', 'svg', readFileSync(join(source, 'mark.svg'), 'utf8').trim());
  const page = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('{{script}}', `/_studio/${entry.fileName}`)
    .replace('{{styles}}', `/_studio/${css}`)
    .replace('{{mark}}', `/_studio/${mark}`);
  writeFileSync(join(directory, 'index.html'), page);
  const modules = output.flatMap((chunk) => Object.keys(chunk.modules ?? {}));
  return [...new Set([...packagesOf(modules), packageOfFile(chartStyles)])];
}

/** Chunks that import each other in a circle run before what they use exists: the page would break when they are loaded. */
function refuseCircles(output) {
  const imports = new Map(output.map((chunk) => [chunk.fileName, chunk.imports ?? []]));
  const finished = new Set();
  const visit = (file, path) => {
    if (path.includes(file)) throw new Error(`Chunks import each other: ${[...path, file].join(' > ')}`);
    if (finished.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
    finished.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
}

/** Whether a module belongs to what pages share, and is not one of the heavy parts that are loaded when first used. */
function isSmallPart(path) {
  return (
    /[\\/](?:studio[\\/](?:data|parts|shell)|src[\\/](?:model|physics))[\\/]/.test(path) &&
    !/[\\/](?:virtual-list|chart|code-[a-z]+|partiql-words)\.tsx?$/.test(path)
  );
}

function styles() {
  const folder = join(source, 'styles');
  const rest = readdirSync(folder).filter((name) => name.endsWith('.css') && !stylesFirst.includes(name));
  const own = [...stylesFirst, ...rest.sort()].map((name) => join(folder, name));
  return [chartStyles, ...own].map((path) => readFileSync(path, 'utf8')).join('\n');
}

/** Comments and blanks at the ends of lines are most of what a style sheet can lose. */
function smaller(css) {
  return css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .replaceAll(/\n?([{};])\n/g, '$1');
}

function writeHashed(directory, name, extension, text) {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const file = `${name}-${hash}.${extension}`;
  writeFileSync(join(directory, file), text);
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildStudio(resolve(process.argv[2] ?? join(root, 'dist/studio')));
