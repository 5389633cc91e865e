import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repositoryFiles, textOf } from './source-files.ts';

const workflows = repositoryFiles().filter((path) => /^\.github\/.*\.ya?ml$/.test(path));

describe('the files for GitHub', () => {
  it.each(workflows)('%s is YAML', (path) => {
    expect(parse(textOf(path))).toBeTypeOf('object');
  });

  it('pin every action to a commit, and say which version it is', () => {
    const uses = workflows.flatMap((path) => textOf(path).match(/^\s*-?\s*uses: .*$/gm) ?? []);
    expect(uses.length).toBeGreaterThan(4);
    expect(uses.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('give workflows no more rights than they name', () => {
    const runs = workflows.filter((path) => path.includes('/workflows/'));
    const open = runs.filter((path) => !/^permissions:\n {2}contents: read$/m.test(textOf(path)));
    expect(open).toEqual([]);
  });
});
