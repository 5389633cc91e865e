import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** A test that failed with a seed. */
export class Find {
  readonly seed: number;
  readonly project: string;
  readonly file: string;
  /** The names of the test and of the blocks around it; empty if the file itself failed. */
  readonly name: string;
  readonly message: string;

  constructor(
    seed: number,
    module: TestModule,
    name: string,
    errors: readonly { readonly message: string }[],
  ) {
    this.seed = seed;
    this.project = module.project.name;
    this.file = module.moduleId;
    this.name = name;
    this.message = errors.map(({ message }) => message).join('\n');
  }

  /** A command for a POSIX shell that runs this test alone, with its seed. */
  command(root: string): string {
    const pattern = `^${this.name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
    return [
      `STATOR_TEST_SEED=${this.seed} npx vitest run`,
      ...(this.project === '' ? [] : [`--project ${this.project}`]),
      relative(root, this.file),
      ...(this.name === '' ? [] : [`-t '${pattern.replaceAll("'", "'\\''")}'`]),
    ].join(' ');
  }
}

/** Tells each failure when it happens: a run that is stopped later has told its finds. */
export class FindReporter implements Reporter {
  passed = 0;
  failed = 0;
  readonly #seed: number;
  readonly #tell: (find: Find) => void;

  constructor(seed: number, tell: (find: Find) => void) {
    this.#seed = seed;
    this.#tell = tell;
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state === 'passed') this.passed++;
    if (result.state === 'failed') this.#found(test.module, nameOf(test), result.errors);
  }

  /** Errors outside of tests: while a file is loaded, or in its hooks. */
  onTestModuleEnd(module: TestModule): void {
    if (module.errors().length > 0) this.#found(module, '', module.errors());
  }

  #found(module: TestModule, name: string, errors: readonly { readonly message: string }[]): void {
    this.failed++;
    this.#tell(new Find(this.#seed, module, name, errors));
  }
}

/** The name that Vitest's `-t` is matched with: of all blocks from the outside in, with spaces between them. */
function nameOf(test: TestCase): string {
  const names = [test.name];
  for (let block = test.parent; block.type === 'suite'; block = block.parent) names.unshift(block.name);
  return names.join(' ');
}
