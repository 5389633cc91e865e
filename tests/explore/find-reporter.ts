import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

interface Failure {
  readonly message?: string | undefined;
  /** Vitest's guess at the file that an error outside of tests belongs to. */
  readonly VITEST_TEST_PATH?: unknown;
}

/** A test, a file or a whole round that failed with a seed. */
export class Find {
  readonly seed: number;
  readonly message: string;
  /** One file; several of which one must be it, after a crash; none where nobody knows. */
  readonly files: readonly string[];
  readonly project: string;
  /** The names of the test and of the blocks around it; empty if the file itself failed. */
  readonly name: string;

  constructor(seed: number, errors: readonly Failure[], files: readonly string[], project = '', name = '') {
    this.seed = seed;
    this.message = errors.map(({ message = 'an error without a message' }) => message).join('\n');
    this.files = files;
    this.project = project;
    this.name = name;
  }

  /** A command for a POSIX shell that runs this test alone, with its seed. */
  command(root: string): string {
    const pattern = `^${this.name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
    return [
      `STATOR_TEST_SEED=${this.seed} npx vitest run`,
      ...(this.project === '' ? [] : [`--project ${this.project}`]),
      ...this.files.map((file) => relative(root, file)),
      ...(this.name === '' ? [] : [`-t '${pattern.replaceAll("'", "'\\''")}'`]),
    ].join(' ');
  }
}

/** Tells each failure when it happens: a run that is stopped later has told its finds. */
export class FindReporter implements Reporter {
  passed = 0;
  failed = 0;
  /** Files that have begun and not ended. */
  readonly #open = new Set<string>();
  readonly #seed: number;
  readonly #tell: (find: Find) => void;

  constructor(seed: number, tell: (find: Find) => void) {
    this.#seed = seed;
    this.#tell = tell;
  }

  onTestModuleQueued(module: TestModule): void {
    this.#open.add(module.moduleId);
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state === 'passed') this.passed++;
    if (result.state === 'failed') this.#found(result.errors, test.module, nameOf(test));
  }

  /** Errors outside of tests: while a file is loaded, or in its hooks. */
  onTestModuleEnd(module: TestModule): void {
    this.#open.delete(module.moduleId);
    if (module.errors().length > 0) this.#found(module.errors(), module, '');
  }

  /** Errors that belong to no test: rejections that nobody waits for, and workers that end, as by a crash. */
  onTestRunEnd(_: readonly TestModule[], unhandled: readonly Failure[]): void {
    for (const error of unhandled) {
      const { VITEST_TEST_PATH: file } = error;
      this.#add(new Find(this.#seed, [error], typeof file === 'string' ? [file] : [...this.#open]));
    }
  }

  #found(errors: readonly Failure[], module: TestModule, name: string): void {
    this.#add(new Find(this.#seed, errors, [module.moduleId], module.project.name, name));
  }

  #add(find: Find): void {
    this.failed++;
    this.#tell(find);
  }
}

/** The name that Vitest's `-t` is matched with: of all blocks from the outside in, with spaces between them. */
function nameOf(test: TestCase): string {
  const names = [test.name];
  for (let block = test.parent; block.type === 'suite'; block = block.parent) names.unshift(block.name);
  return names.join(' ');
}
