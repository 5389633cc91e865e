import { fork } from 'node:child_process';
import type { Place } from '../../learn/course.ts';
import type { Attempt } from '../../learn/judge-exercise.ts';
import { machine } from '../../runtime/machine/machine.ts';
import { type FromJudge, judgeWord, type ToJudge } from './check-messages.ts';

/** An attempt with what the learner's code printed. */
export interface ToldAttempt extends Attempt {
  readonly printed: string;
}

interface Choices {
  readonly folder: string;
  readonly seconds: number;
  /** The command line, as this process was started unless given, and the options of Node for it. */
  readonly program?: string;
  readonly execArgv?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

const printedMax = 20_000;

/**
 * Judges an exercise in a process of its own, so that an endless loop, a crash or `process.exit` in the learner's code ends
 * that process and becomes a lesson.
 */
export function judgeApart(
  place: Place,
  { folder, seconds, program = process.argv[1]!, execArgv = process.execArgv, signal }: Choices,
): Promise<ToldAttempt> {
  return new Promise((resolve, reject) => {
    const child = fork(program, [judgeWord], {
      execArgv: [...execArgv],
      cwd: folder,
      silent: true,
      // Warnings of Node about the learner's machine are no part of the course.
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    let printed = '';
    let step = 'Your files are loaded';
    const passed: string[] = [];
    let attempt: Attempt | undefined;
    let failed: { readonly saw: string; readonly rule?: string } | undefined;
    const take = (text: Buffer) => {
      if (printed.length < printedMax) printed += text;
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    const cancel = machine.timer(seconds * 1_000, () => {
      failed = {
        saw: `Your code was still running after ${seconds} seconds.`,
        rule: 'Look for a loop that never ends: one that pages without passing LastEvaluatedKey on, that retries without a limit, or that waits for a promise that nobody resolves.',
      };
      child.kill('SIGKILL');
    });
    const stop = () => child.kill('SIGKILL');
    signal?.addEventListener('abort', stop, { once: true });
    child.on('error', reject);
    child.on('message', (message: FromJudge) => {
      if ('ready' in message) child.send({ exercise: place.exercise.id, folder } satisfies ToJudge);
      else if ('step' in message) {
        if (passed.length > 0 || step !== 'Your files are loaded') passed.push(step);
        step = message.step;
      } else if ('attempt' in message) attempt = message.attempt;
      else if ('lost' in message)
        failed = {
          saw: message.lost,
          rule: 'A promise that nobody awaits fails unseen. Write await before every call that answers a promise.',
        };
      else reject(new Error(`Exercise ${place.exercise.id} cannot be judged: ${message.defect}`));
    });
    child.on('close', (code, killed) => {
      cancel();
      signal?.removeEventListener('abort', stop);
      if (attempt !== undefined) return resolve({ ...attempt, printed });
      const { saw, rule } = failed ?? endedEarly(code, killed, printed);
      const steps = [
        ...passed.map((title) => ({ title, passed: true })),
        { title: step, passed: false, saw, ...(rule !== undefined && { rule }) },
      ];
      resolve({ passed: false, steps, printed });
    });
  });
}

function endedEarly(
  code: number | null,
  killed: string | null,
  printed: string,
): { readonly saw: string; readonly rule?: string } {
  if (/heap out of memory|Allocation failed/.test(printed))
    return {
      saw: 'Your code used all the memory that it was given, and its process ended.',
      rule: 'Look for a list that grows without end, such as a loop that adds the same page again and again.',
    };
  if (killed !== null) return { saw: `The process of your code was ended by ${killed}.` };
  return code === 0
    ? {
        saw: 'The process of your code ended before the check was done.',
        rule: 'Leave process.exit out.',
      }
    : { saw: `The process of your code ended with exit code ${code}.`, rule: 'Leave process.exit out.' };
}
