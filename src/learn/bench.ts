import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '../model/counted.ts';
import { nextTurn } from '../runtime/machine/machine.ts';
import { asLesson } from './explain-error.ts';
import { jsonProblem } from './json-problem.ts';
import { Lab, type LabOptions } from './lab.ts';
import { Lesson } from './lesson.ts';
import { kindOf } from './value-kind.ts';

/** Loads all exports of a file that the learner wrote; a higher `version` loads it anew. */
export type LoadModule = (path: string, version?: number) => Promise<Readonly<Record<string, unknown>>>;

/** One step of an exercise, as it went. */
export interface StepResult {
  readonly title: string;
  readonly passed: boolean;
  /** What was measured, of a step that passed. */
  readonly note?: string;
  readonly saw?: string;
  readonly rule?: string;
  readonly topic?: string;
}

export interface BenchOptions {
  readonly folder: string;
  readonly load: LoadModule;
  /** Told before a step begins, so that one that never ends can be named. */
  readonly onStep?: (title: string) => void;
}

// The learner's functions take and return what the exercise says; the judge checks it.
// biome-ignore lint/suspicious/noExplicitAny: what a stranger's function returns is not known before it is looked at
export type Learned = (...args: readonly unknown[]) => any;

/** What a judge works with: the learner's files, databases to run them on, and the steps that it tells. */
export class Bench {
  readonly steps: StepResult[] = [];
  readonly folder: string;
  readonly #options: BenchOptions;
  readonly #labs: Lab[] = [];
  /** Those who wait for the learner's code right now. */
  readonly #waiting = new Set<(lesson: Lesson) => void>();

  constructor(options: BenchOptions) {
    this.#options = options;
    this.folder = options.folder;
  }

  /** Runs one step. What it returns is the note of a step that passed; a `Lesson` that it throws ends the attempt. */
  async step(title: string, work: () => Promise<string | undefined> | string | undefined): Promise<void> {
    this.#options.onStep?.(title);
    try {
      const note = await work();
      this.steps.push({ title, passed: true, ...(note !== undefined && { note }) });
    } catch (error) {
      if (!(error instanceof Lesson)) throw error;
      const { saw, rule, topic } = error;
      const told = { saw, ...(rule !== undefined && { rule }), ...(topic !== undefined && { topic }) };
      this.steps.push({ title, passed: false, ...told });
      throw new StopJudging();
    }
  }

  /** A database of this attempt; it is closed when the attempt ends. */
  async lab(options: LabOptions): Promise<Lab> {
    const lab = await Lab.open(options, this.halt);
    this.#labs.push(lab);
    return lab;
  }

  /** The functions that a file must export. What they throw becomes a lesson. */
  async functions<Name extends string>(
    file: string,
    names: readonly Name[],
    version?: number,
  ): Promise<Readonly<Record<Name, Learned>>> {
    const path = join(this.folder, file);
    let module: Readonly<Record<string, unknown>>;
    try {
      module = await this.#options.load(path, version);
    } catch (error) {
      throw asLesson(error, file, `${file} cannot be loaded`);
    }
    const found: Partial<Record<Name, Learned>> = {};
    for (const name of names) {
      const given = module[name];
      if (typeof given !== 'function')
        throw new Lesson({
          saw:
            given === undefined
              ? `${file} exports no function ${name}. It exports ${listed(Object.keys(module))}.`
              : `${file} exports ${name}, but it is ${kindOf(given)} and not a function.`,
          rule: `The check calls ${name}; keep the line that begins with "export", and its name.`,
        });
      found[name] = this.#guarded(given as Learned, file, name);
    }
    return found as Readonly<Record<Name, Learned>>;
  }

  /** A JSON file of the learner. */
  async json(file: string): Promise<unknown> {
    const text = await readFile(join(this.folder, file), 'utf8').catch(() => {
      throw new Lesson({
        saw: `${file} is not there.`,
        rule: 'stator learn reset makes the files of an exercise again.',
      });
    });
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Lesson({ saw: `${file} is not JSON: ${jsonProblem(text, error)}` });
    }
  }

  /** The same, where it must hold named values. */
  async fields(file: string): Promise<Readonly<Record<string, unknown>>> {
    const given = await this.json(file);
    if (typeof given === 'object' && given !== null && !Array.isArray(given))
      return given as Readonly<Record<string, unknown>>;
    throw new Lesson({
      saw: `${file} holds ${given === null ? 'null' : kindOf(given)}.`,
      rule: 'It is an object of named values: { "name": value, … }. stator learn reset shows it as it began.',
    });
  }

  /**
   * Ends the learner's function that runs now, with a lesson. The answer never comes, so that code which catches every error
   * and tries again stands still.
   */
  readonly halt = (lesson: Lesson): Promise<never> => {
    for (const end of this.#waiting) end(lesson);
    return new Promise(() => {});
  };

  /** Errors of the learner's function become lessons, whether it answers at once or later. */
  #guarded(given: Learned, file: string, name: string): Learned {
    const told = (error: unknown) => asLesson(error, file, `${name} failed`);
    return (...args) => {
      let answer: unknown;
      try {
        answer = given(...args);
      } catch (error) {
        throw told(error);
      }
      if (!(answer instanceof Promise)) return answer;
      return new Promise((resolve, reject) => {
        this.#waiting.add(reject);
        const done = (settle: () => void) => {
          this.#waiting.delete(reject);
          settle();
        };
        answer.then(
          (value) =>
            done(() => {
              const unseen = this.#waiting.size === 0 ? this.#pending() : 0;
              if (unseen === 0) resolve(value);
              else reject(leftAlone(name, unseen));
            }),
          (error: unknown) => done(() => reject(told(error))),
        );
      });
    };
  }

  /** Requests of the learner's code that nobody has had an answer of. */
  #pending(): number {
    return this.#labs.reduce((sum, { ledger }) => sum + ledger.pending, 0);
  }

  async close(): Promise<void> {
    // A request that nobody waited for ends before its database does.
    for (let turns = 0; turns < 100 && this.#pending() > 0; turns++) await nextTurn();
    for (const lab of this.#labs.splice(0)) await lab.close();
  }
}

/** Ends an attempt whose last step did not pass. */
export class StopJudging extends Error {}

function leftAlone(name: string, requests: number): Lesson {
  return new Lesson({
    saw: `${name} was done while ${counted(requests, 'request')} of it had no answer yet.`,
    rule: 'Write await before every call that answers a promise: what nobody waits for may fail unseen, or never be sent.',
    topic: 'api',
  });
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.join(', ');
}
