// The licences of the libraries whose code a build contains. Whoever copies the code of a library must copy its licence.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folders of the packages that the modules of a bundle come from. */
export function packagesOf(moduleIds) {
  const folders = moduleIds.flatMap((id) => {
    const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(id) ?? [];
    return folder === undefined ? [] : [folder];
  });
  return [...new Set(folders)];
}

/** One text with the name, the version and the whole licence of every package. A package without a licence stops the build. */
export function licenceText(folders) {
  const parts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e(\.\w+)?$/i.test(each));
    if (file === undefined) throw new Error(`${folder} has no licence file`);
    return {
      name,
      text: `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`,
    };
  });
  const sorted = parts.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ text }) => text);
  const rule = `\n${'-'.repeat(80)}\n\n`;
  const head =
    'The studio, in the folder studio beside this file, contains code of the following packages.\n' +
    'No other file of Stator contains code of a library.\n';
  return [head, ...sorted].join(rule);
}

/** The package that holds a file of `node_modules`, such as a style sheet that is copied. */
export function packageOfFile(path) {
  let folder = dirname(path);
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
