import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, textOf } from './source-files.ts';

/** The files to deploy with still fit the repository. `tests/package/image.test.ts` follows the Dockerfile. */
const dockerfile = textOf('Dockerfile');
const service = textOf('docs/deploy/stator.service');

describe('the files to deploy with', () => {
  it('copy what is there, and no more than the image may see', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths]) =>
      paths!.split(' ').map((path) => path.replace(/^\.\//, '')),
    );
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const seen = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    expect([...copied].sort()).toEqual(seen.map((line) => line.slice(1)).sort());
  });

  it('start the command of the package', () => {
    const { bin } = JSON.parse(textOf('package.json')) as { bin: { stator: string } };
    const command = bin.stator.replace(/^\.\//, '');
    expect(dockerfile).toContain(`ENTRYPOINT ["node", "/opt/stator/${command}"]`);
    expect(service).toContain(`/node_modules/stator/${command} start`);
  });

  it('keep the control API from other machines, however its path is written', () => {
    const nginx = textOf('docs/deploy/nginx.conf');
    // nginx takes `\\\\` in a quoted text for `\\`, and its expressions are Perl's; these are plain enough for both.
    const refused = [...nginx.matchAll(/if \(\$request_uri ~\* "(.*)"\) \{\n +return 4\d\d;/g)].map(
      ([, expression]) => new RegExp(expression!.replaceAll('\\\\', '\\'), 'i'),
    );
    const passes = (path: string) => !refused.some((expression) => expression.test(path));
    expect(nginx).toMatch(/location ~\* \^\/_stator \{\n +return 404;/);
    const roads = [
      '/',
      '/?a=%2f..',
      '/_studio/main-a.b.js',
      '/service/GraniteServiceVersion20100801/operation/X',
    ];
    expect(roads.filter(passes)).toEqual(roads);
    const detours = [
      ...[
        '/_stator/reset',
        '/_STATOR/reset',
        '//_stator/reset',
        '/_stator',
        '/_stator/../x',
        '/_stator/./reset',
      ],
      ...[
        '/_stator/..%2fx',
        '/x/..%2F_stator/reset',
        '/_stator/%2e%2e/x',
        '/_stator/.%2E/x',
        '/_stator/..\\x',
      ],
      ...['/x/%5f..%5c_stator', '/x/%252e%252e/_stator/reset', '/x/..', '/x/..?y', '/x/./_stator/reset'],
    ];
    expect(detours.filter(passes)).toEqual([]);
  });

  it('set variables that the server knows', () => {
    const named = [dockerfile, service].flatMap((text) => [...text.matchAll(/\bSTATOR_([A-Z_]+)/g)]);
    const flags = textOf('src/cli/flags.ts');
    const keys = named.map(([, name]) =>
      name!.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    );
    expect(keys.length).toBeGreaterThan(3);
    expect(keys.filter((key) => !new RegExp(`^  ${key}: `, 'm').test(flags))).toEqual([]);
  });
});
