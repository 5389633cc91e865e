import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchNode } from './fetch-node.ts';
import { readPlan } from './read-plan.ts';

/** `npm run test:nodes`: runs the tests with the other major versions of Node that Stator supports. */
const usage = `Usage: npm run test:nodes -- [--only <majors>] [<arguments of vitest run> …]

Fetches the supported major versions of Node other than the running one from the npm registry and
runs the tests with each. Without arguments it runs them all.

  --only 22,24                    with these versions, the running one too if it is named
  --project unit                  only the quick tests
  tests/conformance tests/doors   only files whose path has one of these parts

Exit codes: 0 all tests passed with all versions, 1 some failed, 2 the command is wrong or a
version could not be fetched.
`;

const repository = fileURLToPath(new URL('../..', import.meta.url));
const cache = fileURLToPath(new URL('../../node_modules/.cache/stator-nodes', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

process.exitCode = main(process.argv.slice(2));

function main(args: readonly string[]): number {
  if (args[0] === '--help') {
    console.info(usage);
    return 0;
  }
  const plan = readPlan(args, Number.parseInt(process.versions.node, 10));
  if (plan instanceof Error) {
    console.error(`${plan.message}\n\n${usage}`);
    return 2;
  }
  const outcomes: string[] = [];
  let code = 0;
  for (const major of plan.majors) {
    let node: string;
    try {
      node = fetchNode(major, cache);
    } catch (error) {
      console.error((error as Error).message);
      return 2;
    }
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
    console.info(`\nTests with Node ${version}`);
    // Programs that tests start by name, such as npm, find this Node first.
    const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
    const { status } = spawnSync(node, [vitest, 'run', ...plan.vitestArguments], {
      cwd: repository,
      env: { ...process.env, PATH: path },
      stdio: 'inherit',
    });
    outcomes.push(`Node ${version}: ${status === 0 ? 'passed' : 'failed'}`);
    if (status !== 0) code = 1;
  }
  console.info(`\n${outcomes.join('\n')}`);
  return code;
}
